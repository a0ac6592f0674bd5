"""A program we know nothing of gets the text as it is."""

from __future__ import annotations

import shutil
import sys

import pytest

from tests.shells.conftest import Open
from truetty.shells.row import HealRequest


@pytest.mark.parametrize(
    ("program", "text", "answer"),
    [
        ([sys.executable, "-q"], "print(40 + 2)", b"42\r\n"),
        ([sys.executable, "-q"], "for i in (4, 2):\n    print(i)\n\n", b"4\r\n2\r\n"),
        (["cat"], "two\nlines", b"two\r\nlines\r\n"),
        (["node"], "40 + 2", b"42"),
    ],
    ids=str,
)
def test_text_is_typed(program: list[str], text: str, answer: bytes, open_session: Open) -> None:
    assert shutil.which(program[0])
    session = open_session(program, ready=False)
    assert session.shell.name == "plain"
    assert not session.shell.has_marks
    if program[0] != "cat":
        session.text(b"> ")
    started = session.start(text)
    session.text(answer, started.since)


def test_nothing_is_promised(open_session: Open) -> None:
    session = open_session(["cat"], ready=False)
    assert session.shell.recipe.heal(HealRequest("/f", "_tt_n", 1, "s", "k")) is None
    assert session.shell.clears_line == b""
    assert session.shell.prompt_start(b"> ") is None
