"""Lines by their numbers."""

from __future__ import annotations

from truetty.store.line_slice import LONGEST, MOST, LineSlice, Slicer
from truetty.text.lines import NumberedLines


def sliced(text: str, first: int = 1, count: int = 500, tail: int = 0) -> LineSlice:
    slicer, numbered = Slicer(first, count, tail), NumberedLines()
    for number, line in [*numbered.feed(text), *numbered.rest()]:
        slicer.feed(number, line)
    return slicer.result()


TEN = "".join(f"{number}\n" for number in range(1, 11))


def test_the_first_and_the_last_lines() -> None:
    found = sliced(TEN, count=2, tail=3)
    assert found == LineSlice(1, ("1", "2"), 8, ("8", "9", "10"), 10, ())


def test_no_line_is_there_twice() -> None:
    assert sliced(TEN, count=8, tail=5) == LineSlice(1, tuple("12345678"), 9, ("9", "10"), 10, ())
    assert sliced(TEN, count=50, tail=5).tail == ()
    assert sliced(TEN, first=4, count=2, tail=50) == LineSlice(4, ("4", "5"), 6, ("6", "7", "8", "9", "10"), 10, ())


def test_lines_behind_the_end() -> None:
    assert sliced(TEN, first=11) == LineSlice(11, (), None, (), 10, ())
    assert sliced(TEN, first=11, tail=1) == LineSlice(11, (), 10, ("10",), 10, ())
    assert sliced(TEN, count=0, tail=1) == LineSlice(1, (), 10, ("10",), 10, ())
    assert sliced("") == LineSlice(1, (), None, (), 0, ())
    assert sliced("\n\na") == LineSlice(1, ("", "", "a"), None, (), 3, ())


def test_what_is_asked_for_is_bounded() -> None:
    many = "x\n" * (3 * MOST)
    found = sliced(many, count=10 * MOST, tail=10 * MOST)
    assert (len(found.lines), len(found.tail), found.total) == (MOST, MOST, 3 * MOST)


def test_a_long_line_is_cut_and_said_to_be() -> None:
    found = sliced(f"a\n{'b' * (3 << 20)}\nc")
    assert found.lines == ("a", "b" * LONGEST, "c")
    assert (found.cut, found.total) == ((2,), 3)
