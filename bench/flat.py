"""What one verb of a service costs while it has 10, 100 and 1,000 terminals: the CPU time of this process.

To reach: no row grows with the number of terminals. Each terminal is held by a task of its own, and has run a command
that its agent was told about. The commands are run in one of them, one after the other.
"""

from __future__ import annotations

import asyncio
import gc
import resource
import sys
import time
from collections.abc import Awaitable, Callable

from bench.many import by_tens, memory
from truetty.service.registry import Registry
from truetty.service.service import Service

COUNTS = (10, 100, 1000)
TIMES = 200


async def cost(act: Callable[[], Awaitable[object]]) -> float:
    """CPU microseconds of one call."""
    cpu = time.process_time()
    for _ in range(TIMES):
        await act()
    return (time.process_time() - cpu) / TIMES * 1e6


async def measure(service: Service, count: int, had: int, empty: float) -> dict[str, float]:
    async def begin(number: int) -> None:
        await service.run("true", task=f"task {number}", wait=60)

    await by_tens(list(range(had, count)), begin)
    gc.collect()  # of what opening has made: it would fall into one of the rows, with 135 ms at 1,000 terminals
    registry = service.registry
    one = next(terminal for terminal in registry.list() if terminal.task == "task 0")

    async def acquire() -> None:
        registry.release(await registry.acquire(task="task 0"))

    async def get() -> None:
        registry.get(one.id)

    return {
        "memory each, kB": (memory() - empty) / count,
        "run in a named terminal": await cost(lambda: service.run("true", terminal=one.id, task="task 0", wait=60)),
        "run in the task's terminal": await cost(lambda: service.run("true", task="task 0", wait=60)),
        "acquire and release": await cost(acquire),
        "get": await cost(get),
    }


async def main() -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    counts = sorted(int(word) for word in sys.argv[1:]) or list(COUNTS)
    found: dict[int, dict[str, float]] = {}
    async with Service(Registry(limit=max(counts) + 1, shell="dash", rc=False)) as service:
        await service.run("true", task="task 0", wait=60)
        had, empty = 1, memory()
        for count in counts:
            found[count] = await measure(service, count, had, empty)
            had = count
    first, last = counts[0], counts[-1]
    print(f"{'CPU us, terminals:':30}" + "".join(f"{count:>10}" for count in counts) + f"{f'{last} : {first}':>12}")
    for name in found[first]:
        row = "".join(f"{found[count][name]:10.1f}" for count in counts)
        print(f"{name:30}{row}{found[last][name] / found[first][name]:12.2f}")


if __name__ == "__main__":
    asyncio.run(main())
