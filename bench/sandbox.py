"""Behind the wall against outside, in one run, bash without rc files: opening, a builtin, a program, closing.

To reach: opening at most 3 times, commands at most 1.1 times.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections import defaultdict

import truetty

COMMANDS = 20


async def one(sandbox: str, workspace: str, times: dict[str, list[float]]) -> None:
    marks = [time.perf_counter()]
    terminal = await truetty.Terminal.open("bash", rc=False, cwd=workspace, sandbox=sandbox)
    marks.append(time.perf_counter())
    for command in ("true", "/bin/true"):
        for _ in range(COMMANDS):
            await terminal.run(command)
        marks.append(time.perf_counter())
    await terminal.close()
    marks.append(time.perf_counter())
    for name, begin, end, count in zip(
        ("open", "true", "/bin/true", "close"), marks, marks[1:], (1, COMMANDS, COMMANDS, 1), strict=False
    ):
        times[name].append((end - begin) / count)


async def compare(rounds: int) -> None:
    times: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in ("none", "read-only", "workspace")}
    with tempfile.TemporaryDirectory() as workspace:
        for _ in range(rounds):
            for name, found in times.items():
                await one(name, workspace, found)
    outside = {what: statistics.median(found[1:]) for what, found in times["none"].items()}
    print("outside: " + ", ".join(f"{what} {seconds * 1e3:.2f} ms" for what, seconds in outside.items()))
    for name in ("read-only", "workspace"):
        ratios = {what: statistics.median(found[1:]) / outside[what] for what, found in times[name].items()}
        print(f"{name}: " + ", ".join(f"{what} {ratio:.2f}" for what, ratio in ratios.items()))


def main() -> None:
    asyncio.run(compare(int(sys.argv[1]) if len(sys.argv) > 1 else 15))


if __name__ == "__main__":
    main()
