"""The observer that knows nothing: it says so, and says nothing wrong."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.host.kernel.driver import Pty
from truetty.host.kernel.blind import BlindObserver

Start = Callable[..., Pty]


@pytest.fixture
def blind(start: Start) -> tuple[Pty, BlindObserver]:
    pty = start("bash")
    pty.type("stty sane\r")
    return pty, BlindObserver(pty.master, pty.pid)


def test_a_prompt_is_unknown(blind: tuple[Pty, BlindObserver]) -> None:
    pty, observer = blind
    pty.settle("ready")
    look = observer.look.observe()
    assert (look.seen, look.conclusive, look.kind) == ("unknown", False, None)
    assert not observer.look.sees and pty.observer.look.sees
    assert not observer.look.learn()
    assert not observer.look.knows_prompt
    assert observer.process.consumed() is None
    assert observer.process.cwd() is None
    assert observer.process.program() is None
    assert observer.family.children() is None and observer.family.everyone() is None
    assert observer.process.argv() is None and observer.process.mentions("bash") is None
    observer.close()


def test_the_terminal_still_tells_who_is_in_front(blind: tuple[Pty, BlindObserver]) -> None:
    pty, observer = blind
    pty.settle("ready")
    assert observer.tty.shell_in_front() is True
    pty.type("sleep 1000\r")
    pty.settle("running")
    assert observer.tty.shell_in_front() is False
    assert observer.tty.foreground() == pty.observer.tty.foreground()
    assert observer.look.observe().seen == "unknown"
    observer.close()


def test_a_secret_is_seen_by_the_modes(blind: tuple[Pty, BlindObserver]) -> None:
    pty, observer = blind
    pty.settle("ready")
    pty.type("sh -c 'stty -echo; cat'\r")
    pty.settle("waiting", "secret")
    look = observer.look.observe()
    assert (look.seen, look.conclusive, look.kind) == ("waiting", False, "secret")
    observer.close()


def test_the_end_is_seen_before_and_after_it_is_waited_for(blind: tuple[Pty, BlindObserver]) -> None:
    pty, observer = blind
    pty.settle("ready")
    pty.type("exit\r")
    pty.settle("exited")
    assert observer.look.observe().seen == "exited"
    os.waitpid(pty.pid, 0)
    assert observer.look.observe().seen == "exited"
    observer.close()


def test_no_terminal_at_all() -> None:
    observer = BlindObserver(-1, os.getpid())
    assert observer.look.observe().seen == "unknown"
    assert observer.tty.shell_in_front() is None
    assert observer.tty.foreground() is None
    assert observer.tty.modes() is None
    observer.tty.adopt()
    observer.tty.mend()
    observer.close()


def test_darwin_says_running_suggestively_when_another_group_is_in_front(start: Start) -> None:
    """Run here on Linux, for what it asks is the same everywhere; on a Mac it was never run."""
    pty = start("bash")
    observer = BlindObserver(pty.master, pty.pid, tells_who_is_in_front=True)
    assert observer.look.observe().seen == "unknown"
    pty.type("sleep 1000\r")
    pty.settle("running")
    look = observer.look.observe()
    assert (look.seen, look.conclusive) == ("running", False)
    observer.close()
