"""Which processes are a terminal's, and how often /proc is looked at for it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from truetty.host import census
from truetty.host.base import Found, Order
from truetty.host.census import Processes, Pty, identify, members
from truetty.host.kernel import proc
from truetty.host.kernel.calls import Device
from truetty.host.local import LocalHost
from truetty.host.pty import LocalChannel
from truetty.shells.table import recognise
from truetty.testing import Recorder

PROGRAM = recognise("unknown")
DEVICE = Device(os.makedev(136, 70000), 1)
PTY = Pty(shell=10, born=500, device=DEVICE, supervisor=20)
ELSEWHERE = 13


@dataclass
class Looks:
    """How often all of /proc was listed, and the files of how many processes were."""

    whole: int = 0
    descriptors: list[str] = field(default_factory=list)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    made, listdir = Looks(), os.listdir

    def count(path: str) -> list[str]:
        if path == "/proc":
            made.whole += 1
        elif path.endswith("/fd"):
            made.descriptors.append(path)
        return listdir(path)

    monkeypatch.setattr(os, "listdir", count)
    return made


async def started(script: str) -> tuple[LocalChannel, Recorder]:
    """A shell that runs the script and says `up` in it."""
    channel = await LocalHost().start(Order(Found(PROGRAM, "/bin/sh", ("-c", script)), "key"))
    recorder = Recorder()
    channel.attach(recorder)
    await recorder.until(lambda: b"up" in recorder.data)
    return channel, recorder


@pytest.fixture
async def ptys() -> AsyncIterator[list[Pty]]:
    """Of four terminals."""
    channels = [(await started("echo up; cat"))[0] for _ in range(4)]
    yield [pty_of(channel) for channel in channels]
    await asyncio.gather(*(channel.close() for channel in channels))


def pty_of(channel: LocalChannel) -> Pty:
    tty = os.stat(f"/proc/{channel.pid}/fd/0")
    of = proc.stat(channel.pid)
    assert of is not None
    return Pty(channel.pid, of.born, Device(tty.st_rdev, tty.st_dev))


async def test_all_who_ask_at_the_same_time_share_one_look(ptys: list[Pty], looks: Looks) -> None:
    found = await asyncio.gather(*(members(pty) for pty in ptys))
    assert [pty.shell in pids for pty, pids in zip(ptys, found, strict=True)] == [True] * 4
    assert looks.whole == 1 and len(looks.descriptors) == len(set(looks.descriptors))


async def test_only_processes_that_are_younger_than_the_shell_are_asked_for_what_they_have_open(
    ptys: list[Pty], looks: Looks
) -> None:
    await members(ptys[-1]._replace(born=1 << 60))
    assert looks.whole == 1 and looks.descriptors == []
    assert {pty.shell for pty in ptys[:2]} <= set().union(*await asyncio.gather(*map(members, ptys[:2])))
    assert looks.whole == 2 and f"/proc/{ptys[0].shell}/fd" in looks.descriptors


async def test_who_asks_while_a_look_goes_on_gets_the_next(
    ptys: list[Pty], looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(census, "AT_ONCE", 1)
    first = asyncio.ensure_future(members(ptys[0]))
    while looks.whole == 0:
        await asyncio.sleep(0)
    await asyncio.gather(*(members(pty) for pty in ptys))
    assert first.done() and looks.whole == 2


async def test_the_event_loop_has_its_turns_during_a_look(
    ptys: list[Pty], looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(census, "AT_ONCE", 1)
    processes = len([name for name in os.listdir("/proc") if name.isdigit()])
    looking, turns = asyncio.ensure_future(members(ptys[0])), 0
    while not looking.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > processes / 2


async def test_terminals_that_close_together_share_their_looks(looks: Looks) -> None:
    channels = [(await started("echo up; cat"))[0] for _ in range(10)]
    before = looks.whole
    await asyncio.gather(*(channel.close() for channel in channels))
    # One for all before the first signal. Each then asks once more, when its own processes are gone.
    assert looks.whole - before <= 1 + len(channels)


async def test_everyone_of_a_terminal(tmp_path: Path) -> None:
    told = tmp_path / "pids"
    job = f"sleep 1000 & echo $! >> {told}"
    daemon = f"(setsid sh -c 'echo $$ >> {told}; exec sleep 1000' &)"
    channel, _ = await started(f"{job}\n{daemon}\necho up; cat")
    other, _ = await started("echo up; cat")
    async with asyncio.timeout(PATIENCE):
        while len(told.read_text().split()) < 2:
            await asyncio.sleep(0)
    pids = {channel.pid, *map(int, told.read_text().split())}
    assert pids <= await members(pty_of(channel)) and not pids & await members(pty_of(other))
    await asyncio.gather(channel.close(), other.close())


def test_what_is_not_there_is_not_identified() -> None:
    reader, writer = os.pipe()
    assert identify(reader, os.getpid()) is None
    os.close(reader)
    os.close(writer)


async def test_a_terminal_of_which_nothing_is_known_has_no_members() -> None:
    assert await members(None) == set()


def process(pid: int, *, parent: int = 1, session: int = 1, tty: int = 0, born: int = 600) -> proc.Stat:
    return proc.Stat(pid, "name", "S", parent, 1, session, tty, 1, 0, 1, born, 0, 0, 0)


@pytest.mark.parametrize(
    ("processes", "pids"),
    [
        ([process(10, born=500), process(11, parent=10), process(12, parent=11)], {10, 11, 12}),
        ([process(10, born=500), process(11, session=10)], {10, 11}),
        ([process(11, session=10)], {11}),  # the shell itself is gone
        ([process(10, born=900, session=10), process(11, session=10), process(12, parent=10)], set()),  # a reused pid
        ([process(10, born=900), process(11, tty=DEVICE.packed)], {11}),
        ([process(11), process(12, tty=DEVICE.packed + 1)], set()),
        ([process(ELSEWHERE, tty=DEVICE.packed)], set()),  # the same number on another devpts
        ([process(20), process(21, parent=20), process(22, parent=21)], {21, 22}),  # below the supervisor
    ],
)
def test_by_what_they_are_recognised(
    processes: list[proc.Stat], pids: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = lambda one, device: one.tty == device.packed and one.pid != ELSEWHERE  # noqa: E731
    monkeypatch.setattr("truetty.host.census.is_terminal_of", ours)
    found = Processes()
    for one in processes:
        found.add(one, ())
    assert found.of(PTY) == pids


@pytest.mark.parametrize(("born", "shares", "pids"), [(600, False, {11}), (400, False, set()), (600, True, set())])
def test_who_has_the_pty_open(born: int, shares: bool, pids: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Older than the shell: it was here before. With our side of the pty: a fork of ours."""
    monkeypatch.setattr(census, "_shares_master", lambda one, device: shares)
    found = Processes()
    found.add(process(11, born=born), {DEVICE})
    assert found.of(PTY) == pids
