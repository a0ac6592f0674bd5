"""What becomes of terminals when a part of the cluster dies: `lost` is told, and nothing is left running."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

import truetty
import truetty.ray
from tests.patience import PATIENCE
from tests.ray.conftest import SHARED
from tests.ray.nodes import Nodes, guard_of, is_alive, processes_of
from truetty.ray.members import Member

pytestmark = pytest.mark.asyncio(loop_scope="session")

Record = Callable[[str, object], None]
# An ordinary child, one that ignores the hang-up, one with a session of its own, and one whose parents have ended.
LEAVERS = (
    "sleep 5000 & nohup sleep 5001 >/dev/null 2>&1 & setsid sleep 5002 & "
    "(setsid sh -c 'sleep 5003 & exit' &) ; until pgrep -f 'sleep 5003' >/dev/null; do :; done"
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def mortal(nodes: Nodes) -> AsyncIterator[truetty.ray.Cluster]:
    """One whose hosts are killed. Each is replaced."""
    async with truetty.ray.cluster(nodes.address, resources=SHARED) as registry:
        yield registry


def host_of(registry: truetty.ray.Cluster, terminal: Any) -> Member:
    return next(one for one in registry.hosts if one.registry.find(terminal.id) is terminal)


async def until(fact: Callable[[], bool], what: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while not fact():
            await asyncio.sleep(0.05)
    assert fact(), what


async def fall(
    registry: truetty.ray.Cluster, kill: Callable[[Member], None], record: Record, name: str
) -> truetty.Outcome:
    """Of a command that runs when its host is killed. Comes back when nothing of the host is left."""
    terminal = await registry.open("bash", rc=False)
    host = host_of(registry, terminal)
    assert (await terminal.run(LEAVERS, wait=PATIENCE)).ok
    command = await terminal.start("sleep 5004")
    waiting = asyncio.ensure_future(command.wait(PATIENCE))
    processes, folder = processes_of(host), host.registry.status().state_folder
    assert len(processes) >= 7
    begun = time.monotonic()
    kill(host)
    outcome = await waiting
    lost = time.monotonic() - begun
    assert (outcome.state, outcome.exit_code, outcome.closed) == ("lost", None, True)
    assert command.outcome == outcome and terminal.closed and not terminal.busy
    with pytest.raises(truetty.ChannelLost, match="Nothing was sent"):
        await terminal.run("true")
    await until(lambda: not any(map(is_alive, processes)), f"all of {processes} ended")
    gone = time.monotonic() - begun
    await until(lambda: not os.path.exists(folder), f"{folder} removed")
    record("report", f"ray: {name}: lost told after {lost:.2f} s, nothing left running after {gone:.2f} s")
    assert host not in registry.hosts
    return outcome


def server_of(host: Member) -> int:
    """The process that has its terminals."""
    return host.registry.status().pid


async def goes_on(registry: truetty.ray.Cluster, count: int) -> None:
    """There are as many hosts again, and they work."""
    await until(lambda: len(registry.hosts) == count, "the host is replaced")
    terminals = [await registry.open("bash", rc=False) for _ in range(count)]
    assert {host_of(registry, one) for one in terminals} == set(registry.hosts)
    for terminal in terminals:
        assert (await terminal.run("echo on", wait=PATIENCE)).output == "on\n"
        await terminal.close()


@pytest.mark.parametrize(
    ("name", "number", "of_server"),
    [
        ("worker killed with -9", signal.SIGKILL, False),
        ("worker stopped", signal.SIGSTOP, False),
        ("server of the node killed with -9", signal.SIGKILL, True),
        ("server of the node stopped", signal.SIGSTOP, True),
    ],
)
async def test_a_host_dies(
    mortal: truetty.ray.Cluster, name: str, number: int, of_server: bool, record_property: Record
) -> None:
    def kill(host: Member) -> None:
        os.kill(server_of(host) if of_server else host.pid, number)

    outcome = await fall(mortal, kill, record_property, name)
    assert "was lost: " in outcome.notes[-1]
    await goes_on(mortal, 2)


async def test_a_guard_dies(mortal: truetty.ray.Cluster, record_property: Record) -> None:
    def kill(host: Member) -> None:
        os.kill(guard_of(server_of(host)), signal.SIGKILL)

    await fall(mortal, kill, record_property, "guard killed with -9")
    await goes_on(mortal, 2)


@pytest.mark.parametrize("how", ["remove", "kill"])
async def test_a_node_dies(nodes: Nodes, how: str, record_property: Record) -> None:
    node = await asyncio.to_thread(nodes.add, mortal=1)
    cutting: list[asyncio.Future[None]] = []

    def kill(host: Member) -> None:
        cutting.append(asyncio.ensure_future(asyncio.to_thread(getattr(nodes, how), node)))

    name = {"remove": "node removed", "kill": "daemons of the node killed with -9"}[how]
    async with truetty.ray.cluster(nodes.address, resources={"mortal": 1}) as registry:
        await fall(registry, kill, record_property, name)
        await cutting[0]
        with pytest.raises(truetty.HostError, match="no host of the cluster is left"):
            await registry.open("bash", rc=False)


async def test_a_call_for_another_life_is_refused(mortal: truetty.ray.Cluster) -> None:
    host = mortal.hosts[0]
    with pytest.raises(truetty.HostError, match="meant for another host"):
        await host.actor.receive.remote("another life")
    await goes_on(mortal, 2)
