"""The reads of a window that may take long, each as work in slices: its text, a page of it, lines that match.

Rule 1: with a budget, `head` or `tail` no read needs memory that grows with what was printed.
Rule 2: an output that the shared pass can hold whole is cleaned by it, once, for every read. Of the outputs of one
        terminal that have ended, the one that was read last stays in memory so.
Rule 3: a read covers what was there when it began.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from truetty.core.errors import Misuse
from truetty.core.patterns import WINDOW, Pattern, searches
from truetty.store.clean_text import EMPTY, MOST_IN_MEMORY, CleanText, Summary
from truetty.store.coloured import coloured
from truetty.store.line_slice import LineSlice, Slicer
from truetty.store.part import Part
from truetty.store.reader import Reader
from truetty.store.search import Match, Search, SearchResult
from truetty.store.slices import Work
from truetty.store.window import PIECE, Window
from truetty.text.digest import SMALLEST_BUDGET, Budget
from truetty.text.lines import Ends, NumberedLines

PAGE_LENGTH: Final = 1 << 16  # characters
_BUDGET: Final = Budget()
_LINE_COST: Final = 150  # characters that are searched in the time that a line takes, however short
_MARK_ROOM: Final = 70  # for what is said between two ends
_LONGEST_END: Final = 1 << 23  # a line of a gigabyte must not be in memory at once, even if it is the one asked for


class Reads:
    """Those of one window."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._text: CleanText | None = None
        self._holders = 0
        self._budget = _BUDGET  # the largest that a summary was asked for, or will be
        self._total: int | None = None  # characters, once the output has ended
        self._lines: tuple[object, int] | None = None  # of the output that ended so; lines that a summary has counted
        self._cursor: Reader | None = None  # of `unread`; most outputs are never read by it
        self.on_read: Callable[[], None] | None = None  # called when `unread` has returned something

    @property
    def all_read(self) -> bool:
        """Whether `unread` has returned everything there is."""
        return self._cursor is not None and self._cursor.behind() <= 0

    @property
    def extent(self) -> tuple[int, int | None]:
        """Where in the transcript it begins and ends. No end: it goes on; twice the same: it has not begun."""
        return self._window.start, self._window.end

    @property
    def known_lines(self) -> int | None:
        """`lines` of an output that has ended, if a summary was made since then: nothing is read for this."""
        if self._window.is_empty:
            return 0
        return self._lines[1] if self._lines is not None and self._lines[0] == self._ended() else None

    def _ended(self) -> object:
        window = self._window
        return None if window.end is None else (window.start, window.end, len(window.holes), window.screen)

    @property
    def read_up_to(self) -> int | None:
        """Where in the transcript `unread` goes on. None: it was never called."""
        return None if self._cursor is None else self._cursor.at

    def read_on(self, at: int) -> None:
        """`unread` goes on there: what stands before was returned by a process before this one."""
        self._cursor = self.reader()
        self._cursor.go_to(at)

    def reader(self) -> Reader:
        """A cursor of its own, at the start of the output."""
        return Reader(self._window, self._shared)

    @contextmanager
    def hold(self, budget: Budget | None = None) -> Iterator[None]:
        """While inside, text that was made stays in memory after the output's end too, for those who read it next.

        `budget` is one that a summary will be asked for.
        """
        self._holders += 1
        self._allow_for(budget or _BUDGET)
        try:
            yield
        finally:
            self._holders -= 1
            self._release()

    def summary(self, budget: Budget) -> Work[Summary]:
        """Clean text within the budget, and exact counts."""
        if self._window.is_empty:
            return EMPTY
        self._allow_for(budget)
        found = (yield from self._pass()).summary(budget)
        if (ended := self._ended()) is not None:
            self._lines = ended, found.lines
        self._release()
        return found

    def _shared(self) -> CleanText:
        """The pass that all share."""
        if self._text is None or not self._text.stands:
            self._text = CleanText(self._window, self._budget)
        return self._text

    def _pass(self) -> Work[CleanText]:
        """The same, at the end of what is there."""
        text = self._shared()
        yield from text.follow()
        while not text.stands:  # the output begins or ends elsewhere than it seemed
            text = self._shared()
            yield from text.follow()
        return text

    def _allow_for(self, budget: Budget) -> None:
        """A summary within this budget will be asked for: if the pass holds too little text, a new one begins."""
        if budget.characters > self._budget.characters:
            self._budget = budget
            if self._text is not None and not self._text.holds_all:
                self._text = None

    def _release(self) -> None:
        if self._window.end is not None and not self._holders:
            if self._text is not None and self._text.holds_all:
                self._window.transcript.keep(self, self._window.end)
            else:
                self._text = None

    def forget(self) -> None:
        """Another output of this terminal was read."""
        if not self._holders:
            self._text = None

    def _texts(self) -> Work[Iterator[str]]:
        """The clean text, in pieces that are made when they are asked for."""
        if self._window.visible() - self._window.start > MOST_IN_MEMORY:
            return self._window.texts()
        text = (yield from self._pass()).since(0)
        self._release()
        if text is None:  # a few bytes can stand for a whole row
            return self._window.texts()
        return (text[at : at + PIECE] for at in range(0, len(text), PIECE))

    def text(self, budget: int | Budget | None = None, head: int | None = None, tail: int | None = None) -> Work[str]:
        """Clean text: all of it, within a budget of characters, or only the first and the last lines of it."""
        if min(head or 0, tail or 0) < 0:
            raise Misuse("no number of lines is negative", head=head, tail=tail)
        within = None if budget is None else Budget.of(budget)
        if head is not None or tail is not None:
            return (yield from self._ends(within, head or 0, tail or 0))
        if within is not None:
            return (yield from self.summary(within)).text
        parts: list[str] = []
        for text in (yield from self._texts()):
            parts.append(text)
            yield
        return "".join(parts)

    def page(self, offset: int = 0, limit: int = PAGE_LENGTH) -> Work[str]:
        """The characters [offset, offset + limit) of the clean text; "" behind its end."""
        if min(offset, limit) < 0:
            raise Misuse("no offset and no limit is negative", offset=offset, limit=limit)
        parts: list[str] = []
        for text in (yield from self._texts()):
            if offset < len(text):
                parts.append(text[offset : offset + limit])
                limit -= len(parts[-1])
                if not limit:
                    break
            offset = max(0, offset - len(text))
            yield
        return "".join(parts)

    def unread(self, budget: int | Budget | None, *, anew: bool = False) -> Work[Part]:
        """Clean text that this method has not returned before. It counts as read once all of it is made.

        `anew`: from the beginning, whatever was returned.
        """
        within = None if budget is None else Budget.of(budget)
        if self._cursor is not None and not anew:
            cursor = self._cursor.copy()
            part = yield from cursor.read(within)
        elif within is not None and within.characters >= SMALLEST_BUDGET:
            # All of it: the shared pass has its two ends, however long it is.
            self._allow_for(within)
            part = Part.of((yield from self._pass()).digest(within), 0)
            cursor = self.reader()
            cursor.catch_up()
        else:
            cursor = self.reader()
            part = yield from cursor.read(within)
        self._cursor = cursor
        self._release()
        if self.on_read is not None:
            self.on_read()
        return part

    def part(self, offset: int, limit: int) -> Work[Part]:
        """The characters [offset, offset + limit), and how many stand behind them."""
        text, total = yield from self._counted()
        held = text.since(offset) if text is not None else None
        page = held[:limit] if held is not None else (yield from self.page(offset, limit))
        omitted = max(0, total - offset - len(page))
        return Part(page, omitted, offset, offset + len(page) if omitted else None)

    def last(self, lines: int, limit: int) -> Work[Part]:
        """The last lines, of them the last `limit` characters."""
        first = max(0, (yield from self.lines()) - lines)
        number, begin, asked, kept = 0, 0, 0, ""
        for text in (yield from self._texts()):
            at = 0
            if number + (count := text.count("\n")) < first:
                number, at = number + count, len(text)
            else:
                while number < first:
                    number, at = number + 1, text.find("\n", at) + 1
            begin += at
            asked += len(text) - at
            kept = (kept + text[at:])[-limit:] if limit else ""
            yield
        omitted = asked - len(kept)
        return Part(kept, omitted, begin + omitted, begin if omitted else None)

    def search(self, pattern: Pattern, context: int, limit: int, most: int) -> Work[SearchResult]:
        """Lines that match, with those around them: at most `limit` characters and `most` matches, all counted."""
        found = Search(context, limit, most)
        at = last = 0

        def look(lines: Iterator[tuple[int, str]]) -> Work[None]:
            nonlocal at, last
            searched = 0
            for number, line in lines:
                at -= number == last  # a line that is too long comes in pieces, without a newline between
                found.feed(number, line, at, (yield from _is_found(pattern, line)))
                at, last = at + len(line) + 1, number
                searched += len(line) + _LINE_COST
                if searched >= WINDOW:
                    searched = 0
                    yield

        numbered = NumberedLines()
        for text in (yield from self._texts()):
            yield from look(numbered.feed(text))
            yield
        yield from look(numbered.rest())
        return found.result()

    def _counted(self) -> Work[tuple[CleanText | None, int]]:
        """How many characters there are; with the text that was made for it, if any was."""
        if self._total is not None and self._text is None:
            return None, self._total
        text = yield from self._pass()
        if self._window.end is not None:
            self._total = text.characters
        self._release()
        return text, text.characters

    def lines(self) -> Work[int]:
        """Lines of the clean text; a last one without its newline counts."""
        count, last = 0, ""
        for text in (yield from self._texts()):
            count += text.count("\n")
            last = text[-1:] or last
            yield
        return count + (last not in ("", "\n"))

    def slice(self, first: int, count: int, tail: int, colours: bool = False) -> Work[LineSlice]:
        """`count` lines from number `first` on, and the last `tail` lines."""
        found, numbered = Slicer(first, count, tail), NumberedLines()
        for text in (yield from self._texts()):
            for number, line in numbered.feed(text):
                found.feed(number, line)
            yield
        for number, line in numbered.rest():
            found.feed(number, line)
        return (yield from coloured(self._window, found.result())) if colours else found.result()

    def grep(self, pattern: str | re.Pattern[str], context: int = 0, limit: int | None = None) -> Work[list[Match]]:
        """Lines that the pattern is found in, with `context` lines around each; at most `limit` of them."""
        try:
            search = re.compile(pattern).search
        except re.error as error:
            raise Misuse(
                f"not a regular expression: {pattern!r}: {error}", pattern=pattern, reason=str(error)
            ) from error
        found: list[tuple[int, str, tuple[str, ...], list[str]]] = []
        before: deque[str] = deque(maxlen=max(0, context))
        lacking = 0  # how many of the last ones found still lack lines after them

        def look(lines: Iterator[tuple[int, str]]) -> Work[bool]:
            """Whether no later line is wanted."""
            nonlocal lacking
            searched = 0
            for number, line in lines:
                if lacking:
                    for *_, after in found[-lacking:]:
                        after.append(line)
                    lacking -= len(found[-lacking][3]) == context
                if limit is None or len(found) < limit:
                    if search(line):
                        found.append((number, line, tuple(before), []))
                        lacking += context > 0
                elif not lacking:
                    return True
                before.append(line)
                searched += len(line) + _LINE_COST
                if searched >= PIECE:
                    searched = 0
                    yield
            return False

        numbered = NumberedLines()
        for text in (yield from self._texts()):
            if (yield from look(numbered.feed(text))):
                break
            yield
        else:
            yield from look(numbered.rest())
        return [Match(number, line, above, tuple(after)) for number, line, above, after in found]

    def _ends(self, budget: Budget | None, head: int, tail: int) -> Work[str]:
        room = _LONGEST_END if budget is None else max(0, budget.characters - _MARK_ROOM)
        kept = Ends(head, tail, room // 2 if budget is not None and head and tail else room)
        for text in (yield from self._texts()):
            if kept.feed(text):
                break
            yield
        return kept.result()


def _is_found(pattern: Pattern, line: str) -> Work[bool]:
    for found in searches(pattern, line):
        if found:
            return True
        if len(line) > WINDOW:
            yield
    return False
