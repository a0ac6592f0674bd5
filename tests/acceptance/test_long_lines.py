"""Lines that are longer than what the kernel keeps of one in line mode: refused or said, never cut in silence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, SHELLS, opened
from truetty.service import Service
from truetty.until import Match

LONGEST = 4095
RAW = """import os, tty; tty.setraw(0); print("go"); got = 0
while got < 10_000: got += len(os.read(0, 4096))
os.system("stty sane"); print("read", got)
"""


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_line_that_would_be_cut_is_refused(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start(f"cat >{home}/big")
        assert (await command.wait(PATIENCE)).state == "waiting"
        for send in (command.send, command.type, terminal.send):
            with pytest.raises(truetty.Misuse, match="press C-d after each") as refused:
                await send("one\n" + "y" * 10_000 + "\n")
            assert (refused.value.bytes, refused.value.limit) == (10_000, LONGEST)
        await command.send("z" * LONGEST + "\n" + "ä" * (LONGEST // 2) + "\n")
        await command.press("C-d")
        outcome = await command.wait(PATIENCE, "finished")
        assert outcome.notes == ()
        assert (home / "big").read_text() == "z" * LONGEST + "\n" + "ä" * (LONGEST // 2) + "\n"


async def test_a_line_in_parts_counts_as_one(home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start(f"cat >{home}/big")
        await command.wait(PATIENCE)
        await command.send("y" * 3000)
        with pytest.raises(truetty.Misuse):
            await command.send("y" * 3000 + "\n")
        await command.press("C-d")  # hands the first part to the program, which sees no end of the line
        await command.send("y" * 3000 + "\n")
        await command.press("C-d")
        await command.wait(PATIENCE, "finished")
        assert (home / "big").read_text() == "y" * 6000 + "\n"


async def test_much_text_in_lines_arrives_whole(home: Path) -> None:
    text = "".join(f"{line:04} {'x' * 90}\n" for line in range(4000))
    async with opened("bash", home) as terminal:
        command = await terminal.start(f"cat >{home}/big")
        await command.wait(PATIENCE)
        await command.send(text)
        await command.press("C-d")
        outcome = await command.wait(PATIENCE, "finished")
        assert outcome.notes == () and (home / "big").read_text() == text


async def test_who_reads_keys_gets_any_line(home: Path) -> None:
    (home / "raw.py").write_text(RAW)
    async with opened("bash", home) as terminal:
        command = await terminal.start(f"{sys.executable} {home}/raw.py")
        await command.wait(PATIENCE, Match("go"))
        await command.send("y" * 10_000)
        outcome = await command.wait(PATIENCE, "finished")
        assert outcome.output.endswith("read 10000\n") and outcome.notes == ()


async def test_sent_before_the_command_has_started(home: Path) -> None:
    """Its modes are not known yet: the line is typed, and what became of it is said."""
    async with opened("bash", home) as terminal:
        command = await terminal.start(f"cat >{home}/big")
        await command.send("y" * 10_000 + "\n\x04")
        outcome = await command.wait(PATIENCE, "finished")
        assert (home / "big").read_text() == "y" * LONGEST + "\n"
        assert any("a line of 10,000 bytes" in note for note in outcome.notes), outcome.notes


async def test_an_answer_that_was_cut(home: Path) -> None:
    terminal = truetty.Terminal("bash", env={"HOME": str(home)}, on_waiting=lambda waiting: "y" * 5000 + "\n")
    async with terminal:
        outcome = await terminal.run("read -p 'Name: ' x; echo ${#x}", wait=PATIENCE)
        assert outcome.state == "finished" and outcome.output.endswith(f"{LONGEST}\n")
        assert any("a line of 5,000 bytes" in note for note in outcome.notes), outcome.notes


async def test_a_service_refuses_it_before_anybody_is_asked(home: Path) -> None:
    async with Service(truetty.Registry(shell="bash", env={"HOME": str(home)})) as service:
        answer = await service.run(f"cat >{home}/big", wait=PATIENCE)
        with pytest.raises(truetty.Misuse, match="nothing was typed"):
            await service.send(answer.outcome.command_id, "y" * 5000, keys=["Enter"])
