"""Commands a second on a Ray cluster of one and of two nodes, on this machine. Medians of rounds that take turns.

local  `true` in so many terminals of this process, all at the same time
bare   calls of an actor that does nothing, as many at the same time: what Ray itself can do when each is a call
ray    the same commands on the cluster. To reach: half of local at 100 and at 200 terminals

All of it shares the cores of this machine: a second node shows that nothing breaks, and no gain.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import truetty
import truetty.ray
from tests.ray.nodes import Nodes, cluster, guard_of

COUNTS = (10, 100, 200)
SECONDS = 2.0
OPENING = 8  # at the same time


class Bare:
    async def nothing(self) -> None:
        return None


async def rate(calls: list[Callable[[], Awaitable[object]]]) -> tuple[float, float]:
    """Calls a second, and the median of their seconds; each caller makes one after the other."""
    took: list[float] = []
    end = time.perf_counter() + SECONDS

    async def work(call: Callable[[], Awaitable[object]]) -> None:
        while (begun := time.perf_counter()) < end:
            await call()
            took.append(time.perf_counter() - begun)

    begun = time.perf_counter()
    await asyncio.gather(*map(work, calls))
    return len(took) / (time.perf_counter() - begun), statistics.median(took)


async def opened(registry: Any, count: int) -> list[Any]:
    turn = asyncio.Semaphore(OPENING)

    async def open() -> Any:
        async with turn:
            return await registry.open("bash", rc=False)

    return await asyncio.gather(*(open() for _ in range(count)))


def memory(pids: set[int]) -> float:
    """MB that they have together, what they share counted once."""
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


def own(registry: truetty.ray.Cluster) -> set[int]:
    """Worker, guard and server of each host: no shells."""
    servers = [host.registry.status().pid for host in registry.hosts]
    return {*servers, *map(guard_of, servers), *(host.pid for host in registry.hosts)}


async def measure(nodes: Nodes, name: str, counts: list[int], rounds: int) -> None:
    import ray

    async with truetty.ray.cluster(nodes.address, terminals_per_node=max(counts), resources={name: 1}) as there:
        bare = ray.remote(Bare).options(num_cpus=0, max_concurrency=1000).remote()
        for count in counts:
            async with truetty.Registry(limit=count) as here:
                before = memory(own(there))
                begun = time.perf_counter()
                far, near = await opened(there, count), await opened(here, count)
                took = time.perf_counter() - begun
                grown = (memory(own(there)) - before) / count * 1024
                found: dict[str, list[tuple[float, float]]] = {"local": [], "bare": [], "ray": []}
                for _ in range(rounds):
                    found["local"].append(await rate([lambda one=one: one.run("true") for one in near]))
                    found["bare"].append(await rate([lambda: bare.nothing.remote()] * count))
                    found["ray"].append(await rate([lambda one=one: one.run("true") for one in far]))
                show(len(there.hosts), count, found, f"{grown:.0f} kB a terminal, both opened in {took:.0f} s")
                for one in far:
                    await one.close()
        print(f"a host without terminals: {memory(own(there)) / len(there.hosts):.0f} MB")


def show(hosts: int, count: int, found: dict[str, list[tuple[float, float]]], more: str) -> None:
    rates = {name: statistics.median(one[0] for one in pairs) for name, pairs in found.items()}
    times = {name: statistics.median(one[1] for one in pairs) * 1e3 for name, pairs in found.items()}
    shown = ", ".join(f"{name} {rates[name]:.0f}/s ({times[name]:.1f} ms)" for name in found)
    print(
        f"{hosts} nodes, {count:3} terminals: {shown}; ray:local {rates['ray'] / rates['local']:.2f}; {more}",
        flush=True,
    )


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    counts = [int(word) for word in sys.argv[2:]] or list(COUNTS)
    with cluster(1, one=10, two=10) as nodes:
        asyncio.run(measure(nodes, "one", counts, rounds))
        nodes.add(two=10)
        asyncio.run(measure(nodes, "two", counts, rounds))


if __name__ == "__main__":
    main()
