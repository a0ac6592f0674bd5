"""The interrupt key reaches its command, however early it is sent."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, SHELLS, assert_healthy, opened

TRIES = (8, pytest.param(250, marks=pytest.mark.long))
DELAYS = (0, 0.001, 0.002, 0.005, 0.02)


@pytest.mark.parametrize("tries", TRIES)
@pytest.mark.parametrize("text", ["sleep 1000", "(sleep 1000)", "true; sleep 1000 | cat"])
@pytest.mark.parametrize("shell", (*SHELLS, "mksh", "busybox"))
async def test_a_command_that_has_just_started_is_interrupted(shell: str, text: str, tries: int, home: Path) -> None:
    if shell == "fish":
        text = text.replace("(sleep 1000)", "begin; sleep 1000; end")
    async with opened(shell, home) as terminal:
        for number in range(tries * len(DELAYS)):
            command = await terminal.start(text)
            await asyncio.sleep(DELAYS[number % len(DELAYS)])
            await command.press("C-c")
            outcome = await command.wait(PATIENCE, "finished")
            assert outcome.state == "finished", outcome
            # A `cat` that starts after the key reads the end of its input, and ends with 0.
            assert outcome.exit_code == 130 or "cat" in text, outcome
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_loop_of_the_shell_itself_is_interrupted(shell: str, home: Path) -> None:
    text = "while true; end" if shell == "fish" else "while :; do :; done"
    async with opened(shell, home) as terminal:
        for delay in DELAYS:
            command = await terminal.start(text)
            await asyncio.sleep(delay)
            await command.press("C-c")
            outcome = await command.wait(PATIENCE, "finished")
            assert (outcome.state, outcome.exit_code in (2, 130)) == ("finished", True), outcome  # 2 is zsh's own
        await assert_healthy(terminal)
