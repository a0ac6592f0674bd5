"""The observer that knows nothing: it says so, and says nothing wrong."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.host.kernel.driver import Pty
from truetty.host.kernel.blind import BlindObserver
from truetty.host.kernel.darwin import DarwinObserver

Start = Callable[..., Pty]


@pytest.fixture
def blind(start: Start) -> tuple[Pty, BlindObserver]:
    pty = start("bash")
    pty.type("stty sane\r")
    return pty, BlindObserver(pty.master, pty.pid)


def test_a_prompt_is_unknown(blind: tuple[Pty, BlindObserver]) -> None:
    pty, observer = blind
    pty.settle("ready")
    look = observer.observe()
    assert (look.seen, look.hard, look.kind) == ("unknown", False, None)
    assert not observer.sees and pty.observer.sees
    assert not observer.learn()
    assert not observer.knows_prompt
    assert observer.consumed() is None
    assert observer.cwd() is None
    assert observer.program() is None
    assert observer.children() is None and observer.everyone() is None
    assert observer.command_line() is None and observer.mentions("bash") is None
    observer.close()


def test_the_terminal_still_tells_who_is_in_front(blind: tuple[Pty, BlindObserver]) -> None:
    pty, observer = blind
    pty.settle("ready")
    assert observer.shell_in_front() is True
    pty.type("sleep 1000\r")
    pty.settle("running")
    assert observer.shell_in_front() is False
    assert observer.foreground() == pty.observer.foreground()
    assert observer.observe().seen == "unknown"
    observer.close()


def test_a_secret_is_seen_by_the_modes(blind: tuple[Pty, BlindObserver]) -> None:
    pty, observer = blind
    pty.settle("ready")
    pty.type("sh -c 'stty -echo; cat'\r")
    pty.settle("waiting", "secret")
    look = observer.observe()
    assert (look.seen, look.hard, look.kind) == ("waiting", False, "secret")
    observer.close()


def test_the_end_is_seen_before_and_after_it_is_waited_for(blind: tuple[Pty, BlindObserver]) -> None:
    pty, observer = blind
    pty.settle("ready")
    pty.type("exit\r")
    pty.settle("exited")
    assert observer.observe().seen == "exited"
    os.waitpid(pty.pid, 0)
    assert observer.observe().seen == "exited"
    observer.close()


def test_no_terminal_at_all() -> None:
    observer = BlindObserver(-1, os.getpid())
    assert observer.observe().seen == "unknown"
    assert observer.shell_in_front() is None
    assert observer.foreground() is None
    assert observer.modes().sane
    observer.adopt_modes()
    observer.mend()
    observer.close()


def test_darwin_says_running_softly_when_another_group_is_in_front(start: Start) -> None:
    """Run here on Linux, for what it asks is the same everywhere; on a Mac it was never run."""
    pty = start("bash")
    observer = DarwinObserver(pty.master, pty.pid)
    assert observer.observe().seen == "unknown"
    pty.type("sleep 1000\r")
    pty.settle("running")
    look = observer.observe()
    assert (look.seen, look.hard) == ("running", False)
    observer.close()
