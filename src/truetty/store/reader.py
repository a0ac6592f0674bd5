"""A window on a transcript: the offsets of one command's output, and cursors that go through it as clean text.

Rule 1: a window holds offsets, never bytes.
Rule 2: our own marks inside it are holes; a mark of which only the beginning has arrived is not shown either.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from truetty.core.marks import OWN
from truetty.store.transcript import Span, Transcript
from truetty.text.clean import Cleaner
from truetty.text.digest import Budget, Digest
from truetty.text.lines import repeated

_OPENING: Final = b"\x1b]" + OWN + b";"
_LONGEST_MARK: Final = 256  # letter, secret, code and flags stay well under 200: what is longer is not ours
# Where bytes could not be kept: it ends a sequence that was cut, and keeps halves of two lines apart.
_SEAM: Final = b"\x18\r\n[\xe2\x80\xa6 %d bytes were not kept \xe2\x80\xa6]\r\n"
_STEP: Final = 1 << 16  # the cleaner is fastest on pieces that stay in the cache


class Window:
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
                    yield after, _SEAM % (after - gap)
                first = after

    def texts(self) -> Iterator[str]:
        """The clean text."""
        cleaner = Cleaner(*self.size)
        for _, data in self.pieces(self.start, self.visible()):
            yield cleaner.feed(data)
        yield cleaner.tail()


class Reader:
    """A cursor of its own on an output: gives clean text once."""

    def __init__(self, window: Window) -> None:
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


def _begun_character(last: bytes) -> int:
    """How many of these bytes are the beginning of a UTF-8 character whose rest is to come."""
    for count, byte in enumerate(reversed(last), 1):
        if byte >= 0xC0:
            return count if count < 2 + (byte >= 0xE0) + (byte >= 0xF0) else 0
        if byte < 0x80:
            break
    return 0
