"""Assertions that wait for a terminal, and what a failed one says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, opened
from truetty.testing import expect
from truetty.testing.expectation import MOST_SIGHTINGS, Sightings
from truetty.text.screen import Model

DRAW = r"printf 'one\n'; read -p 'Save it? ' x; printf '\033[2J\033[Hdone %s\n' $x; (exit 3)"


async def test_what_the_screen_shows(home: Path) -> None:
    async with opened("bash", home) as terminal:
        await terminal.start(DRAW)
        await expect(terminal, PATIENCE).to_show("Save it?")
        await expect(terminal, PATIENCE).to_show(re.compile(r"(?m)^one$"))
        await expect(terminal, PATIENCE).to_ask("Save")
        await expect(terminal, PATIENCE).to_ask(re.compile(r"it\? $"))
        await terminal.send("yes\n")
        await expect(terminal, PATIENCE).to_show(lambda screen: screen.lines[0] == "done yes")
        await expect(terminal, PATIENCE).not_to_show("Save it?")
        await expect(terminal, PATIENCE).to_finish(3)
        await expect(terminal, PATIENCE).to_finish(None)


async def test_what_a_failure_says(home: Path) -> None:
    async with opened("bash", home) as terminal:
        await terminal.start(DRAW)
        await expect(terminal, PATIENCE).to_ask()
        with pytest.raises(AssertionError) as failure:
            await expect(terminal, 0.1).to_show("Saved")
        said = str(failure.value).splitlines()
        assert said[0] == "the screen never showed 'Saved' (0.1 s)"
        assert "waits for input (line): 'Save it? ' output='" in said[1] and "printf" in said[1]
        assert said[1].endswith("Save it? '>")
        assert "screen, 120x30:" in said and any("│ Save it?" in line for line in said)
        with pytest.raises(AssertionError, match=re.escape("the screen still shows 'Save it?' (0.1 s)")):
            await expect(terminal, 0.1).not_to_show("Save it?")
        with pytest.raises(AssertionError, match=re.escape("nothing has asked with 'Delete' (0.1 s)")):
            await expect(terminal, 0.1).to_ask("Delete")
        await terminal.send("no\n")
        with pytest.raises(AssertionError, match="expected to finish with exit code 0"):
            await expect(terminal, PATIENCE).to_finish()


def test_what_was_seen_is_listed_by_its_last_line() -> None:
    model, seen = Model((40, 20)), Sightings()
    for number in range(MOST_SIGHTINGS + 2):
        model.feed(f"step {number}\r\n".encode())
        seen.note(model.screen())
        seen.note(model.screen())  # nothing has changed
    lines = seen.lines()
    assert seen.count == MOST_SIGHTINGS + 2 and lines[0] == "  2 earlier changes are left out"
    assert [line.split("s  ")[1] for line in lines[1:]] == [
        f"'step {number}'" for number in range(2, MOST_SIGHTINGS + 2)
    ]


async def test_what_expect_refuses(home: Path) -> None:
    with pytest.raises(truetty.Misuse, match="expect takes a terminal, not the number 5"):
        expect(5)  # type: ignore[call-overload]
    async with opened("bash", home) as terminal:
        with pytest.raises(truetty.Misuse, match="no command has run"):
            await expect(terminal).to_finish()
        with pytest.raises(truetty.Misuse, match="timeout must be 0 or more seconds"):
            expect(terminal, -1)


def test_the_same_blocks_for_a_blocking_terminal(home: Path) -> None:
    with truetty.sync.Terminal("bash", rc=False, env={"HOME": str(home)}) as terminal:
        terminal.start(DRAW)
        expect(terminal, PATIENCE).to_show("Save it?")
        expect(terminal, PATIENCE).to_ask("Save")
        terminal.send("yes\n")
        expect(terminal, PATIENCE).to_finish(3)
        expect(terminal, PATIENCE).not_to_show("Save it?")
        with pytest.raises(AssertionError, match="the screen never showed 'Saved'"):
            expect(terminal, 0.1).to_show("Saved")
