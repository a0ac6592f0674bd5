"""What a person would not have seen is said, and nothing else."""

# ruff: noqa: E501 - one case beside the other
from __future__ import annotations

import pytest

from truetty.text.unseen import CONCEALED, INVISIBLE, Unseen


def notes(data: bytes) -> tuple[str, ...]:
    unseen = Unseen()
    for at in range(len(data)):  # however it is cut
        unseen.feed(data[at : at + 1], "")
    unseen.feed(b"", data.decode())
    whole = Unseen()
    whole.feed(data, data.decode())
    assert whole.notes() == unseen.notes()
    return whole.notes()


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "char", ["\u200b", "\u202e", "\u2066", "\U000e0041", "\u200f", "\U000e0101", "\u3164", "\u00ad", "\ufeff"]
)
def test_invisible(char: str) -> None:
    assert notes(f"rm{char}x".encode()) == (INVISIBLE,)


@pytest.mark.parametrize(
    "text",
    ["plain", "\x1b[38;5;8mgrey", "\x1b[48;5;8;1mx", "\x1b[28m", "\x1b[38;2;8;8;8m", "\x1b[38:2::8:8:8m", "\x1b[31;40m", "\x1b[38;5;8;48;5;0m", "❤\ufe0f", "\x1b[8A", "👩\u200d🚀", "é 日本", "50%\r100%"],
)  # fmt: skip
def test_what_everybody_prints_is_no_news(text: str) -> None:
    assert notes(text.encode()) == ()
