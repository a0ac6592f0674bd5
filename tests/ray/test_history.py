"""A history of commands, while a worker is killed and a node is removed: each runs once, or is lost, and that is told.

Every command writes its own name. Right is: no name twice; a command that is told `finished` is there once; one that is
told `lost` is there once or not at all; every command is told.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import truetty
import truetty.ray
from tests.patience import PATIENCE
from tests.ray.nodes import Nodes, is_alive, processes_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

AT_ONCE = 16  # terminals that are being opened


class History:
    def __init__(self, registry: truetty.ray.Cluster, path: Path, commands: int) -> None:
        self._registry = registry
        self._path = path
        self._names = iter([f"c{number}" for number in range(commands)])
        self._opening = asyncio.Semaphore(AT_ONCE)
        self.told: dict[str, str] = {}
        self.broken: list[float] = []  # when something was
        self.seconds: list[float] = []  # until a loss was told

    async def work(self) -> None:
        """One terminal after the other, as each is lost, and one command after the other."""
        terminal: Any = None
        for name in self._names:
            if terminal is None:
                async with self._opening:
                    terminal = await self._registry.open("bash", rc=False)
            self.told[name] = await self._run(terminal, name)
            if self.told[name] == "lost":
                self.seconds.append(time.monotonic() - self.broken[-1])
                terminal = None
        if terminal is not None:
            await terminal.close()

    async def _run(self, terminal: Any, name: str) -> str:
        try:
            outcome = await terminal.run(f"echo {name} >> {self._path}", wait=PATIENCE)
        except truetty.ChannelLost:  # it is not known whether it has started
            return "lost"
        return str(outcome.state)


@pytest.mark.parametrize(
    ("terminals", "commands"),
    [(20, 600), pytest.param(200, 10_000, marks=[pytest.mark.long, pytest.mark.timeout(3600)])],
)
async def test_each_command_runs_once_or_is_lost(
    nodes: Nodes, tmp_path: Path, terminals: int, commands: int, record_property: Callable[..., None]
) -> None:
    node = await asyncio.to_thread(nodes.add, history=100)
    other = await asyncio.to_thread(nodes.add, history=100)
    async with truetty.ray.cluster(nodes.address, terminals_per_node=terminals, resources={"history": 1}) as registry:
        history = History(registry, tmp_path / "ran", commands)
        processes = {pid for host in registry.hosts for pid in processes_of(host)}

        async def trouble() -> None:
            await _until(lambda: len(history.told) >= commands * 0.3)
            processes.update(*map(processes_of, registry.hosts))
            history.broken.append(time.monotonic())
            os.kill(registry.hosts[0].pid, signal.SIGKILL)
            await _until(lambda: len(history.told) >= commands * 0.6 and len(registry.hosts) == 2)
            processes.update(*map(processes_of, registry.hosts))
            history.broken.append(time.monotonic())
            await asyncio.to_thread(nodes.remove, node)

        begun = time.monotonic()
        await asyncio.gather(trouble(), *(history.work() for _ in range(terminals)))
        took = time.monotonic() - begun
        processes.update(*map(processes_of, registry.hosts))
    await _until(lambda: not any(map(is_alive, processes)))
    await asyncio.to_thread(nodes.remove, other)
    written = Counter((tmp_path / "ran").read_text().split())
    states = Counter(history.told.values())
    twice = [name for name, count in written.items() if count > 1]
    missing = [name for name, state in history.told.items() if state == "finished" and written[name] != 1]
    begun_and_lost = sum(written[name] for name, state in history.told.items() if state == "lost")
    record_property(
        "report",
        f"ray: {terminals} terminals, {commands:,} commands in {took:.0f} s, a worker killed and a node removed: "
        f"{states['finished']:,} finished, {states['lost']} lost ({begun_and_lost} of them had run), "
        f"{len(twice)} twice, {len(missing)} missing, {commands - len(history.told)} untold; "
        f"lost told within {max(history.seconds, default=0):.2f} s; {sum(map(is_alive, processes))} processes left",
    )
    assert (twice, missing, len(history.told)) == ([], [], commands)
    assert set(states) == {"finished", "lost"}


async def _until(fact: Callable[[], bool]) -> None:
    while not fact():
        await asyncio.sleep(0.05)
