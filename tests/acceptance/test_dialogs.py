"""Dialogs of whiptail and dialog: what is asked, and that the keys of the hint answer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, opened

COLOURS = "red 'like blood' green 'like grass' blue 'like sky'"
FRUIT = "a Apple on b Banana off c Cherry off"


@dataclass(frozen=True, slots=True)
class Dialog:
    """Its arguments; what is said of it; keys, and the exit code and the text that it then gives back."""

    arguments: str
    asks: str
    prompt: str
    choices: tuple[str, ...] = ()
    default: str | None = None
    keys: tuple[str, ...] = ("Enter",)
    code: int = 0
    answer: str = ""
    hint: str = "press Enter"

    def __str__(self) -> str:
        return self.arguments.split(" ")[0].strip("-")


DIALOGS = [
    Dialog(
        "--yesno 'Erase the disk?' 8 40",
        "yes-no",
        "Erase the disk?",
        ("Yes", "No"),
        "Yes",
        ("Tab", "Enter"),
        1,
        hint="Tab",
    ),
    Dialog("--defaultno --yesno 'Erase the disk?' 8 40", "yes-no", "Erase the disk?", ("Yes", "No"), "No", code=1),
    Dialog(
        f"--menu 'Which colour?' 15 40 3 {COLOURS}",
        "menu",
        "Which colour?",
        ("red", "green", "blue"),
        "red",
        ("Down", "Enter"),
        answer="green",
        hint="arrow keys",
    ),
    Dialog(
        f"--checklist 'Which ones?' 15 40 3 {FRUIT}",
        "menu",
        "Which ones?",
        ("a", "b", "c"),
        keys=("Down", "Space", "Enter"),
        answer="a b",
        hint="tick with Space",
    ),
    Dialog("--inputbox 'Your name?' 8 40 ada", "text", "Your name?", default="ada", answer="ada"),
    Dialog("--msgbox 'It is done, and well.' 8 40", "press-key", "It is done, and well."),
]


@pytest.mark.parametrize("program_name", ["whiptail", "dialog"])
@pytest.mark.parametrize("dialog", DIALOGS, ids=str)
async def test_what_a_dialog_asks(program_name: str, dialog: Dialog, home: Path, program: Callable[[str], str]) -> None:
    program(program_name)
    async with opened("bash", home, LC_ALL="C.UTF-8") as terminal:
        command = await terminal.start(f"{program_name} --title Disk {dialog.arguments} 2>{home}/answer")
        waiting = (await command.wait(PATIENCE)).waiting
        assert waiting is not None and waiting.program == program_name
        assert (waiting.asks, waiting.prompt, waiting.choices) == (dialog.asks, dialog.prompt, dialog.choices), waiting
        # In a list of dialog the cursor stands on a button: which option is taken is shown by colour alone.
        coloured = program_name == "dialog" and "--menu" in dialog.arguments
        assert waiting.default == (None if coloured else dialog.default)
        assert waiting.hint.startswith("in the dialog 'Disk': ") and dialog.hint in waiting.hint
        await command.press(*dialog.keys)
        outcome = await command.wait(PATIENCE, "finished")
        assert outcome.exit_code == dialog.code, outcome
        assert (home / "answer").read_text().replace('"', "").strip() == dialog.answer


@pytest.mark.parametrize("program_name", ["whiptail", "dialog"])
async def test_a_box_for_a_password(program_name: str, home: Path, program: Callable[[str], str]) -> None:
    program(program_name)
    async with opened("bash", home, LC_ALL="C.UTF-8") as terminal:
        command = await terminal.start(
            f"{program_name} --title Disk --passwordbox 'Your password?' 8 40 2>{home}/answer"
        )
        waiting = (await command.wait(PATIENCE)).waiting
        assert waiting is not None and (waiting.asks, waiting.prompt) == ("password", "Your password?")
        assert "a person" in waiting.hint
        await command.send("hunter2\r")
        outcome = await command.wait(PATIENCE, "finished")
        assert (outcome.exit_code, (home / "answer").read_text().strip()) == (0, "hunter2")


async def test_a_rule_does_not_press_the_wrong_button(home: Path, program: Callable[[str], str]) -> None:
    """In whiptail `n` is no key: the Enter behind it would press Yes."""
    program("whiptail")
    rules = [truetty.Reply("Erase", "n"), truetty.Reply("Go on", "")]
    async with truetty.Terminal("bash", env={"HOME": str(home), "LC_ALL": "C.UTF-8"}, replies=rules) as terminal:
        command = await terminal.start("whiptail --yesno 'Erase the disk?' 8 40")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting" and "not 'n'" in outcome.notes[0], outcome.notes
        await command.press("Tab", "Enter")
        assert (await command.wait(PATIENCE, "finished")).exit_code == 1
        outcome = await terminal.run("whiptail --yesno 'Go on?' 8 40", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
