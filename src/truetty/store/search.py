"""Lines that a pattern is found in, with the lines around them: each line once, cut to a limit, all of them counted."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from truetty.store.part import Part


@dataclass(frozen=True, slots=True)
class Match:
    """A line that a pattern was found in."""

    line_number: int  # from 1
    line: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search has found. A line around two matches is in the first of them only: no line is there twice."""

    part: Part  # the lines as grep prints them, with their numbers
    matches: tuple[Match, ...]  # those in the part
    count: int  # of all lines that match


class Search:
    def __init__(self, context: int, limit: int, most: int) -> None:
        self._context = context
        self._limit = limit
        self._most = most
        self._before: deque[tuple[int, str, int]] = deque(maxlen=context)  # lines that a match may still want
        self._wanted_after = 0
        self._lines: list[str] = []
        self._size = 0
        self._matches: list[Match] = []
        self._count = 0
        self._omitted = 0
        self._gap: int | None = None  # where the first line stands that is not shown

    def feed(self, number: int, line: str, offset: int, matches: bool) -> None:
        """The next line; `offset` is where it begins."""
        if matches:
            self._count += 1
            full = len(self._matches) >= self._most
            before = [text for at, text, begin in self._before if self._show(at, text, begin, "-", full=full)]
            if self._show(number, line, offset, ":", full=full):
                self._matches.append(Match(number, line, tuple(before)))
            self._before.clear()
            self._wanted_after = self._context
        elif self._wanted_after:
            self._wanted_after -= 1
            if self._show(number, line, offset, "-") and self._matches:
                last = self._matches[-1]
                self._matches[-1] = replace(last, after=(*last.after, line))
        else:
            self._before.append((number, line, offset))

    def result(self) -> SearchResult:
        part = Part("".join(self._lines), self._omitted, None, self._gap)
        return SearchResult(part, tuple(self._matches), self._count)

    def _show(self, number: int, line: str, offset: int, sign: str, *, full: bool = False) -> bool:
        """Whether it is shown: once a line was left out, all further ones are."""
        text = f"{number}{sign}{line}\n"
        if self._gap is None and not full and self._size + len(text) <= self._limit:
            self._lines.append(text)
            self._size += len(text)
            return True
        if self._gap is None and not full and not self._size:  # one line that is longer than the limit: its beginning
            kept = max(0, self._limit - len(text) + len(line) + 1)
            self._lines.append(text[: self._limit])
            self._size, self._omitted, self._gap = self._limit, len(line) + 1 - kept, offset + kept
            return True
        self._omitted += len(line) + 1
        self._gap = offset if self._gap is None else self._gap
        return False
