"""What a person would not have seen is said, and nothing else."""

# ruff: noqa: E501 - one case beside the other
from __future__ import annotations

import re

import pytest

from tests.rows import each_row
from truetty.policy.decision import unseen
from truetty.text.asciicast import Header, Writer
from truetty.text.unseen import COMMON, CONCEALED, HIDING, INVISIBLE, Unseen, is_unseen


def notes(data: bytes) -> tuple[str, ...]:
    unseen = Unseen()
    for at in range(len(data)):  # however it is cut
        unseen.feed(data[at : at + 1], "")
    unseen.feed(b"", data.decode())
    whole = Unseen()
    whole.feed(data, data.decode())
    assert whole.notes() == unseen.notes()
    return whole.notes()


@each_row(
    "data",
    [
        b"\x1b[8mtext",
        b"a\x1b[0;8m",
        b"\x1b[1;31;8mx",
        b"\x1b[08m",
        b"\x1b[30;40;8;1m",
        b"\x1b[9;8m",
        b"\x1b[38;5;1;8m",
        b"\x1b[38;2;0;0;0;8m",
        b"\x1b[53;8m",
        b"\x1b[4:3;8m",
        b"\x1b[008m",
        b"\x1b[8:0m",
        b"\x1b[30;40m",
        b"\x1b[97;107m",
        b"\x1b[38;5;7;48;5;7mx",
        b"\x1b[48;2;1;2;3;38;2;1;2;3m",
        b"\x1b[41;31m",
    ],
)
def test_concealed(data: bytes) -> None:
    assert notes(data) == (CONCEALED,)


@each_row(
    "char",
    [
        *("\u061c", "\u2028", "\u2029", "\u034f", "\u180e", "\u115f", "\u1160", "\uffa0", "\u17b4", "\ufff9"),
        *("\u200b", "\u202e", "\u2066", "\U000e0041", "\u200f", "\U000e0101", "\u3164", "\u00ad", "\ufeff"),
    ],
)
def test_invisible(char: str) -> None:
    assert notes(f"rm{char}x".encode()) == (INVISIBLE,)


@each_row(
    "text",
    ["plain", "\x1b[38;5;8mgrey", "\x1b[48;5;8;1mx", "\x1b[28m", "\x1b[38;2;8;8;8m", "\x1b[38:2::8:8:8m", "\x1b[31;40m", "\x1b[38;5;8;48;5;0m", "❤\ufe0f", "\x1b[8A", "👩\u200d🚀", "क्\u200dष", "⣾\u2800", "é 日本", "50%\r100%"],
)  # fmt: skip
def test_what_everybody_prints_is_no_news(text: str) -> None:
    assert notes(text.encode()) == ()


@pytest.mark.parametrize("ranges", [HIDING, COMMON])
def test_one_table_for_notes_recordings_and_policy(ranges: str) -> None:
    for first, last in re.findall("(.)(?:-(.))?", ranges):
        for character in {first, last or first}:
            assert is_unseen(character)
            assert unseen(f"ls {character}") == character
            assert character not in Writer(Header(3, (80, 24))).output(0, character.encode())
            assert bool(notes(character.encode())) == (ranges == HIDING)


def test_everything_on_a_keyboard_is_seen() -> None:
    assert not [character for character in map(chr, range(32, 127)) if is_unseen(character)]
    assert not [character for character in "éß漢€─█ñ…" if is_unseen(character)]
    assert all(map(is_unseen, "\0\x1b\x7f\x85\xa0\u3000\ue000"))
