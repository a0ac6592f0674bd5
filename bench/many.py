"""1, 50 and 500 terminals in one process: what they cost, and as a ratio to 1 and to 50.

To reach: opening and closing grow as the count does; a terminal has few descriptors, whatever the count; looks at
commands that stand still become rare. Each count has a process of its own, which may take LONGEST and no longer.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import truetty

COUNTS = (1, 50, 500)
LONGEST = 600.0
AT_ONCE = 10
MORE = 5  # terminals that are opened and closed beside the others, one by one
WINDOW = 8.0  # CPU time is counted for so long
STILL = 45.0  # nothing has changed for so long when it is counted again

One = TypeVar("One")
Made = TypeVar("Made")


async def by_tens(ones: list[One], make: Callable[[One], Awaitable[Made]]) -> list[Made]:
    made: list[Made] = []
    for at in range(0, len(ones), AT_ONCE):
        made += await asyncio.gather(*(make(one) for one in ones[at : at + AT_ONCE]))
    return made


async def opened(_: int = 0) -> truetty.Terminal:
    return await truetty.Terminal.open("dash", rc=False)


async def load() -> float:
    """% of one core that this process takes."""
    start, cpu = time.perf_counter(), time.process_time()
    await asyncio.sleep(WINDOW)
    return (time.process_time() - cpu) / (time.perf_counter() - start) * 100


async def loads(terminals: list[truetty.Terminal], text: str, key: str, until: str) -> tuple[float, float]:
    """While all run `text`: at once, and when nothing has changed for long. `key` ends it."""
    commands = await by_tens(terminals, lambda terminal: terminal.start(text))
    if until == "waiting":
        await by_tens(commands, lambda command: command.wait(timeout=60))
        assert all(command.state == "waiting" for command in commands)
    first = await load()
    await asyncio.sleep(STILL)
    later = await load()
    await by_tens(commands, lambda command: command.send(key))
    await by_tens(commands, lambda command: command.wait(timeout=60, until="finished"))
    return first, later


def memory() -> float:
    """kB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1024


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


async def standstill(longest: list[float]) -> None:
    """The longest time between two turns of the event loop."""
    last = time.perf_counter()
    while True:
        await asyncio.sleep(0.002)
        now = time.perf_counter()
        longest[0], last = max(longest[0], now - last - 0.002), now


async def measure(count: int) -> dict[str, float]:
    await (await opened()).close()  # imports, and the look of the prompt
    found: dict[str, float] = {}
    files, size, start, cpu = descriptors(), memory(), time.perf_counter(), time.process_time()
    terminals = await by_tens(list(range(count)), opened)
    found |= {"open, s": time.perf_counter() - start, "open, CPU s": time.process_time() - cpu}
    found |= {"descriptors each": (descriptors() - files) / count, "memory each, kB": (memory() - size) / count}
    cpu, closing = time.process_time(), 0.0
    for _ in range(MORE):
        terminal, before = await opened(), time.process_time()
        await terminal.close()
        closing += time.process_time() - before
    found["one more, CPU ms"] = (time.process_time() - cpu - closing) / MORE * 1e3
    found["one less, CPU ms"] = closing / MORE * 1e3
    found["idle, %"] = await load()
    found["waiting, %"], found["waiting for long, %"] = await loads(terminals, "read x", "\n", "waiting")
    found["sleeping, %"], found["sleeping for long, %"] = await loads(terminals, "sleep 1000", "\x03", "running")
    longest = [0.0]
    watching = asyncio.ensure_future(standstill(longest))
    await asyncio.sleep(0.05)
    start, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(terminal.close() for terminal in terminals))
    found |= {"close, s": time.perf_counter() - start, "close, CPU s": time.process_time() - cpu}
    watching.cancel()
    found["loop stood still, s"] = longest[0]
    return found


def of(count: int) -> dict[str, float] | None:
    """None: it took too long."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "bench.many", "--only", str(count)],
            stdout=subprocess.PIPE,
            timeout=LONGEST,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return None
    return dict(json.loads(done.stdout))


def main() -> None:
    if sys.argv[1:2] == ["--only"]:
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        print(json.dumps(asyncio.run(measure(int(sys.argv[2])))))
        return
    counts = [int(word) for word in sys.argv[1:]] or list(COUNTS)
    found = {count: of(count) for count in counts}
    whole = {count: values for count, values in found.items() if values is not None}
    print(f"{'terminals':22}" + "".join(f"{count:>10}" for count in found), end="")
    pairs = [(most, least) for most in whole for least in whole if most == max(whole) and least < most]
    print("".join(f"{f'{most} : {least}':>10}" for most, least in pairs))
    for name in next(iter(whole.values()), {}):
        row = "".join(f"{values[name]:10.3f}" if values else f"{'too long':>10}" for values in found.values())
        ratios = (
            whole[most][name] / whole[least][name] if whole[least][name] else float("nan") for most, least in pairs
        )
        print(f"{name:22}{row}" + "".join(f"{ratio:10.2f}" for ratio in ratios))


if __name__ == "__main__":
    main()
