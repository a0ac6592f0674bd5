"""What a program on a pty starts with, and what it costs to start it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from truetty.host import spawn as module
from truetty.host.spawn import spawn

# 32 and 33, which belong to the C library.
LIBRARY = 0b11 << 31

Pty = tuple[int, int]  # master and slave


@pytest.fixture
def pty() -> Iterator[Pty]:
    master, slave = os.openpty()
    yield master, slave
    os.close(master)
    os.close(slave)


@pytest.fixture(params=["few", "many"])
def crowd(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With few descriptors open, and with many."""
    monkeypatch.setattr(module, "FEW", 10000 if request.param == "few" else 0)
    return str(request.param)


def start(pty: Pty) -> int:
    """A program that has said that it runs: only then are the descriptors closed that no program inherits.

    It waits in a builtin: a program that starts opens its libraries, and those would be counted.
    """
    pid = spawn("/bin/sh", ("sh", "-c", "echo up; read line"), {"PATH": os.defpath}, pty[1])
    assert os.read(pty[0], 100) == b"up\r\n"
    return pid


def descriptors(pid: int) -> set[str]:
    return set(os.listdir(f"/proc/{pid}/fd"))


def mask(pid: int, name: str) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition(f"{name}:")[2].split()[0], 16)


def end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_no_descriptor_of_ours_is_in_the_child(pty: Pty, crowd: str) -> None:
    ours = os.dup(1)
    os.set_inheritable(ours, True)
    high = os.dup2(ours, 700)  # inheritable too
    pid = start(pty)
    try:
        assert descriptors(pid) == {"0", "1", "2"}
        tty = os.ttyname(pty[1])
        assert {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in (0, 1, 2)} == {tty}
        assert os.getsid(pid) == pid
    finally:
        end(pid)
        os.close(ours)
        os.close(high)


def test_signals_are_at_their_defaults_and_none_is_blocked(pty: Pty, crowd: str) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        pid = start(pty)
    finally:
        signal.signal(signal.SIGINT, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    try:
        assert (mask(pid, "SigIgn") & ~LIBRARY, mask(pid, "SigBlk")) == (0, 0)
    finally:
        end(pid)


def test_words_and_variables_arrive(pty: Pty, crowd: str) -> None:
    reader, writer = os.pipe()
    script = 'printf "%s|%s" "$1" "$A" > "/proc/$2/fd/$3"'
    argv = ("sh", "-c", script, "sh", "süß \udcff", str(os.getpid()), str(writer))
    pid = spawn("/bin/sh", argv, {"A": "ä"}, pty[1])
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert os.read(reader, 100) == "süß \udcff|ä".encode("utf-8", "surrogateescape")
    os.close(reader)
    os.close(writer)


def test_a_program_that_is_not_there_is_refused(pty: Pty, crowd: str) -> None:
    with pytest.raises(FileNotFoundError):
        spawn("/no/such/program", ("x",), {}, pty[1])


def test_one_more_does_not_ask_every_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def ask(descriptor: int) -> bool:
        asked.append(descriptor)
        return False

    monkeypatch.setattr(os, "get_inheritable", ask)
    others = [os.dup(1) for _ in range(2 * module.FEW)]
    pty = os.openpty()
    try:
        end(start(pty))
    finally:
        for descriptor in (*others, *pty):
            os.close(descriptor)
    assert asked == []
