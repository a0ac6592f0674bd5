"""Runs of equal and near-equal lines, folded with their count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truetty.text.folding import units


def fold(text: str) -> str:
    return "".join(unit.text for unit in units(text, len(text)))


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", ""),
        ("a\nb\n", "a\nb\n"),
        ("a\n" * 15, "a\n" * 15),  # the count would be longer
        ("a\n" * 50, "a\n[… the same line 49 more times …]\n"),
        ("x\n" + "a\n" * 1234 + "y", "x\na\n[… the same line 1,233 more times …]\ny"),
        (
            "job 1 of 9\njob 2 of 9\njob 3 of 9\njob 4 of 9\njob 5 of 9\nend\n",
            "job 1 of 9\n[… 3 lines like these …]\njob 5 of 9\nend\n",
        ),
        ("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n"),  # numbers are data
        (
            "".join(f"naïve and long {number}\n" for number in (1, 2, 3, 4)),
            "naïve and long 1\n[… 2 lines like these …]\nnaïve and long 4\n",
        ),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.lists(st.sampled_from(["a", "b 1", "b 2", "", "7", "8", "\x0c", "\u2028z"]), max_size=80).map("\n".join))
def test_fold_only_drops_lines_and_never_grows(text: str) -> None:
    folded = fold(text)
    rest = iter(text.split("\n"))
    assert all(line in rest for line in folded.split("\n") if not line.startswith("[… "))
    assert folded.endswith("\n") == text.endswith("\n")
    assert len(folded) <= len(text)


@given(st.text("ab1\n\r\x1cé", max_size=300), st.integers(60, 200))
def test_units_stand_for_all_of_the_text(text: str, longest: int) -> None:
    found = units(text, longest)
    assert sum(unit.original for unit in found) == len(text)
    assert sum(unit.lines for unit in found) == text.count("\n") + (text[-1:] not in ("", "\n"))
