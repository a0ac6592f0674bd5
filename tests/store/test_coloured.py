"""Colours of lines by their numbers."""

from __future__ import annotations

import pytest

from truetty.store.coloured import LAST, MOST_RUNS
from truetty.store.line_slice import LineSlice
from truetty.store.reads import Reads
from truetty.store.slices import finish
from truetty.store.transcript import Transcript
from truetty.store.window import Window


def sliced(data: bytes, first: int = 1, count: int = 500, tail: int = 0) -> LineSlice:
    transcript = Transcript()
    transcript.append(data)
    window = Window(transcript, 0)
    window.end_at(len(data))
    return finish(Reads(window).slice(first, count, tail, True))


RED = ((0, 3, "31"),)


def test_each_line_has_its_own() -> None:
    found = sliced(b"a\r\n\x1b[31mred\x1b[0m\r\n\r\n\x1b[1mb\r\nstill\x1b[0m\r\nc\r\n", count=4, tail=2)
    assert found.colours == ((), RED, (), ((0, 1, "1"),))
    assert found.tail_colours == (((0, 5, "1"),), ())


def test_far_behind_the_beginning_and_at_the_end() -> None:
    data = b"\x1b[31m" + b"".join(b"%d\r\n" % number for number in range(100_000)) + b"\x1b[0mend\r\n"
    found = sliced(data, first=50_000, count=2, tail=2)
    assert found.lines == ("49999", "50000")
    assert found.colours == (((0, 5, "31"),),) * 2
    lines = b"".join(b"x \x1b[32m%d\x1b[0m\r\n" % number for number in range(LAST // 8))
    assert sliced(lines, count=1, tail=2).tail_colours == (((2, 7, "32"),),) * 2


def test_lines_that_moves_have_drawn_do_not_mislead_the_others() -> None:
    moves = b"one\r\ntwo\r\n\x1b[2A\x1b[J"
    found = sliced(moves + b"\x1b[31mred\x1b[0m\r\nplain\r\n\x1b[31mred\x1b[0m\r\n")
    assert found.lines[-3:] == ("red", "plain", "red")
    assert found.colours[-3:] == (RED, (), RED)


@pytest.mark.parametrize("size", [500, 5000])
def test_an_answer_is_bounded(size: int) -> None:
    found = sliced(
        b"".join(b"\x1b[31ma\x1b[32mb" for _ in range(size)) + b"\r\n" + b"\x1b[31ma\x1b[0m\r\n" * 5000, count=2000
    )
    assert found.colours[0] == () and found.colours[1] == ((0, 1, "31"),)
    assert sum(map(len, found.colours)) <= MOST_RUNS


def test_without_being_asked_there_are_none() -> None:
    window = Window(Transcript(), 0)
    window.transcript.append(b"\x1b[31mred\x1b[0m\r\n")
    assert finish(Reads(window).slice(1, 5, 0)).colours == ()
