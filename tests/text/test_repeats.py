"""No REP costs more than a row, however it is written and cut; everything else is drawn as it came."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truetty.text.repeats import BoundedRepeats
from truetty.text.screen import Model
from truetty.text.sequences import LONGEST_SEQUENCE

COLUMNS = 20


class Drawn(Model):
    """Keeps what the emulator is given."""

    text = ""

    def _draw(self, text: str) -> None:
        self.text += text
        super()._draw(text)


def counts(text: str) -> Iterator[int]:
    """Of every REP, as a terminal reads them: character by character."""
    state, digits, first = "ground", "", True
    for char in text:
        if char == "\x1b":
            state, digits, first = "escape", "", True
        elif char == "\x9b" or (state == "escape" and char == "["):
            state, digits, first = "csi", "", True
        elif char in "\x18\x1a":
            state = "ground"
        elif char < " " or char == "\x7f":
            pass
        elif state == "csi" and " " <= char <= "?":
            first = first and char in "0123456789"
            digits += char if first else ""
        elif state == "csi":
            if char == "b":
                yield int(digits or "0")
            state = "ground"
        else:
            state = "ground"


PIECES = st.sampled_from(
    [
        *(
            "a",
            "漢",
            "e\u0301",
            "b",
            "\n",
            "\r",
            "\t",
            "\x07",
            "\x18",
            "\x1b",
            "[",
            "\x9b",
            "?",
            ";",
            ":",
            " ",
            "m",
            "H",
        ),
        *("0", "9", "9999", "\x1b[", "\x1b[9999b", "\x9b9999b", "\x1b[31m", "\x1b]0;title\x07", "\x1b[2J", "\x1b[19b"),
    ]
)


@given(st.lists(PIECES, max_size=40), st.lists(st.integers(0, 200), max_size=6))
def test_whatever_is_printed_no_repeat_is_more_than_a_row(pieces: list[str], cuts: list[int]) -> None:
    data = "".join(pieces).encode()
    whole, parts = Drawn((COLUMNS, 6)), Drawn((COLUMNS, 6))
    whole.feed(data)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in itertools.pairwise(edges):
        parts.feed(data[start:end])
    for model in (whole, parts):
        assert max(counts(model.text), default=0) <= COLUMNS
    assert (parts.screen().lines, parts.cursor) == (whole.screen().lines, whole.cursor)


@pytest.mark.parametrize(
    ("given", "drawn"),
    [
        ("a\x1b[9999b", "a\x1b[20b"),
        ("a\x9b9999b", "a\x1b[20b"),
        ("a\x1b[0009999;7b", "a\x1b[20;7b"),
        ("a\x1b[19b\x1b[b", "a\x1b[19b\x1b[b"),
        ("a\x1b[99\n99b", "a\n\x1b[20b"),
        ("a\x1b\n[9999b", "a\n\x1b[20b"),
        ("a\x1b[?9999b", "a\x1b[?9999b"),  # another sequence
        ("9999b\x1b[9999mb", "9999b\x1b[9999mb"),
        ("a\x1b[" + "9" * 5000 + "b", "a\x1b[20b"),
    ],
)
def test_a_repeat_is_bounded_and_nothing_else(given: str, drawn: str) -> None:
    assert BoundedRepeats().feed(given, COLUMNS) == drawn
    repeats = BoundedRepeats()
    assert "".join(repeats.feed(char, COLUMNS) for char in given) == drawn


def test_what_waits_for_its_end_is_bounded() -> None:
    repeats = BoundedRepeats()
    for _ in range(100):
        assert repeats.feed("\x1b[" if not repeats._cut else "9" * 100, COLUMNS) == ""
        assert len(repeats._cut) <= LONGEST_SEQUENCE
