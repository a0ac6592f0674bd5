"""The interrupt key reaches its command, however early it is sent."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, SHELLS, assert_healthy, opened
from truetty.until import Match

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


# A key that comes after a program of a loop has ended and before the shell is in front again reaches no process.
LOOP = "echo begun; i=0; while [ $i -lt 25000 ]; do sleep 0.001; i=$((i+1)); done"
LOOP_OF_FISH = "echo begun; for i in (seq 25000); sleep 0.001; end"


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_loop_of_short_programs_is_stopped(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        for _ in range(30):
            command = await terminal.start(LOOP_OF_FISH if shell == "fish" else LOOP)
            await command.wait(PATIENCE, Match("begun"))
            outcome = await command.stop()
            assert (outcome.state, outcome.notes) == ("finished", ()), outcome
            # Of a signal that came between two programs, `$?` of zsh and fish tells nothing.
            assert outcome.exit_code in ((0, 130) if shell in {"zsh", "fish"} else (130,)), outcome
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_what_comes_after_a_program_that_takes_the_key_is_stopped(shell: str, home: Path) -> None:
    taking = """sh -c 'trap "kill \\$!; exit 0" INT; sleep 1000 & echo begun; wait'"""
    loop = "while true; sleep 1000; end" if shell == "fish" else "while :; do sleep 1000; done"
    async with opened(shell, home) as terminal:
        command = await terminal.start(f"{taking}; {loop}")
        await command.wait(PATIENCE, Match("begun"))
        outcome = await command.stop()
        assert (outcome.state, outcome.exit_code, outcome.notes) == ("finished", 130, ()), outcome
        await assert_healthy(terminal)
