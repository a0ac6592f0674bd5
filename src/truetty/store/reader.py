"""A cursor that goes through a window as clean text, and gives each part of it once."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from truetty.store.slices import Work, finish
from truetty.store.window import PIECE, Window
from truetty.text.clean import Cleaner
from truetty.text.digest import Budget, Digest
from truetty.text.lines import repeated


class Reader:
    """A cursor of its own on an output: gives clean text once."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self.at = 0  # up to here in the transcript it was given
        self._begin()

    def copy(self) -> Reader:
        """Another cursor at the same place."""
        return copy.deepcopy(self, {id(self._window): self._window})

    def unread(self, budget: int | Budget | None = None) -> str:
        """Clean text not given yet. A line that changed after it was given comes again, whole."""
        return finish(self.read(budget))

    def read(self, budget: int | Budget | None = None) -> Work[str]:
        """The same, in slices; nobody else may use this cursor meanwhile."""
        if self._start != self._window.start:  # a later start mark came
            self._begin()
        parts: list[str] = []
        kept = None if budget is None else Digest(Budget.of(budget))
        for text in self._fresh():
            if kept is None:
                parts.append(text)
            else:
                kept.feed(text)
            yield
        return "".join(parts) if kept is None else kept.result().text

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
        data = window.transcript.read(self.at, min(PIECE, window.visible() - self.at))
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
