"""How our mark is written, found when it is cut, and taken out. What is read of marks is in test_scanner.py."""

from __future__ import annotations

import random

import pytest

from truetty.core import marks
from truetty.core.scanner import Scanner
from truetty.core.signs import Hint, Mark

SECRET = "s" * 21
EVERY = [
    marks.encode("C", SECRET),
    marks.encode("M", SECRET),
    marks.encode("D", SECRET, "130", "himBHs"),
    marks.encode("P", SECRET, "0", ""),
    marks.encode("H", SECRET, "7"),
    marks.encode("2", SECRET),
    marks.encode("D", SECRET, "1", "himBHs", "n" * 21, "41", "{braceexpand:emacs:"),
]
LARGEST = marks.encode("D", "s" * 64, "9" * 10, "f" * 64, "n" * 64, "9" * 10, "o" * 500 + ";")


def read(data: bytes) -> Mark:
    (mark,) = Scanner().feed(data)
    assert isinstance(mark, Mark)
    return mark


@pytest.mark.parametrize("data", [*EVERY, LARGEST], ids=repr)
def test_what_is_written_is_read(data: bytes) -> None:
    mark = read(data)
    assert (mark.start, mark.end) == (0, len(data))
    assert data.startswith(marks.opening(mark.letter))
    spans = marks.secret_spans(mark)
    assert [data[first:last].decode() for first, last in spans] == [one for one in (mark.secret, mark.next) if one]


def test_the_secret_is_found_wherever_the_mark_lies() -> None:
    data = b"output\r\n" + marks.encode("D", SECRET, "0", "im")
    ((start, end),) = marks.secret_spans(read(data))
    assert data[start:end] == SECRET.encode()


def test_a_tty_that_prints_capitals_only_changes_no_secret() -> None:
    data = marks.encode("D", "00ab-c1", "3", "himBHs", "77de-f2", "12", "{emacs:history")
    mark = read(data.upper())
    assert (mark.secret, mark.next, mark.code, mark.commands) == ("00ab-c1", "77de-f2", 3, 12)


def test_a_script_writes_the_same_with_its_own_escapes() -> None:
    written = marks.text("P", SECRET, "$?", "$-", escape=r"\e", bell=r"\a")
    assert written == rf"\e]7717;P;{SECRET};$?;$-\a"
    assert marks.text("D", SECRET, "", bell="").encode() + b"0;\x07" == marks.encode("D", SECRET, "0", "")


@pytest.mark.parametrize("data", [*EVERY, LARGEST], ids=repr)
def test_every_half_is_known_as_one(data: bytes) -> None:
    assert len(data) <= marks.LONGEST
    for cut in range(1, len(data)):
        assert marks.half_length(data[:cut]) == cut
        assert marks.half_length(b"output\x1b[0m" + data[:cut]) == cut
        assert marks.half_length(data + data[:cut]) == cut
    assert marks.half_length(data) == 0


@pytest.mark.parametrize("data", [b"", b"output", b"\x1b[0m", b"\x1b]133;A", b"\x1b]7718;"], ids=repr)
def test_what_is_no_half(data: bytes) -> None:
    assert marks.half_length(data) == 0


def test_what_is_longer_than_any_mark_is_none() -> None:
    assert marks.half_length(marks.OPENING + b"x" * marks.LONGEST) == 0


def test_marks_are_taken_out_also_when_their_secret_was_blanked() -> None:
    chance = random.Random(7)
    output, data = b"", b""
    for number in range(200):
        piece = bytes(chance.choice(b"abc\r\n\x1b[]7;") for _ in range(chance.randrange(9))) + b"."
        mark = bytearray(chance.choice([*EVERY, LARGEST]))
        if number % 2:
            for first, last in marks.secret_spans(read(bytes(mark))):
                mark[first:last] = b"*" * (last - first)
        output, data = output + piece, data + piece + mark
    assert marks.strip(data) == output


def test_foreign_marks_and_longer_strings_are_not_taken_out() -> None:
    for data in (b"\x1b]133;A\x07", b"\x1b]7;file:///\x07", marks.OPENING + b"x" * marks.LONGEST + b"\x07", b"plain"):
        assert marks.strip(data) == data


def test_a_foreign_prompt_begins_as_said() -> None:
    (hint,) = Scanner().feed(marks.SEMANTIC_PROMPT + b"\x07")
    assert isinstance(hint, Hint)
    assert (hint.protocol, hint.letter) == ("133", "A")
