"""The evidence of an outcome in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, SHELLS, opened
from truetty.core.journal import MOST_ENTRIES, Journal, Keys
from truetty.core.life import Fact
from truetty.terminal.explain import explain


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_command_that_asked_and_ended(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start("sh -c 'read x; exit 3'")
        await command.wait(PATIENCE)
        asked = command.explain()
        assert f"{command.id} \"sh -c 'read x; exit 3'\" waits for input." in asked
        assert "blocked reading the terminal (line)." in asked and "reads the terminal (line)" in asked
        await command.send("y\n")
        await command.wait(PATIENCE)
        said = command.explain().splitlines()
        assert " finished with exit code 3 after " in said[0]
        assert said[2] == "Evidence: mark. The shell printed a mark with a secret that was made for this command alone."
        seen = [line.partition(" s  ")[2] for line in said if " s  " in line]
        assert seen[0].startswith("sent ") and "the shell said that it runs the text (mark C)" in seen
        assert "keys were sent to it" in seen and seen[-1] == "it has ended with exit code 3"
        times = [float(line.partition(" s  ")[0]) for line in said if " s  " in line]
        assert times == sorted(times) and times[0] >= 0


async def test_one_that_runs(home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start("sleep 1000")
        await command.wait(PATIENCE, truetty.until.Idle(0.1))
        assert " is running, for " in command.explain() and "Silence is no evidence" in command.explain()


async def test_why_an_exit_code_is_unknown(home: Path) -> None:
    async with truetty.Terminal("python3", env={"HOME": str(home)}) as terminal:
        await terminal.run("1 + 1", wait=PATIENCE)
        assert terminal.command is not None
        said = terminal.command.explain()
        assert "finished with an unknown exit code" in said and "Evidence: kernel." in said
        assert "Exit code: No mark carried the exit code" in said


async def test_a_long_journal_is_counted(home: Path) -> None:
    journal = Journal()
    journal.note(1.0, Fact.START)
    for number in range(MOST_ENTRIES + 4):
        journal.note(number, Keys())
    async with opened("bash", home) as terminal:
        outcome = await terminal.run("true", wait=PATIENCE)
    assert len(journal.entries) == MOST_ENTRIES
    assert "  and 5 events more" in explain("x", outcome, journal, 0.0).splitlines()
