"""The output of one command: a window on the terminal's transcript.

Rule 1: everything is read when asked for: running, finished or closed.
Rule 2: offsets of `read` count the program's bytes from the window's start, holes left out.
Rule 3: with a budget, `head` or `tail` no pass needs memory that grows with what was printed.
"""

from __future__ import annotations

import copy
import re
from bisect import insort
from collections import deque
from dataclasses import dataclass
from typing import Final, NamedTuple

from truetty.core.errors import Misuse
from truetty.store.reader import Reader, Window
from truetty.store.transcript import Transcript
from truetty.text.clean import Cleaner
from truetty.text.digest import Budget, Digest, Digested, digest, tokens
from truetty.text.lines import ends, numbered
from truetty.text.unseen import Unseen

_MARK_ROOM: Final = 70  # for what is said between two ends
_SMALL: Final = 1 << 18  # outputs up to this are gone through anew each time: a millisecond or two
_LONGEST_END: Final = 1 << 23  # a line of a gigabyte must not be in memory at once, even if it is the one asked for
_MOST_HOLES: Final = 1024  # two or three are usual; more marks than this are a program's doing, and its output

_Bytes = bytes  # inside `Output`, `bytes` is a property


@dataclass(frozen=True, slots=True)
class Match:
    """A line that a pattern was found in."""

    line_number: int  # from 1
    line: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class Summary(NamedTuple):
    """Clean text within a budget, the characters left out of it, lines and tokens of the whole, what to say of it."""

    text: str
    omitted: int
    lines: int
    tokens: int
    notes: tuple[str, ...] = ()


class _Survey:
    """A pass over a window that goes on where it stopped; what it holds is bounded by the budget."""

    def __init__(self, window: Window, budget: Budget) -> None:
        self.budget = budget
        self.at = window.start
        self._window = window
        self._cleaner = Cleaner(*window.size)
        self._unseen = Unseen()
        self._digest = Digest(budget)

    def advance(self, most: int) -> bool:
        """Go through about `most` further bytes; True when the end is reached."""
        end = self._window.visible()
        stop = min(end, self.at + most)
        for after, data in self._window.pieces(self.at, stop):
            text = self._cleaner.feed(data)
            self._unseen.feed(data, text)
            self._digest.feed(text)
            self.at = after
        self.at = max(self.at, stop)  # a hole at the end gives no piece
        return self.at >= end

    def result(self) -> Summary:
        kept = copy.deepcopy(self._digest)  # the tail may still change, so it must not stay in
        kept.feed(self._cleaner.tail())
        return _summary(kept.result(), self._cleaner, self._unseen)


