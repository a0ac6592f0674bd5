"""A cursor that goes through a window as clean text, and gives each part of it once."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

from truetty.store.clean_text import CleanText
from truetty.store.part import Part
from truetty.store.slices import Work, finish, in_slices
from truetty.store.window import PIECE, Window
from truetty.text.clean import Cleaner
from truetty.text.digest import Budget, Digest
from truetty.text.lines import repeated


class Reader:
    """A cursor of its own on an output: gives clean text once.

    It takes the text that the shared pass has made, or makes it there. Only a reader that has fallen behind what the
    pass holds, or has skipped bytes, cleans the rest itself.
    """

    def __init__(self, window: Window, shared: Callable[[], CleanText]) -> None:
        self._window = window
        self._shared = shared
        self.at: int = 0  # up to here in the transcript it was given
        self._settled: int | None = 0  # characters that cannot change and were given; None: unknown, bytes were skipped
        self._begin()

    def copy(self) -> Reader:
        """Another cursor at the same place."""
        twin = copy.copy(self)
        twin._cleaner = copy.deepcopy(self._cleaner)
        return twin

    def unread(self, budget: int | Budget | None = None) -> str:
        """Clean text not given yet. A line that changed after it was given comes again, whole."""
        return finish(self.read(budget)).text

    def read(self, budget: int | Budget | None = None) -> Work[Part]:
        """The same, in slices and counted; nobody else may use this cursor meanwhile."""
        self._begin_anew()
        shared = self._shared()
        yield from shared.follow()
        text = shared.since(self._settled) if self._settled is not None else None
        if text is not None:
            known = repeated(text, self._given)
            offset = None if self._settled is None else self._settled + known
            self._adopt(shared)
            return Part.within(text[known:], None if budget is None else Budget.of(budget), offset)
        return (yield from self._read_alone(None if budget is None else Budget.of(budget)))

    async def take(self, budget: Budget | None = None) -> Part:
        """The same, while others on the event loop have their turn. One that is cancelled has given nothing."""
        twin = self.copy()
        part = await in_slices(twin.read(budget))
        self._follow(twin)
        return part

    def catch_up(self) -> None:
        """All text that the shared pass has made so far counts as given."""
        self._begin_anew()
        self._adopt(self._shared())

    @property
    def end(self) -> int:
        """Where the output ends now, as a place for `behind` and `until`."""
        return self._window.visible()

    def behind(self, end: int | None = None) -> int:
        """How many bytes there are up to `end` that were not given yet."""
        self._begin_anew()
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
        self._cleaner, self._given, self._settled = Cleaner(*window.size), "", None
        return self.at - start

    def _begin(self) -> None:
        self._start = self.at = self._window.start
        self._cleaner = Cleaner(*self._window.size)
        self._given = ""  # that part of the text given before which may still change
        self._settled = 0

    def _begin_anew(self) -> None:
        if self._start != self._window.start:  # a later start mark came
            self._begin()

    def _follow(self, twin: Reader) -> None:
        self._start, self.at, self._cleaner = twin._start, twin.at, twin._cleaner
        self._given, self._settled = twin._given, twin._settled

    def _adopt(self, shared: CleanText) -> None:
        self.at, self._cleaner = shared.at, copy.deepcopy(shared.cleaner)
        self._given, self._settled = shared.tail, shared.settled

    def _read_alone(self, budget: Budget | None) -> Work[Part]:
        parts: list[str] = []
        kept = None if budget is None else Digest(budget)
        offset = self._settled
        for text in self._fresh():
            if kept is None:
                parts.append(text)
            else:
                kept.feed(text)
            yield
        return Part("".join(parts), 0, offset) if kept is None else Part.of(kept.result(), offset)

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
        window = self._window
        end = window.whole_characters() if upto is None else min(upto, window.whole_characters())
        for after, data in window.pieces(self.at, end):
            text = self._cleaner.feed(data)
            self.at = after
            if self._settled is not None:
                self._settled += len(text)
            yield text
        self._given = self._cleaner.tail()
        yield self._given
