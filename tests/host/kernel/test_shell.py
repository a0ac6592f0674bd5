"""The shell's own process, as /proc shows it."""

from __future__ import annotations

import os
import subprocess

import pytest

from truetty.host.kernel import proc
from truetty.host.kernel.shell import LinuxProcess


def test_a_process_is_there_until_it_ends() -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as running:
        process = LinuxProcess(running.pid)
        assert process.is_there()
        running.kill()
        os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)  # it stays a zombie
        assert not process.is_there()
        process.close()


@pytest.mark.parametrize(
    ("code", "program", "there"),
    [
        (4096, "/bin/bash", True),
        (1, None, True),  # another user's: we may not know it
        (0, None, False),  # it exits: its memory is gone, and its directory
        (0, "/bin/bash", True),  # a system that tells no addresses
    ],
)
def test_a_process_that_exits_is_there_no_more(
    monkeypatch: pytest.MonkeyPatch, code: int, program: str | None, *, there: bool
) -> None:
    process = LinuxProcess(os.getpid())
    of = process.stat()._replace(code=code)
    monkeypatch.setattr(process, "alive", lambda: of)
    monkeypatch.setattr(process, "program", lambda: program)
    assert process.is_there() is there
    process.close()


def test_the_kernel_hides_the_place_of_the_program_as_1() -> None:
    """Of a zombie, which has no memory, it is 0."""
    with subprocess.Popen(["true"]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        found = proc.parse_stat(proc.read(f"/proc/{ended.pid}/stat"))
        assert (found.state, found.code) == ("Z", 0)
