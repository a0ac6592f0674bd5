"""What is a question to the terminal, and what only looks like one."""

from __future__ import annotations

from tests.rows import each_row
from truetty.core import queries
from truetty.core.scanner import Scanner
from truetty.core.signs import Query

QUESTIONS = [
    (b"\x1b[c", "DA1"),
    (b"\x1b[0c", "DA1"),
    (b"\x1b[>c", "DA2"),
    (b"\x1b[>0c", "DA2"),
    (b"\x1b[=c", queries.OTHER),
    (b"\x1b[>q", "XTVERSION"),
    (b"\x1b[>0q", "XTVERSION"),
    (b"\x1b[5n", "DSR"),
    (b"\x1b[6n", "CPR"),
    (b"\x1b[?6n", "DECXCPR"),
    (b"\x1b[?996n", queries.OTHER),
    (b"\x1b[?2026$p", "DECRQM 2026"),
    (b"\x1b[?25$p", queries.OTHER),
    (b"\x1b[?u", queries.OTHER),
    (b"\x1b[14t", queries.OTHER),
    (b"\x1b[18t", queries.OTHER),
    (b"\x1b]10;?\x07", "OSC 10 BEL"),
    (b"\x1b]11;?\x1b\\", "OSC 11 ST"),
    (b"\x1b]4;7;?\x07", queries.OTHER),
    (b"\x1b]10;?;?\x07", queries.OTHER),
    (b"\x1b]52;c;?\x07", queries.OTHER),
]
NO_QUESTIONS = [
    b"\x1b[u",  # the cursor goes back
    b"\x1b[>1u",  # a mode of the keyboard
    b"\x1b[2q",
    b"\x1b[2 q",
    b"\x1b[8;30;120t",
    b"\x1b[1t",
    b"\x1b[=1q",
    b"\x1b[22;0;0t",
    b"\x1b[1c",
    b"\x1b]11;#000000\x07",
    b"\x1b]52;c;aGk=\x07",
    b"\x1b[?1;2c",  # an answer
    b"\x1b[0n",
    b"\x1bPq#0\x1b\\",  # a picture
]


@each_row(("data", "name"), QUESTIONS)
def test_questions(data: bytes, name: str) -> None:
    assert list(Scanner().feed(data)) == [Query(0, len(data), name)]
    scanner = Scanner()
    assert [sign for at in range(len(data)) for sign in scanner.feed(data[at : at + 1])] == [Query(0, len(data), name)]


@each_row("data", NO_QUESTIONS)
def test_what_is_no_question(data: bytes) -> None:
    assert list(Scanner().feed(data)) == []


def test_a_capability_and_a_setting_are_asked_for_by_strings_of_any_length() -> None:
    """What is asked for is not read, so that no part of it can come back."""
    for data, name in ((b"\x1bP+q544e;524742\x1b\\", "XTGETTCAP"), (b"\x1bP$q q\x1b\\", "DECRQSS")):
        assert list(Scanner().feed(data)) == [Query(0, 4, name)]
