"""Commands a second on a Ray cluster of one and of two nodes, on this machine. Medians of rounds that take turns.

local   `true` in so many terminals of this process, all at the same time
server  the same on a server of this machine, by `connect`: what a terminal in another process costs without Ray
bare    calls of an actor that does nothing, as many at the same time: what Ray itself can do when each is a call
ray     the same commands on the cluster

Behind each rate stand the median of a command, and the CPU time that a command takes in each process of ours: this one,
the Ray workers, the servers. To reach: a command takes at most 2 times as long as a bare call.

All of it shares the cores of this machine: a second node shows that nothing breaks, and no gain.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import truetty
import truetty.ray
from tests.ray.nodes import Nodes, cluster, guard_of
from tests.server.live import Live
from truetty.host.kernel import proc

COUNTS = (1, 10, 100, 200)
SECONDS = 2.0
OPENING = 8  # at the same time


class Bare:
    async def nothing(self) -> None:
        return None


class Round(NamedTuple):
    rate: float  # calls a second
    seconds: float  # the median of a call
    cpu: dict[str, float]  # seconds of a call, by process


async def measured(calls: list[Callable[[], Awaitable[object]]], processes: dict[str, set[int]]) -> Round:
    """Each caller makes one call after the other."""
    took: list[float] = []
    before = {name: cpu(pids) for name, pids in processes.items()}
    begun = time.perf_counter()
    end = begun + SECONDS

    async def work(call: Callable[[], Awaitable[object]]) -> None:
        while (start := time.perf_counter()) < end:
            await call()
            took.append(time.perf_counter() - start)

    await asyncio.gather(*map(work, calls))
    seconds = time.perf_counter() - begun
    used = {name: (cpu(pids) - before[name]) / len(took) for name, pids in processes.items()}
    return Round(len(took) / seconds, statistics.median(took), used)


def cpu(pids: set[int]) -> float:
    """Seconds that they have used."""
    found = [proc.stat(pid) for pid in pids]
    return sum(one.ticks for one in found if one is not None) / proc.TICKS


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


async def measure(nodes: Nodes, name: str, counts: list[int], rounds: int, server: Live) -> None:
    import ray

    async with (
        truetty.ray.cluster(nodes.address, terminals_per_node=max(counts), resources={name: 1}) as there,
        truetty.connect(address(server)) as beside,
    ):
        bare = ray.remote(Bare).options(num_cpus=0, max_concurrency=1000).remote()
        servers = {host.registry.status().pid for host in there.hosts}
        here, workers = {os.getpid()}, {host.pid for host in there.hosts}
        processes = {
            "local": {"here": here},
            "server": {"here": here, "server": {server.pid()}},
            "bare": {"here": here},
            "ray": {"here": here, "worker": workers, "server": servers},
        }
        for count in counts:
            async with truetty.Registry(limit=count) as local:
                before = memory(own(there))
                far = await opened(there, count)
                grown = (memory(own(there)) - before) / count * 1024
                terminals = {"local": await opened(local, count), "server": await opened(beside, count), "ray": far}
                calls = {name: [lambda one=one: one.run("true") for one in all] for name, all in terminals.items()}
                calls["bare"] = [lambda: bare.nothing.remote()] * count
                found: dict[str, list[Round]] = {name: [] for name in processes}
                for _ in range(rounds):
                    for kind, pids in processes.items():
                        found[kind].append(await measured(calls[kind], pids))
                show(len(there.hosts), count, found, f"{grown:.0f} kB a terminal")
                for one in (*far, *terminals["server"]):
                    await one.close()
        print(f"a host without terminals: {memory(own(there)) / len(there.hosts):.0f} MB")


def address(server: Live) -> str:
    server.pid()  # it answers
    return f"unix:{next(path for path in server.place.sockets() if os.path.exists(path))}"


def show(hosts: int, count: int, found: dict[str, list[Round]], more: str) -> None:
    rates = {name: statistics.median(one.rate for one in all) for name, all in found.items()}
    times = {name: statistics.median(one.seconds for one in all) for name, all in found.items()}
    ratios = f"ray:local {rates['ray'] / rates['local']:.2f}, ray:server {rates['ray'] / rates['server']:.2f}"
    longer = f"a command takes {times['ray'] / times['bare']:.1f} times a bare call"
    print(f"{hosts} nodes, {count:3} terminals: commands a second {ratios}; {longer}; {more}")
    for name, all in found.items():
        used = {where: statistics.median(one.cpu[where] for one in all) for where in all[0].cpu}
        listed = ", ".join(f"{where} {much * 1e3:.2f}" for where, much in used.items())
        print(f"  {name:6} {rates[name]:5.0f}/s  {times[name] * 1e3:6.1f} ms  CPU ms: {listed}", flush=True)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    counts = [int(word) for word in sys.argv[2:]] or list(COUNTS)
    with tempfile.TemporaryDirectory() as folder, cluster(1, one=10, two=10) as nodes:
        settings = Path(folder) / "truetty"
        settings.mkdir()
        (settings / "truetty.toml").write_text(f"terminals = {max(counts)}\n")
        os.environ["XDG_CONFIG_HOME"] = folder
        server = Live(Path(folder) / "state")
        try:
            asyncio.run(measure(nodes, "one", counts, rounds, server))
            nodes.add(two=10)
            asyncio.run(measure(nodes, "two", counts, rounds, server))
        finally:
            server.end()


if __name__ == "__main__":
    main()
