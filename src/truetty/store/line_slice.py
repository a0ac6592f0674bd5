"""Lines of an output by their numbers: some from one line on, and the last ones.

Rule: memory is bounded by what is asked for: so many lines, each of so many characters.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

from truetty.text.colours import Run

LONGEST: Final = 20_000  # characters of a line; a longer one is cut
MOST: Final = 2000  # lines


@dataclass(frozen=True, slots=True)
class LineSlice:
    first: int  # the number of the first of `lines`, from 1
    lines: tuple[str, ...]
    tail_first: int | None  # the number of the first of `tail`; None: there is none
    tail: tuple[str, ...]  # the last lines, without those in `lines`
    total: int  # lines of the whole output so far
    cut: tuple[int, ...]  # the numbers of lines of which only the beginning is here
    colours: tuple[tuple[Run, ...], ...] = ()  # of each of `lines`, where they were asked for
    tail_colours: tuple[tuple[Run, ...], ...] = ()


class Slicer:
    def __init__(self, first: int, count: int, tail: int) -> None:
        self._first = max(1, first)
        self._end = self._first + min(count, MOST)  # the number behind the last of `lines`
        self._lines: list[str] = []
        self._tail: deque[str] = deque(maxlen=min(tail, MOST))
        self._total = 0
        self._cut: set[int] = set()

    def feed(self, number: int, line: str) -> None:
        """The next line, or another piece of the one before."""
        if len(line) > LONGEST or number == self._total:
            self._cut.add(number)
        if number == self._total:
            return
        self._total = number
        if self._first <= number < self._end:
            self._tail.clear()  # lines before these are no last ones
            self._lines.append(line[:LONGEST])
        elif self._tail.maxlen:
            self._tail.append(line[:LONGEST])

    def result(self) -> LineSlice:
        begin = self._total - len(self._tail) + 1
        shown = {*range(self._first, self._first + len(self._lines)), *range(begin, self._total + 1)}
        return LineSlice(
            first=self._first,
            lines=tuple(self._lines),
            tail_first=begin if self._tail else None,
            tail=tuple(self._tail),
            total=self._total,
            cut=tuple(sorted(self._cut & shown)),
        )
