"""What the observer says of programs in front of the shell: readers of every kind, relays, the stopped, the hidden."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.host.kernel.driver import Pty
from truetty.host.kernel import proc
from truetty.host.kernel.tty import LocalTty

Start = Callable[..., Pty]


@pytest.mark.parametrize(
    ("line", "seen", "kind", "conclusive"),
    [
        ("sleep 1000 | cat", "running", None, True),
        ("cat | sleep 1000", "waiting", "line", True),
        ("cat | sh -c 'while :; do :; done'", "waiting", "line", True),
        ("sh -c 'stty -echo; cat'", "waiting", "secret", True),
        ("sh -c 'cat; true'", "waiting", "line", True),
        ("setsid -w cat", "waiting", "line", True),
        ("less /etc/passwd", "waiting", "key", True),
        ("bash -c 'read -e x'", "waiting", "key", True),
        ("bash -c 'read x'", "waiting", "line", True),
        ("bash --norc --noediting", "waiting", "shell", True),
        ("dash", "waiting", "shell", True),
        ("zsh -f", "waiting", "shell", True),
        ("fish --no-config", "waiting", "shell", None),
        ("fish --no-config -c 'read -P \"name? \" x'", "waiting", "line", False),
        ("fish --no-config /dev/fd/9 9<<<'read x'", "waiting", "line", False),
        ("ksh93 -c 'read x'", "waiting", "line", True),
        ("ksh93", "waiting", "shell", True),
        ("mksh", "waiting", "shell", True),
        ("tcsh -f", "waiting", "shell", True),
        ("busybox ash", "waiting", "shell", True),
        ("script -qc cat /dev/null", "waiting", "line", True),
        ("script -qc 'sleep 1000' /dev/null", "running", None, True),
        ("script -qc 'bash --norc' /dev/null", "waiting", "shell", True),
        ("script -qc \"script -qc 'stty -echo; cat' /dev/null\" /dev/null", "waiting", "secret", True),
    ],
)
def test_program_in_front(start: Start, line: str, seen: str, kind: str | None, conclusive: bool | None) -> None:
    pty = start("bash")
    pty.type(line + "\r")
    pty.settle(seen, kind, conclusive)


@pytest.mark.parametrize(
    ("line", "to"),
    [
        ("sh -c 'echo x; read x' | tail", "tail"),
        ("sh -c 'echo x; read x' | grep y | sort", "grep"),
        ("(echo x; read x) | tail", "tail"),
        ("sh -c 'read x' | tail", None),  # it has printed nothing
        ("cat", None),
        ("sh -c 'echo x; read x' >/dev/null", None),
    ],
)
def test_to_whom_a_reader_prints_through_a_pipe(start: Start, line: str, to: str | None) -> None:
    pty = start("bash")
    pty.type(line + "\r")
    assert pty.settle("waiting", "line", conclusive=True).pipe_to == to


def test_a_server_that_borrowed_the_tty_reads_for_its_client(start: Start, tmp_path: Path) -> None:
    pty = start("bash")
    pty.type(f"tmux -f /dev/null -S {tmp_path}/socket new sleep 1000\r")
    look = pty.settle("waiting", "key", conclusive=False)
    assert look.program == "tmux: server"
    assert "tmux: server" in [process.name for process in pty.everyone()]


def test_the_look_at_a_relay_goes_with_the_look_at_what_it_feeds(start: Start) -> None:
    pty = start("bash")
    pty.type("script -qc 'sh -c \"cat; true\"' /dev/null\r")
    look = pty.settle("waiting", "line", conclusive=True)
    assert look.program == "cat" and look.relay is not None
    assert (look.relay.seen, look.relay.kind, look.relay.program) == ("waiting", "key", "script")


@pytest.mark.parametrize(("modes", "kind"), [("-echo", "secret"), ("-echo -icanon", "key")])
def test_a_stranger_that_borrows_the_tty_later_reads_for_the_program_in_front(
    start: Start, modes: str, kind: str
) -> None:
    """As pinentry, which gpg-agent starts when gpg asks it to."""
    pty = start("bash")
    pty.type(f"stty {modes}; sleep 1000\r")
    pty.settle("running")
    name = os.readlink(f"/proc/{pty.pid}/fd/0")
    for _ in ("once", "another, when that one is gone"):
        fd = os.open(name, os.O_RDWR | os.O_NOCTTY)
        with subprocess.Popen(["cat"], stdin=fd, stdout=subprocess.DEVNULL, start_new_session=True) as stranger:
            os.close(fd)
            look = pty.settle("waiting", kind)
            assert (look.reader, look.program, look.conclusive) == (stranger.pid, "cat", True)
            assert [one.pid for one in pty.observer.family.strangers()] == [stranger.pid]
            stranger.kill()
        pty.settle("running")


POLLER = "import select, subprocess, threading, time\n{}\nwhile not select.select([0], [], [], 0.05)[0]: pass\n"


@pytest.mark.parametrize(
    ("line", "before", "listens"),
    [
        ("python3 {}", "", False),
        ("python3 {} | cat", "", False),
        ("sh -c 'python3 {}; true'", "", False),
        ("python3 {} | sleep 1000", "", True),
        ("python3 {}", "subprocess.Popen(['sleep', '1000'])", True),
        ("python3 {}", "threading.Thread(target=time.sleep, args=(1000,)).start()", True),
    ],
)
def test_who_polls_beside_work_listens(start: Start, tmp_path: Path, line: str, before: str, listens: bool) -> None:
    (tmp_path / "program.py").write_text(POLLER.format(before))
    pty = start("bash")
    pty.type(line.format(tmp_path / "program.py") + "\r")
    look = pty.observer.look

    def polls() -> bool:
        seen = look.observe()
        return (seen.seen, seen.timed, seen.listens, seen.conclusive) == ("waiting", True, listens, False)

    pty.until(polls, "a poller")
    pty.until(lambda: look.observe().cpu is not None, "its CPU time")


@pytest.mark.parametrize(("line", "seen"), [("", "ready"), ("read x", "waiting"), ("cat", "waiting")])
def test_unread_input_vetoes(start: Start, monkeypatch: pytest.MonkeyPatch, line: str, seen: str) -> None:
    """A reader with input is only about to wake: too short a moment to wait for, so it is made to last."""
    pty = start("bash")
    pty.type(line + "\r")
    pty.settle(seen, "line" if line else None, conclusive=True)
    monkeypatch.setattr(LocalTty, "unread", lambda tty: 3)
    assert pty.observer.look.observe().seen == "running"
    assert not pty.observer.look.learn()


def test_stopped(start: Start) -> None:
    pty = start("bash")
    pty.type("set +m; sh -c 'kill -STOP $$' & kill -STOP $$\r")
    pty.settle("stopped")
    os.kill(pty.pid, signal.SIGCONT)
    pty.settle("ready", conclusive=True)


@pytest.mark.parametrize("shell", ["fish", "busybox", "bash", "zsh"])
def test_a_call_taken_up_again_after_a_stop(start: Start, shell: str) -> None:
    pty = start(shell)
    os.kill(pty.pid, signal.SIGSTOP)
    pty.settle("stopped")
    os.kill(pty.pid, signal.SIGCONT)
    pty.settle("ready", conclusive=True)


def test_wakes_tell_whether_the_reader_has_looked(start: Start) -> None:
    pty = start("bash")
    pty.type("cat >/dev/null\r")
    settled = pty.settle("waiting", "line")
    before, reader, family = settled.wakes, settled.reader, pty.observer.family
    assert before is not None and reader is not None and settled.in_main_thread
    assert pty.observer.look.observe().wakes == before == family.wakes(reader)
    pty.type("a line\r")

    def has_read() -> bool:
        seen = pty.observer.look.observe()
        return seen.seen == "waiting" and seen.wakes != before

    pty.until(has_read, "a wake")
    assert family.wakes(reader) != before


# ── not permitted ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def forbidden(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From now on the kernel does not say what any process is blocked on."""

    def forbid() -> None:
        read = proc.read

        def denied(path: str, size: int = 4096) -> bytes:
            if path.endswith("/syscall"):
                raise PermissionError(path)
            return read(path, size)

        whole = proc.ProcFile.read

        def kept(self: proc.ProcFile) -> bytes:
            if os.readlink(f"/proc/self/fd/{self._file.get()}").endswith("/syscall"):
                raise PermissionError
            return whole(self)

        monkeypatch.setattr(proc, "read", denied)
        monkeypatch.setattr(proc.ProcFile, "read", kept)

    return forbid


@pytest.mark.parametrize(
    ("line", "seen", "kind", "conclusive"),
    [
        ("", "unknown", None, False),
        ("cat", "unknown", None, False),
        ("sh -c 'stty -echo; cat'", "waiting", "secret", False),
        ("sh -c 'stty raw -echo; cat'", "unknown", None, False),
        ("sh -c 'while :; do :; done'", "running", None, True),
        ("read -s x", "waiting", "secret", False),
    ],
)
def test_what_is_forbidden_is_unknown(
    start: Start, forbidden: Callable[[], None], line: str, seen: str, kind: str | None, conclusive: bool
) -> None:
    pty = start("bash")
    if line:
        pty.type(line + "\r")
        pty.until(lambda: pty.observer.look.observe().seen in ("waiting", "running"), "the program")
    forbidden()
    pty.settle(seen, kind, conclusive)
