"""`terminal.screen()` on real programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, SHELLS, eventually, opened
from truetty.terminal import viewer


@pytest.mark.parametrize("shell", SHELLS)
async def test_what_a_person_sees(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        await terminal.run("echo hello", wait=PATIENCE)
        await terminal.run("printf '\\033]2;busy bee\\007'", wait=PATIENCE)
        command = await terminal.start("printf 'sure? '; head -1")
        await command.wait(PATIENCE)
        screen = terminal.screen()
        assert screen.size == (120, 30) and not screen.alternate
        assert "echo hello" in screen.text and screen.lines[screen.cursor[1]] == "sure?"
        assert screen.cursor[0] == 6
        assert any(line == "hello" for line in screen.lines)
        if shell != "fish":  # which sets it at every prompt and command
            assert screen.title == "busy bee"
        await command.send("y\n")
        await command.wait(PATIENCE)
        assert "sure? y" in (await terminal.screen()).text
    assert "sure? y" in terminal.screen().text  # as it was last


async def test_full_screen_programs_and_sizes(home: Path) -> None:
    (home / "poem").write_text("".join(f"line {number}\n" for number in range(500)))
    async with opened("bash", home) as terminal:
        command = await terminal.start(f"less {home}/poem")
        outcome = await command.wait(PATIENCE)
        assert outcome.waiting is not None and outcome.waiting.kind == "fullscreen"
        screen = terminal.screen()
        assert screen.alternate and screen.lines[0] == "line 0" and screen.lines[28] == "line 28"
        await command.press("G")
        await eventually(lambda: "line 499" in terminal.screen().text, "the end of the file on the screen")
        await terminal.resize(60, 10)
        assert terminal.screen().size == (60, 10)
        await eventually(lambda: terminal.screen().lines[8] == "line 479", "the page drawn anew")
        await command.press("q")
        await command.wait(PATIENCE, "finished")
        assert not terminal.screen().alternate and "line 499" not in terminal.screen().text


async def test_mc_reads_keys_itself_though_a_shell_waits_behind_it(home: Path, program: Callable[[str], str]) -> None:
    (home / "a file of mine").touch()
    async with opened("bash", home, TERM="xterm-256color") as terminal:
        command = await terminal.start(f"cd {home}; {program('mc')}")
        for key in ("down", "escape"):  # which is the first of two keys, or waits for a second
            outcome = await command.wait(PATIENCE)
            assert outcome.state == "waiting" and outcome.waiting is not None, outcome
            assert (outcome.waiting.kind, outcome.waiting.program, outcome.waiting.certain) == (
                "fullscreen",
                "mc",
                False,
            )
            await command.press(key)
        assert "a file of mine" in terminal.screen().text
        await command.press("0")  # escape and 0 are F10
        await command.wait(PATIENCE, "finished")


async def test_a_flood_does_not_make_a_look_long(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "REACH", 10_000)
    async with opened("bash", home) as terminal:
        await terminal.run("seq 1 20000", wait=PATIENCE)
        assert "20000" in terminal.screen().text
        await terminal.run("seq 1 40000", wait=PATIENCE)
        assert "40000" in terminal.screen().text and "20000" not in terminal.screen().text


async def test_before_it_is_open() -> None:
    with pytest.raises(truetty.Misuse, match="not open"):
        truetty.Terminal("bash").screen()


async def test_a_resize_between_two_looks(home: Path) -> None:
    async with opened("bash", home) as terminal:
        await terminal.resize(80, 20)
        terminal.screen()
        await terminal.resize(80, 40)
        await terminal.run("printf '\\033[35;1HBOTTOM'; sleep 0.1; head -1", wait=PATIENCE)
        assert terminal.screen().lines[34] == "BOTTOM"


@pytest.mark.parametrize("shell", SHELLS)
async def test_no_prompt_is_lost_when_commands_follow_at_once(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        await terminal.resize(100, 200)
        for number in range(20):
            await terminal.run(f"echo {number}", wait=PATIENCE)
        lines = terminal.screen().lines
        assert sum("echo" in line and not line.startswith("echo") for line in lines) == 20, terminal.screen().text