class Output:
    """The output of one command: a window of a transcript without our own marks in it."""

    def __init__(self, transcript: Transcript, start: int, *, size: tuple[int, int] = (120, 30)) -> None:
        self._window = Window(transcript, start, size)
        self._reader: Reader | None = None
        self._survey: _Survey | None = None
        self._lines: int | None = None

    def restart(self, start: int) -> None:
        """The command's own output begins here, and grows until its end is told."""
        self._window.start = start
        self._window.end = None
        self._window.holes = [(max(first, start), last) for first, last in self._window.holes if last > start]
        self._forget(-1)

    def hole(self, start: int, end: int) -> None:
        """A mark of ours lies in [start, end)."""
        start = max(start, self._window.start)
        if start < end and len(self._window.holes) < _MOST_HOLES:
            insort(self._window.holes, (start, end))
            self._forget(start)

    def end(self, at: int | None) -> None:
        """Nothing from this offset on is of this command; None: it was not the end after all."""
        self._window.end = None if at is None else max(at, self._window.start)
        self._forget(-1 if at is None else at)

    def prepare(self, budget: Budget, most: int = 1 << 20) -> bool:
        """Do a part of the next `summary(budget)` now, since a gigabyte takes seconds; True when nothing is left."""
        return self._surveyed(budget).advance(most)

    def summary(self, budget: Budget) -> Summary:
        """Clean text within the budget and exact counts, in one pass over what no `prepare` has seen."""
        window, end = self._window, self._window.visible()
        if end - window.start <= _SMALL:
            cleaner = Cleaner(*window.size)
            data = b"".join([piece for _, piece in window.pieces(window.start, end)])
            text = cleaner.feed(data) + cleaner.tail()
            unseen = Unseen()
            unseen.feed(data, text)
            return _summary(digest(text, budget), cleaner, unseen)
        survey = self._surveyed(budget)
        survey.advance(end)
        result = survey.result()
        if window.end is not None:
            self._survey, self._lines = None, result.lines
        return result

    def _forget(self, since: int) -> None:
        """What was found out about bytes from this offset on holds no longer."""
        self._lines = None
        if self._survey is not None and self._survey.at > since:
            self._survey = None

    def _surveyed(self, budget: Budget) -> _Survey:
        if self._survey is None or self._survey.budget != budget:
            self._survey = _Survey(self._window, budget)
        return self._survey

    @property
    def bytes(self) -> int:
        """How many bytes the program has printed, those in a gap included."""
        return sum(last - first for first, last in self._window.whole())

    @property
    def lines(self) -> int:
        """Lines of the clean text; a last one without its newline counts."""
        count, last = self._lines, ""
        if count is None:
            count = 0
            for text in self._window.texts():
                count += text.count("\n")
                last = text[-1:] or last
            count += last not in ("", "\n")
        self._lines = None if self._window.end is None else count
        return count

    @property
    def path(self) -> str | None:
        """The file with the whole transcript; None while that is in memory."""
        return self._window.transcript.path

    @property
    def complete(self) -> bool:
        """Whether every byte printed so far is stored."""
        return not self.missing

    @property
    def missing(self) -> int:
        """How many bytes could not be stored."""
        gaps = self._window.transcript.gaps
        return sum(end - start for first, last in self._window.whole() for start, end in gaps(first, last))

    def raw(self) -> _Bytes:
        """The program's bytes as the pty gave them."""
        return self.read()

    def read(self, offset: int = 0, limit: int | None = None) -> _Bytes:
        """The bytes in [offset, offset + limit), those in a gap left out."""
        skip = max(0, offset)
        left = self._window.transcript.size if limit is None else max(0, limit)
        parts: list[_Bytes] = []
        for first, last in self._window.whole():
            begin = min(first + skip, last)
            skip -= begin - first
            stop = min(last, begin + left)
            left -= stop - begin
            parts.append(self._window.transcript.read(begin, stop - begin))
            if not left:
                break
        return b"".join(parts)

    def text(self, budget: int | Budget | None = None, head: int | None = None, tail: int | None = None) -> str:
        """Clean text: all of it, within a budget of characters, or only the first and the last lines of it."""
        if min(head or 0, tail or 0) < 0:
            raise Misuse("no number of lines is negative", head=head, tail=tail)
        within = None if budget is None else Budget.of(budget)
        if head is None and tail is None:
            return "".join(self._window.texts()) if within is None else self.summary(within).text
        if within is None:
            return ends(self._window.texts(), head or 0, tail or 0, _LONGEST_END)
        room = max(0, within.characters - _MARK_ROOM)
        return ends(self._window.texts(), head or 0, tail or 0, room // 2 if head and tail else room)

    def page(self, offset: int = 0, limit: int = 1 << 16) -> str:
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
        return "".join(parts)

    def unread(self, budget: int | Budget | None = None) -> str:
        """Clean text that this method has not given before."""
        self._reader = self._reader or Reader(self._window)
        return self._reader.unread(budget)

    @property
    def all_given(self) -> bool:
        """Whether `unread` has given everything there is."""
        return self._reader is not None and self._reader.behind() <= 0

    def reader(self) -> Reader:
        """Another cursor, at the start of the output."""
        return Reader(self._window)

    def grep(self, pattern: str | re.Pattern[str], context: int = 0, limit: int | None = None) -> list[Match]:
        """Lines that the pattern is found in, with `context` lines around each; at most `limit` of them."""
        try:
            search = re.compile(pattern).search
        except re.error as error:
            raise Misuse(f"not a regular expression: {error}", pattern=pattern, reason=str(error)) from error
        found: list[tuple[int, str, tuple[str, ...], list[str]]] = []
        before: deque[str] = deque(maxlen=max(0, context))
        lacking = 0  # how many of the last ones found still lack lines after them
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
        return [Match(number, line, above, tuple(after)) for number, line, above, after in found]


def _summary(shown: Digested, cleaner: Cleaner, unseen: Unseen) -> Summary:
    notes = unseen.notes()
    if cleaner.invalid:
        notes = (f"{cleaner.invalid:,} bytes of the output are not UTF-8 and are shown as \ufffd", *notes)
    return Summary(shown.text, shown.omitted, shown.lines, tokens(shown.characters), notes)
