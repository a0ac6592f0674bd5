"""The output of one command: a window on the terminal's transcript.

Rule 1: a window holds offsets, never bytes. Everything is read when asked for: running, finished or closed.
Rule 2: our own marks inside the window are holes: no method shows them. A mark of which only the beginning
        has arrived is not shown either.
Rule 3: offsets of `read` count the program's bytes from the window's start, holes left out.
Rule 4: with a budget, `head` or `tail` no pass needs memory that grows with what was printed.
"""

from __future__ import annotations

import copy
import re
from bisect import insort
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from truetty.core.errors import Misuse
from truetty.core.marks import OWN
from truetty.output.clean import Cleaner
from truetty.output.digest import Budget, Digest, Digested, digest, tokens
from truetty.output.lines import ends, numbered, repeated
from truetty.output.unseen import Unseen
from truetty.transcript import Span, Transcript

_OPENING: Final = b"\x1b]" + OWN + b";"
_LONGEST_MARK: Final = 256  # letter, secret, code and flags stay well under 200: what is longer is not ours
_SEAM: Final = b"\x18\r\n"  # at a gap: ends a sequence that was cut, and keeps halves of two lines apart
_STEP: Final = 1 << 16  # the cleaner is fastest on pieces that stay in the cache
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


class _Window:
    """The offsets, shared by an output and its readers."""

    def __init__(self, transcript: Transcript, start: int, size: tuple[int, int]) -> None:
        self.transcript = transcript
        self.start = start
        self.end: int | None = None
        self.holes: list[Span] = []
        self.size = size

    def visible(self) -> int:
        """The end, before what may be the beginning of a mark of ours."""
        if self.end is not None:
            return self.end
        size = self.transcript.size
        last = self.transcript.read(max(self.start, size - _LONGEST_MARK))
        begun = last[last.rfind(b"\x1b") :] if b"\x1b" in last else b""
        unfinished = _OPENING.startswith(begun) or (begun.startswith(_OPENING) and b"\x07" not in begun)
        return size - len(begun) if unfinished else size

    def spans(self, start: int, end: int) -> list[Span]:
        """[start, end) without its holes."""
        spans: list[Span] = []
        for first, last in self.holes:
            if start >= end:
                break
            if first > start:
                spans.append((start, min(first, end)))
            start = max(start, last)
        if start < end:
            spans.append((start, end))
        return spans

    def whole(self) -> list[Span]:
        return self.spans(self.start, self.visible())

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """The bytes for a cleaner, each piece with the offset after it."""
        for first, last in self.spans(start, end):
            for gap, after in (*self.transcript.gaps(first, last), (last, last)):
                for at in range(first, gap, _STEP):
                    stop = min(at + _STEP, gap)
                    yield stop, self.transcript.read(at, stop - at)
                if after > gap:
                    yield after, _SEAM
                first = after

    def texts(self) -> Iterator[str]:
        """The clean text."""
        cleaner = Cleaner(*self.size)
        for _, data in self.pieces(self.start, self.visible()):
            yield cleaner.feed(data)
        yield cleaner.tail()


class Reader:
    """A cursor of its own on an output: gives clean text once."""

    def __init__(self, window: _Window) -> None:
        self._window = window
        self.at = 0  # up to here in the transcript it was given
        self._begin()

    def unread(self, budget: int | Budget | None = None) -> str:
        """Clean text not given yet. A line that changed after it was given comes again, whole."""
        if self._start != self._window.start:  # a later start mark came
            self._begin()
        if budget is None:
            return "".join(self._fresh())
        kept = Digest(Budget.of(budget))
        for text in self._fresh():
            kept.feed(text)
        return kept.result().text

    @property
    def end(self) -> int:
        """Where the output ends now, as a place for `behind` and `until`."""
        return self._window.visible()

    def behind(self, end: int | None = None) -> int:
        """How many bytes there are up to `end` that were not given yet."""
        if self._start != self._window.start:
            self._begin()
        return (self._window.visible() if end is None else end) - self.at

    def until(self, end: int | None) -> str:
        """Clean text up to there that was not given yet."""
        return "".join(self._fresh(end))

    def skip(self, count: int) -> int:
        """Pass over so many bytes and the rest of the line they end in; returns how many that were."""
        window, start = self._window, self.at
        self.at = min(start + count, window.visible())
        data = window.transcript.read(self.at, min(_STEP, window.visible() - self.at))
        self.at += data.find(b"\n") + 1
        self._cleaner, self._given = Cleaner(*window.size), ""
        return self.at - start

    def _begin(self) -> None:
        self._start = self.at = self._window.start
        self._cleaner = Cleaner(*self._window.size)
        self._given = ""  # that part of the text given before which may still change

    def _fresh(self, end: int | None = None) -> Iterator[str]:
        texts, given, begun = self._texts(end), self._given, ""
        for text in texts:
            begun += text
            if len(begun) > len(given):
                break
        yield begun[repeated(begun, given) :]
        yield from texts

    def _texts(self, upto: int | None) -> Iterator[str]:
        """The text from the first character on that could still change the last time."""
        window, end = self._window, self._window.visible()
        end = end if upto is None else min(upto, end)
        if window.end is None:  # half a character must not be given as a wrong one and then again
            end -= _begun_character(window.transcript.read(max(self.at, end - 3), min(3, end - self.at)))
        for after, data in window.pieces(self.at, end):
            text = self._cleaner.feed(data)
            self.at = after
            yield text
        self._given = self._cleaner.tail()
        yield self._given


class _Survey:
    """A pass over a window that goes on where it stopped; what it holds is bounded by the budget."""

    def __init__(self, window: _Window, budget: Budget) -> None:
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
        self._window = _Window(transcript, start, size)
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
        return not any(self._window.transcript.gaps(first, last) for first, last in self._window.whole())

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
        most = _LONGEST_END if within is None else within.characters
        shown = ends(self._window.texts(), head or 0, tail or 0, most)
        return shown if within is None else digest(shown, within).text

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


def _begun_character(last: bytes) -> int:
    """How many of these bytes are the beginning of a UTF-8 character whose rest is to come."""
    for count, byte in enumerate(reversed(last), 1):
        if byte >= 0xC0:
            return count if count < 2 + (byte >= 0xE0) + (byte >= 0xF0) else 0
        if byte < 0x80:
            break
    return 0
