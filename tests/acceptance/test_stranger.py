"""A program of another session that reads the shell's terminal takes commands away: they are lost, and said to be."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, assert_healthy, eventually, opened

THIEF = """
import os, sys
tty = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
open(sys.argv[2], "w").write(str(os.getpid()))
while taken := os.read(tty, 4096):
    pass
"""


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "fish"])
async def test_a_command_that_a_stranger_has_read_is_lost_and_he_is_named(
    home: Path, tmp_path: Path, shell: str
) -> None:
    (tmp_path / "thief.py").write_text(THIEF)
    pid = tmp_path / "pid"
    async with opened(shell, home) as terminal:
        line = f"setsid -f python3 {tmp_path}/thief.py (tty) {pid}"
        await terminal.run(line if shell == "fish" else line.replace("(tty)", "$(tty)"), wait=PATIENCE)
        await eventually(lambda: pid.exists() and pid.read_text() != "", "the thief")
        for number in range(200):  # the shell and the thief are woken by turns
            command = await terminal.start(f"echo {number}")
            outcome = await command.wait(PATIENCE, until="finished")
            assert outcome.state == "finished", outcome
            if outcome.exit_code is None:
                break
            assert (outcome.exit_code, outcome.output) == (0, f"{number}\n"), outcome
        else:
            pytest.fail("the thief never got a command")
        name = f"python3 ({pid.read_text()})"
        assert [name in note for note in outcome.notes].count(True) == 1, outcome.notes
        assert outcome.evidence == "kernel"
        os.kill(int(pid.read_text()), signal.SIGKILL)
        await eventually(lambda: not Path(f"/proc/{pid.read_text()}").exists(), "his end")
        await terminal.run("true", wait=PATIENCE)  # if he took the question for the exit code too, this one heals
        await assert_healthy(terminal)


ORPHAN = """
import os, signal, sys, time
if os.fork() == 0:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.read(0, 1)
    os._exit(0)
os.wait()
"""


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "fish"])
async def test_an_orphan_that_reads_one_key_changes_no_command(home: Path, tmp_path: Path, shell: str) -> None:
    """It was blocked in its read when the shell took the terminal back, so it gets the first key."""
    (tmp_path / "orphan.py").write_text(ORPHAN)
    ran = tmp_path / "ran"
    async with opened(shell, home) as terminal:
        for _ in range(5):
            command = await terminal.start(f"python3 {tmp_path}/orphan.py")
            outcome = await command.wait(PATIENCE)
            assert outcome.state == "waiting", outcome
            outcome = await command.stop()
            assert outcome.state == "finished", outcome
            outcome = await terminal.run(f"echo x >{ran}; sh -c 'exit 4'", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code) == ("finished", 4 if ran.exists() else None), outcome
            ran.unlink(missing_ok=True)
            await terminal.run("true", wait=PATIENCE)
        await assert_healthy(terminal)
