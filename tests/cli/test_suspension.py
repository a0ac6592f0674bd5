"""Ctrl-Z in `truetty run`, as a job of a real shell."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE
from truetty.sync import Terminal

SOURCE = str(Path(truetty.__file__).parents[1])


@pytest.fixture
def outer(home: Path, tmp_path: Path) -> Iterator[Terminal]:
    """A person's bash, in which `truetty run` is typed."""
    with Terminal("bash", rc=False, cwd=tmp_path, env={"PYTHONPATH": SOURCE, "SHELL": "/bin/bash"}) as terminal:
        yield terminal


def run(*words: str) -> str:
    return f"{sys.executable} -m truetty run --no-rc {' '.join(words)}"


def eventually(condition: Callable[[], bool], terminal: Terminal) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, terminal.screen().text
        time.sleep(0.02)


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def stopped_by_key(outer: Terminal, command: str, file: Path) -> int:
    """Start it, press Ctrl-Z once it has written its process id; that process is stopped then."""
    started = outer.start(command)
    eventually(lambda: file.exists() and file.read_text().endswith("\n"), outer)
    pid = int(file.read_text())
    outer.press("C-z")
    outcome = started.wait(PATIENCE, until="finished")
    assert (outcome.state, outcome.exit_code) == ("finished", 148), outcome
    eventually(lambda: state(pid) == "T", outer)
    return pid


def waiting(folder: Path, before: str = "") -> tuple[str, Path, Path]:
    """A program that writes its process id to a file and waits for the gate. Returns it with both.

    It starts no others: the parent of a stopped child that has not executed its program yet is not seen as stopped.
    """
    program, file, gate = folder / "waits.py", folder / "pid", folder / "gate"
    program.write_text(
        "import os, signal, time\n"
        f"{before}\n"
        f"open({str(file)!r}, 'w').write(f'{{os.getpid()}}\\n')\n"
        f"while not os.path.exists({str(gate)!r}): time.sleep(0.05)\n"
    )
    return f"{sys.executable} {program}", file, gate


def continued_to_its_end(outer: Terminal) -> truetty.Outcome:
    """`truetty run` reads the terminal meanwhile, which looks like a question."""
    return outer.start("fg").wait(PATIENCE, until="finished")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"])
def test_ctrl_z_stops_both_and_fg_continues_both(shell: str, outer: Terminal, tmp_path: Path) -> None:
    waits, file, gate = waiting(tmp_path)
    pid = stopped_by_key(outer, run("--shell", shell, f'"echo go; {waits}; echo END"'), file)
    jobs = outer.run("jobs")
    assert "Stopped" in jobs.output and "truetty run" in jobs.output
    assert state(pid) == "T"
    gate.touch()
    continued = continued_to_its_end(outer)
    assert (continued.state, continued.exit_code) == ("finished", 0), continued
    assert continued.output.splitlines()[-1] == "END" and "Stopped" not in continued.output
    assert "Stopped" not in outer.run("jobs").output


def test_it_may_be_stopped_twice(outer: Terminal, tmp_path: Path) -> None:
    waits, file, gate = waiting(tmp_path)
    pid = stopped_by_key(outer, run(f'"{waits}; exit 7"'), file)
    again = outer.start("fg")
    eventually(lambda: state(pid) != "T", outer)
    outer.press("C-z")
    assert again.wait(PATIENCE, until="finished").exit_code == 148
    gate.touch()
    assert continued_to_its_end(outer).exit_code == 7


def test_a_program_that_ignores_ctrl_z_is_stopped_all_the_same(outer: Terminal, tmp_path: Path) -> None:
    waits, file, gate = waiting(tmp_path, "signal.signal(signal.SIGTSTP, signal.SIG_IGN)")
    stopped_by_key(outer, run(f"'{waits}'"), file)
    gate.touch()
    assert continued_to_its_end(outer).exit_code == 0


def test_a_program_that_stops_itself(outer: Terminal, tmp_path: Path) -> None:
    """An editor takes Ctrl-Z as a key, and stops its own group."""
    program, file = tmp_path / "editor.py", tmp_path / "pid"
    program.write_text(
        "import os, signal, sys, tty\n"
        "tty.setraw(0)\n"
        f"open({str(file)!r}, 'w').write(f'{{os.getpid()}}\\n')\n"
        "assert os.read(0, 1) == b'\\x1a'\n"
        "os.kill(0, signal.SIGTSTP)\n"
        "tty.setraw(0)\n"  # as editors do when they are continued
        f"open({str(file)!r}, 'a').write('raw\\n')\n"
        "print('again', os.read(0, 1))\n"
        "sys.exit(9)\n"
    )
    stopped_by_key(outer, run(f"'{sys.executable} {program}'"), file)
    again = outer.start("fg")
    eventually(lambda: file.read_text().endswith("raw\n"), outer)
    outer.send("x")
    outcome = again.wait(PATIENCE, until="finished")
    assert outcome.exit_code == 9 and "again b'x'" in outcome.output
