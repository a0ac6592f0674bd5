"""Lines of a text that comes in pieces: numbered, compared, or only the first and the last of them.

Rule: none of these needs memory that grows with the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

LONGEST_LINE: Final = 1 << 20  # a line of a gigabyte must not be in memory at once: it comes in pieces


class NumberedLines:
    """Lines with their numbers; a line that is too long comes in pieces under one number."""

    def __init__(self) -> None:
        self._number = 1
        self._parts: list[str] = []
        self._size = 0

    def feed(self, text: str) -> Iterator[tuple[int, str]]:
        """Take the next piece; give the lines that it ends."""
        first, *others = text.split("\n")
        self._parts.append(first)
        self._size += len(first)
        for line in others:
            yield self._number, "".join(self._parts)
            self._number, self._parts, self._size = self._number + 1, [line], len(line)
        if self._size > LONGEST_LINE:
            yield from self.rest()
            self._parts, self._size = [], 0

    def rest(self) -> Iterator[tuple[int, str]]:
        """The last line, if it has no newline."""
        if last := "".join(self._parts):
            yield self._number, last


def repetition(text: str, before: str) -> int:
    """How much of the text is `before`: all of it, or the whole lines before the first change."""
    if text.startswith(before):
        return len(before)
    lines = zip(before.split("\n"), text.split("\n"), strict=False)
    return sum(len(line) + 1 for line, _ in takewhile(lambda pair: pair[0] == pair[1], lines))


class Ends:
    """The first `head` and the last `tail` lines, of each at most `most` characters; what is cut away is counted."""

    def __init__(self, head: int, tail: int, most: int) -> None:
        self._head, self._tail, self._most = head, tail, most
        self._wanted = head  # lines of the head still to come
        self._upper = self._lower = ""
        self._characters = self._newlines = 0

    def feed(self, text: str) -> bool:
        """Take the next piece; True when no later one can change the result."""
        most = self._most
        if self._wanted:
            parts = text.split("\n", self._wanted)
            self._wanted -= len(parts) - 1
            taken = len(text) if self._wanted else len(text) - len(parts[-1])
            self._upper += text[: min(taken, most - len(self._upper))]
            self._characters += taken
            self._newlines += text.count("\n", 0, taken)
            text = text[taken:]
        if self._tail:
            self._characters += len(text)
            self._newlines += text.count("\n")
            self._lower += text
            if len(self._lower) > 2 * most:
                self._lower = self._lower[len(self._lower) - most :]
        return not self._tail and not self._wanted

    def result(self) -> str:
        upper, most = self._upper, self._most
        lower = _last_lines(self._lower[max(0, len(self._lower) - most) :], self._tail)
        missing = self._characters - len(upper) - len(lower)
        whole = len(upper) < most and len(lower) < most  # only lines that were not asked for were cut away
        if not missing or (whole and not (self._head and self._tail)):
            return upper + lower
        hidden = self._newlines - upper.count("\n") - lower.count("\n")
        joint = "\n" if upper and not upper.endswith("\n") else ""
        return f"{upper}{joint}[… {missing:,} characters, {hidden:,} lines left out …]\n{lower}"


def _last_lines(text: str, count: int) -> str:
    at = len(text) - text.endswith("\n") if count else len(text) - 1
    for _ in range(count):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return text
    return text[at + 1 :]
