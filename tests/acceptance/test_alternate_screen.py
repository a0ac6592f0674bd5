"""Last words and questions on the alternate screen, which a program took and did not leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, SHELLS, assert_healthy, opened
from truetty import events
from truetty.terminal.wire.span import ON_SCREEN

CRASH = """
import curses
print("before")
screen = curses.initscr()
curses.cbreak()
screen.addstr(0, 0, "a window")
screen.refresh()
raise ValueError("boom")
"""


@pytest.mark.parametrize("shell", SHELLS)
async def test_the_traceback_of_a_program_that_dies_there_is_output(shell: str, home: Path, tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text(CRASH)
    async with opened(shell, home) as terminal:
        for _ in range(2):  # the second on the screen that the first has left behind
            outcome = await terminal.run(f"python3 {tmp_path}/crash.py", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code) == ("finished", 1), outcome
            assert outcome.output.startswith("before\na window"), outcome.output
            assert "Traceback (most recent call last)" in outcome.output, outcome.output
            assert "ValueError: boom" in outcome.output, outcome.output
            assert ON_SCREEN in outcome.notes, outcome.notes
        await assert_healthy(terminal)


async def test_all_ways_to_read_the_output_have_the_last_words(home: Path) -> None:
    text = r"echo before; printf '\033[?1049hdrawn\033[H\033[2Jlast words\r\n'; sleep 0.3; (exit 3)"
    async with opened("bash", home) as terminal:
        command = await terminal.start(text)
        heard, unread = "", ""
        async for event in command.events():
            match event:
                case events.Output(text=piece):
                    heard += piece
                    unread += command.output.unread()
        outcome = await command.wait(PATIENCE)
        unread += command.output.unread()
        assert (outcome.exit_code, outcome.output, outcome.notes) == (3, "before\nlast words\n", (ON_SCREEN,)), outcome
        assert (heard, unread, command.output.text()) == (outcome.output,) * 3
        assert [match.line for match in command.output.grep("last")] == ["last words"]
        assert b"\x1b[?1049hdrawn" in command.output.raw()
        assert command.output.lines == 2


async def test_who_has_left_the_alternate_screen_has_shown_nothing_there(home: Path) -> None:
    async with opened("bash", home) as terminal:
        outcome = await terminal.run(r"printf 'a\r\n\033[?1049hgone\r\n\033[?1049lb\r\n'", wait=PATIENCE)
        assert (outcome.output, outcome.notes) == ("a\nb\n", ())


@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_a_question_after_it_is_no_full_screen(shell: str, home: Path) -> None:
    read = {"bash": "read -n 1 -p 'sure? ' x", "zsh": "read -k 1 'x?sure? '"}[shell]
    async with opened(shell, home) as terminal:
        await terminal.run(r"printf '\033[?1049hleft behind\n'", wait=PATIENCE)
        command = await terminal.start(read)
        outcome = await command.wait(PATIENCE)
        assert outcome.waiting is not None, outcome
        assert (outcome.waiting.kind, outcome.waiting.prompt) == ("key", "sure? ")
        await command.send("y")
        await command.wait(PATIENCE)
        await assert_healthy(terminal)


async def test_a_question_on_it_is_the_prompt(home: Path) -> None:
    async with opened("bash", home) as terminal:
        for leave in ("", "printf '\\033[?1049l'"):
            question = "printf '\\033[?1049h\\033[2J\\033[5;3H'; read -p 'Delete everything? [y/N] ' x"
            command = await terminal.start(f"{question}\n{leave}\necho got $x")
            outcome = await command.wait(PATIENCE)
            waiting = outcome.waiting
            assert waiting is not None and (waiting.kind, waiting.asks) == ("line", "yes-no"), outcome
            assert waiting.prompt.lstrip() == "Delete everything? [y/N] "
            await command.send("y\n")
            outcome = await command.wait(PATIENCE)
            shown = "" if leave else "Delete everything? [y/N] y\n"
            assert outcome.output.lstrip() == f"{shown}got y\n", outcome


async def test_a_secret_on_it_is_asked_for_by_its_name(home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start("printf '\\033[?1049h'; read -s -p 'Passphrase: ' x")
        outcome = await command.wait(PATIENCE)
        assert outcome.waiting is not None, outcome
        assert (outcome.waiting.kind, outcome.waiting.prompt, outcome.waiting.asks) == (
            "secret",
            "Passphrase: ",
            "passphrase",
        )
        await command.kill()
