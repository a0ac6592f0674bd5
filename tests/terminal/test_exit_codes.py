"""Exit codes are explained; a signal is named only if the kernel, the shell or truetty said so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, opened
from tests.rows import each_row
from truetty.terminal.exit_codes import read
from truetty.until import Match

SAYING = ("bash", "dash", "ksh93", "mksh", "busybox", "tcsh")  # print a line when a signal ends a command
SILENT = ("zsh", "fish")  # as we run them


@each_row(
    ("code", "number", "line", "sent", "expected", "note"),
    [
        (0, None, "", (), None, ""),
        (1, None, "Killed", (), None, ""),
        (137, None, "Killed", (), 9, ""),
        (137, None, "Killed ", (), 9, ""),
        (139, None, "Segmentation fault (core dumped)", (), 11, "SIGSEGV left a core dump"),
        (134, None, "ksh93: eval: line 1: 19588: Abort(coredump)", (), 6, "SIGABRT left a core dump"),
        (139, 11, "Memory fault", (), 11, ""),
        (137, None, "", (), None, "may stand for SIGKILL"),
        (137, None, "Terminated", (), None, "may stand for SIGKILL"),  # another's
        (143, None, "", (2, 15), 15, ""),
        (130, None, "", (15,), None, "may stand for SIGINT"),
        (255, None, "", (), None, ""),  # 127 is no signal
        (127, None, "bash: foo: command not found", (), None, "no such command"),
        (127, None, "", (), None, ""),
        (126, None, "bash: /etc: Is a directory", (), None, "could not be executed"),
        (126, None, "all is well", (), None, ""),
        (137, None, "Downloading 45%Killed", (), 9, ""),
        (131, None, "^\\Quit (core dumped)", (), 3, "SIGQUIT left a core dump"),
        (137, None, "the worker was Killed", (), None, "may stand for SIGKILL"),  # a program's sentence
        (None, None, "Killed", (), None, ""),
        (137, 9, "", (), 9, ""),
        (128 + 36, 36, "", (), 36, ""),
    ],
)
def test_read(
    code: int | None, number: int | None, line: str, sent: tuple[int, ...], expected: int | None, note: str
) -> None:
    found = read(code, number, line, frozenset(sent))
    assert found.signal == expected
    assert (note in found.notes[0]) if note else found.notes == ()


def test_a_stopped_job_explains_its_code() -> None:
    assert read(148, None, "[1]+  Stopped  sleep 100", frozenset(), stopped=True).notes == ()
    assert read(147, None, "", frozenset(), stopped=True).signal is None
    assert "may stand for SIGKILL" in read(137, None, "", frozenset(), stopped=True).notes[0]
    assert "may stand for SIGTSTP" in read(148, None, "", frozenset()).notes[0]


@pytest.mark.parametrize("shell", SAYING)
async def test_a_signal_that_the_shell_told_of(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        outcome = await terminal.run("sh -c 'kill -9 $$'", wait=PATIENCE)
        assert (outcome.exit_code, outcome.signal) == (137, "SIGKILL")
        outcome = await terminal.run("sh -c 'kill -SEGV $$'", wait=PATIENCE)
        assert (outcome.exit_code, outcome.signal) == (139, "SIGSEGV")


@pytest.mark.parametrize("shell", [*SAYING, *SILENT])
async def test_a_plain_exit_code_is_no_signal(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        outcome = await terminal.run("sh -c 'exit 137'", wait=PATIENCE)
        assert (outcome.exit_code, outcome.signal) == (137, None)
        assert "may stand for SIGKILL" in outcome.notes[0]


@pytest.mark.parametrize("shell", [*SAYING, *SILENT])
async def test_a_signal_that_we_sent(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start("sh -c 'trap \"\" INT; echo ready; exec sleep 600'")
        await command.wait(PATIENCE, until=Match("ready"))
        outcome = await command.kill()
        assert (outcome.exit_code, outcome.signal) == (143, "SIGTERM")


async def test_a_signal_that_ends_an_unfinished_line(home: Path) -> None:
    async with opened("bash", home) as terminal:
        outcome = await terminal.run("printf 'Downloading 45%%'; sh -c 'kill -9 $$'", wait=PATIENCE)
        assert (outcome.output, outcome.exit_code, outcome.signal) == ("Downloading 45%Killed\n", 137, "SIGKILL")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"])
@pytest.mark.parametrize("by_name", [True, False], ids=["pressed", "sent"])
async def test_a_key_that_makes_a_signal(shell: str, home: Path, *, by_name: bool) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start("ulimit -c 0; sh -c 'echo ready; exec sleep 600'")
        await command.wait(PATIENCE, until=Match("ready"))
        await (command.press("C-\\") if by_name else command.send("\x1c"))
        outcome = await command.wait(PATIENCE)
        assert (outcome.exit_code, outcome.signal) == (131, "SIGQUIT")


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "mksh", "busybox"])
async def test_commands_that_are_not_there(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        outcome = await terminal.run("no-such-command-here", wait=PATIENCE)
        assert (outcome.exit_code, outcome.notes) == (127, ("127: there is no such command",))
        outcome = await terminal.run("/etc/passwd", wait=PATIENCE)
        assert outcome.exit_code == 126 and "could not be executed" in outcome.notes[0]
