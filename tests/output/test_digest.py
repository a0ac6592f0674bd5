"""Digests: never over the budget, always the end, exact counts, and the same in any pieces."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truetty.output.digest import SMALLEST, Digest, Digested, digest, fold

NUMBERS = "".join(f"line {number}\n" for number in range(1, 1001))
OMISSION = re.compile(r"\[… ([\d,]+) characters, ([\d,]+) lines? left out …\]\n")
CUT = re.compile(r"\[… ([\d,]+) characters(?: left out)? …\]")


def number(text: str) -> int:
    return int(text.replace(",", ""))


def test_text_within_the_budget_is_the_same_object() -> None:
    text = "a\nb\n" * 50
    result = digest(text, 200)
    assert result.text is text
    assert result == Digested(text, 0, 0, 200, 100)
    assert digest("", 200) == Digested("", 0, 0, 0, 0)
    assert digest("x", 200).lines == 1


def test_head_and_tail_and_exact_counts() -> None:
    result = digest(NUMBERS, 400)
    head, count, lines, tail = OMISSION.split(result.text)
    assert NUMBERS.startswith(head) and head.endswith("\n")
    assert NUMBERS.endswith(tail) and tail.startswith("line ")
    assert number(count) == result.omitted == len(NUMBERS) - len(head) - len(tail)
    assert number(lines) == result.omitted_lines == 1000 - head.count("\n") - tail.count("\n")
    assert result.characters == len(NUMBERS) and result.lines == 1000
    assert len(head) < len(tail) < len(result.text) <= 400


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0, 7.0, -1.0])
def test_any_share_leaves_room_for_the_last_line(share: float) -> None:
    result = digest(NUMBERS, 1000, share)
    assert result.text.endswith("line 1000\n")
    assert len(result.text) <= 1000
    assert result.text.startswith("line 1\n") == (share > 0)


def test_one_long_line_is_cut_in_its_middle() -> None:
    result = digest("a" * 5000 + "z" * 5000, 1000)
    front, count, back = CUT.split(result.text)
    assert front == "a" * len(front) and back == "z" * len(back)
    assert number(count) == result.omitted == 10_000 - len(front) - len(back)
    assert result.omitted_lines == 0
    assert "\n" not in result.text


def test_a_long_line_does_not_crowd_out_its_neighbours() -> None:
    text = "first\n" + "x" * 900 + "\nlast\n" + "".join(f"{line}\n" for line in range(100))
    result = digest(text, 1000)
    assert "first\n" in result.text and "last\n" in result.text
    ((count,),) = [found.groups() for found in CUT.finditer(result.text)]
    assert number(count) == result.omitted
    assert result.omitted_lines == 0


def test_the_end_of_a_last_line_longer_than_all() -> None:
    result = digest(NUMBERS + "y" * 5000 + "the end", 300)
    assert result.text.endswith("the end")
    assert len(result.text) <= 300


def test_memory_is_about_the_budget() -> None:
    whole = Digest(10_000)
    piece = "some line of text\n" * 100
    tracemalloc.start()
    try:
        for _ in range(3000):
            whole.feed(piece)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000
    assert whole.result().characters == 3000 * len(piece)


def test_one_line_is_a_line() -> None:
    text = NUMBERS + "x"
    assert digest(text, 10_000).lines == 1001
    shown = digest(text, len(text) - 1)
    assert "1 line left out" in shown.text or shown.omitted_lines > 1


@given(
    st.lists(st.one_of(st.text("ab \n", max_size=40), st.integers(1, 900).map(lambda size: "x" * size)), max_size=60),
    st.integers(SMALLEST, 900),
    st.floats(0, 1),
)
def test_whatever_comes(pieces: list[str], budget: int, share: float) -> None:
    text = "".join(pieces)
    result = digest(text, budget, share)
    assert len(result.text) <= budget
    assert result.characters == len(text)
    assert result.lines == len(text.splitlines())
    assert (result.omitted > 0) == (len(text) > budget)
    end = text.rstrip("\n").rpartition("\n")[2]
    assert result.text.rstrip("\n").endswith(end[-10:])
    # Every character is either shown or counted.
    marks = [number(found[1]) for pattern in (OMISSION, CUT) for found in pattern.finditer(result.text)]
    assert sum(marks) == result.omitted
    streamed = Digest(budget, share)
    for piece in pieces:
        streamed.feed(piece)
    assert streamed.result() == result


@given(st.text("ab\n", max_size=400), st.integers(0, SMALLEST))
def test_small_budgets_do_what_they_can(text: str, budget: int) -> None:
    result = digest(text, budget)
    assert result.characters == len(text)
    assert 0 <= result.omitted <= len(text)


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        Digest(-1)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", ""),
        ("a\nb\n", "a\nb\n"),
        ("a\na\na\n", "a\na\na\n"),
        ("a\n" * 5, "a\n[… the same line 4 more times …]\n"),
        ("x\n" + "a\n" * 1234 + "y", "x\na\n[… the same line 1,233 more times …]\ny"),
        (
            "job 1 of 9\njob 2 of 9\njob 3 of 9\njob 4 of 9\nend\n",
            "job 1 of 9\n[… 2 lines like these …]\njob 4 of 9\nend\n",
        ),
        ("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n"),  # numbers are data
        ("é 1\né 2\né 3\né 4", "é 1\n[… 2 lines like these …]\né 4"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.lists(st.sampled_from(["a", "b 1", "b 2", "", "7", "8"]), max_size=40).map("\n".join))
def test_fold_only_drops_lines(text: str) -> None:
    lines = fold(text).split("\n")
    rest = iter(text.split("\n"))
    assert all(line in rest for line in lines if not line.startswith("[… "))
    assert fold(text).endswith("\n") == text.endswith("\n")
