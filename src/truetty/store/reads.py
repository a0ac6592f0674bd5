"""The reads of a window that may take long, each as work in slices: its text, a page of it, lines that match.

Rule 1: with a budget, `head` or `tail` no read needs memory that grows with what was printed.
Rule 2: a read covers what was there when it began.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import Final

from truetty.core.errors import Misuse
from truetty.store.reader import Reader
from truetty.store.slices import Work
from truetty.store.summary import Summaries, Summary
from truetty.store.window import PIECE, Window
from truetty.text.digest import Budget
from truetty.text.lines import Ends, numbered

_MARK_ROOM: Final = 70  # for what is said between two ends
_LONGEST_END: Final = 1 << 23  # a line of a gigabyte must not be in memory at once, even if it is the one asked for


@dataclass(frozen=True, slots=True)
class Match:
    """A line that a pattern was found in."""

    line_number: int  # from 1
    line: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class Reads:
    """Those of one window."""

    def __init__(self, window: Window) -> None:
        self.cursor = Reader(window)  # of `unread`
        self._window = window
        self._summaries = Summaries(window)

    def summary(self, budget: Budget) -> Work[Summary]:
        """Clean text within the budget, and exact counts."""
        return self._summaries.make(budget)

    def text(self, budget: int | Budget | None, head: int | None, tail: int | None) -> Work[str]:
        """Clean text: all of it, within a budget of characters, or only the first and the last lines of it."""
        if min(head or 0, tail or 0) < 0:
            raise Misuse("no number of lines is negative", head=head, tail=tail)
        within = None if budget is None else Budget.of(budget)
        if head is not None or tail is not None:
            return (yield from self._ends(within, head or 0, tail or 0))
        if within is not None:
            return (yield from self.summary(within)).text
        parts: list[str] = []
        for text in self._window.texts():
            parts.append(text)
            yield
        return "".join(parts)

    def page(self, offset: int, limit: int) -> Work[str]:
        """The characters [offset, offset + limit) of the clean text; "" behind its end."""
        if min(offset, limit) < 0:
            raise Misuse("no offset and no limit is negative", offset=offset, limit=limit)
        parts: list[str] = []
        for text in self._window.texts():
            if offset < len(text):
                parts.append(text[offset : offset + limit])
                limit -= len(parts[-1])
                if not limit:
                    break
            offset = max(0, offset - len(text))
            yield
        return "".join(parts)

    def unread(self, budget: int | Budget | None) -> Work[str]:
        """Clean text that this method has not returned before. It counts as read once all of it is made."""
        cursor = self.cursor.copy()
        text = yield from cursor.read(budget)
        self.cursor = cursor
        return text

    def lines(self) -> Work[int]:
        """Lines of the clean text; a last one without its newline counts."""
        count, last = 0, ""
        for text in self._window.texts():
            count += text.count("\n")
            last = text[-1:] or last
            yield
        return count + (last not in ("", "\n"))

    def grep(self, pattern: str | re.Pattern[str], context: int, limit: int | None) -> Work[list[Match]]:
        """Lines that the pattern is found in, with `context` lines around each; at most `limit` of them."""
        try:
            search = re.compile(pattern).search
        except re.error as error:
            raise Misuse(f"not a regular expression: {error}", pattern=pattern, reason=str(error)) from error
        found: list[tuple[int, str, tuple[str, ...], list[str]]] = []
        before: deque[str] = deque(maxlen=max(0, context))
        lacking = 0  # how many of the last ones found still lack lines after them
        searched = 0  # characters since the last slice ended
        for number, line in numbered(self._window.texts()):
            if lacking:
                for *_, after in found[-lacking:]:
                    after.append(line)
                lacking -= len(found[-lacking][3]) == context
            if limit is None or len(found) < limit:
                if search(line):
                    found.append((number, line, tuple(before), []))
                    lacking += context > 0
            elif not lacking:
                break
            before.append(line)
            searched += len(line) + 1
            if searched >= PIECE:
                searched = 0
                yield
        return [Match(number, line, above, tuple(after)) for number, line, above, after in found]

    def _ends(self, budget: Budget | None, head: int, tail: int) -> Work[str]:
        room = _LONGEST_END if budget is None else max(0, budget.characters - _MARK_ROOM)
        kept = Ends(head, tail, room // 2 if budget is not None and head and tail else room)
        for text in self._window.texts():
            if kept.feed(text):
                break
            yield
        return kept.result()
