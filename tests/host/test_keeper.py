"""The keeper by itself: whom it ends, and whom it does not."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping

import pytest

from truetty.host.census import Pty
from truetty.host.environment import KEEPER_MARKS
from truetty.host.keeper import Keeper
from truetty.host.kernel import proc
from truetty.host.kernel.calls import Device

Start = Callable[[Mapping[str, str]], subprocess.Popen[bytes]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a process in a session of its own, with these variables."""
    started: list[subprocess.Popen[bytes]] = []

    def sleep(env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(["sleep", "1019"], env=env, start_new_session=True))
        return started[-1]

    yield sleep
    for process in started:
        process.kill()
        process.wait()


def pty(pid: int, later: int = 0) -> Pty:
    found = proc.stat(pid)
    assert found is not None
    return Pty(pid, found.born + later, Device(0, 0))


def test_it_ends_those_with_its_mark_and_no_others(start: Start) -> None:
    keeper, other = Keeper(), Keeper()
    ours = start({KEEPER_MARKS: keeper.mark})
    below = start({KEEPER_MARKS: f"{other.mark}:{keeper.mark}"})
    theirs = start({KEEPER_MARKS: other.mark})
    alike = start({KEEPER_MARKS: keeper.mark + "0", "X": f"{KEEPER_MARKS}={keeper.mark}"})
    keeper.finish()
    assert [one.poll() is None for one in (ours, below, theirs, alike)] == [False, False, True, True]
    other.finish()
    assert [one.poll() is None for one in (theirs, alike)] == [False, True]


def test_it_ends_the_sessions_of_the_shells_that_it_has(start: Start) -> None:
    keeper = Keeper()
    shell, closed, reused = start({}), start({}), start({})
    keeper.put(pty(shell.pid))
    keeper.put(pty(closed.pid))
    keeper.drop(pty(closed.pid))
    keeper.put(pty(reused.pid, later=-1))  # another had this number before
    keeper.finish()
    assert [one.poll() is None for one in (shell, closed, reused)] == [False, True, True]
