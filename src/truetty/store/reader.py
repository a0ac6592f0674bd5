"""A cursor that goes through a window as clean text, and gives each part of it once."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from truetty.store.clean_text import CleanText
from truetty.store.part import Part
from truetty.store.slices import Work, finish, in_slices
from truetty.store.window import PIECE, Window
from truetty.text.clean import Cleaner
from truetty.text.digest import Budget, Digest
from truetty.text.lines import repetition


@dataclass(slots=True)
class ReadPosition:
    """How far a cursor has come."""

    start: int  # of the window, when it began
    at: int  # up to here in the transcript it was given
    cleaner: Cleaner
    tail: str = ""  # that part of the text given before which may still change
    settled: int | None = 0  # characters before that part; None: unknown, since bytes were skipped
    screen: bool = False  # the alternate screen is shown, on which the command has ended


class Reader:
    """A cursor of its own on an output: gives clean text once.

    It takes the text that the shared pass has made, or makes it there. Only a reader that has fallen behind what the
    pass holds, or has skipped bytes, cleans the rest itself.
    """

    def __init__(self, window: Window, shared: Callable[[], CleanText], position: ReadPosition | None = None) -> None:
        self._window = window
        self._shared = shared
        self.position = position or self._beginning()

    @property
    def at(self) -> int:
        """Up to here in the transcript it was given."""
        return self.position.at

    def copy(self) -> Reader:
        """Another cursor at the same position."""
        return Reader(self._window, self._shared, replace(self.position, cleaner=copy.deepcopy(self.position.cleaner)))

    def unread(self, budget: int | Budget | None = None) -> str:
        """Clean text not given yet. A line that changed after it was given comes again, whole."""
        return finish(self.read(budget)).text

    def read(self, budget: int | Budget | None = None) -> Work[Part]:
        """The same, in slices and counted; no other task may use this cursor meanwhile."""
        within = None if budget is None else Budget.of(budget)
        self._begin_anew()
        shared = self._shared()
        yield from shared.follow()
        settled, tail = self.position.settled, self.position.tail
        text = shared.since(settled) if settled is not None and shared.stands else None
        if settled is None or text is None:
            return (yield from self._read_alone(within))
        known = repetition(text, tail)
        self._adopt(shared)
        return Part.within(text[known:], within, settled + known)

    async def take(self, budget: Budget | None = None) -> Part:
        """The same, while other tasks of the event loop have their turn. One that is cancelled has returned nothing."""
        twin = self.copy()
        part = await in_slices(twin.read(budget))
        self.position = twin.position
        return part

    def catch_up(self) -> None:
        """All text that the shared pass has made so far counts as given."""
        self._begin_anew()
        self._adopt(self._shared())

    @property
    def end(self) -> int:
        """Where the output ends now, as a position for `behind` and `until`."""
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
        window, begin = self._window, self.at
        at = min(begin + count, window.visible())
        at += window.transcript.read(at, min(PIECE, window.visible() - at)).find(b"\n") + 1
        self.go_to(at)
        return at - begin

    def go_to(self, at: int) -> None:
        """The bytes before that place are passed over."""
        cleaner = Cleaner(*self._window.size)
        self.position = replace(self.position, at=at, cleaner=cleaner, tail="", settled=None)

    def _beginning(self) -> ReadPosition:
        return ReadPosition(self._window.start, self._window.start, Cleaner(*self._window.size))

    def _begin_anew(self) -> None:
        window, position = self._window, self.position
        if position.start != window.start:  # a later start mark came
            self.position = self._beginning()
        elif window.screen is not None and not position.screen:
            position.screen = True
            if position.at > window.screen[0]:  # of what it has passed since, nothing was text until now
                cleaner = Cleaner(*window.size)
                self.position = ReadPosition(position.start, window.screen[0], cleaner, settled=None, screen=True)

    def _adopt(self, shared: CleanText) -> None:
        """Go where the shared pass is. Its cleaner is copied only where more bytes may come for it."""
        ended = self._window.end is not None
        cleaner = Cleaner(*self._window.size) if ended else copy.deepcopy(shared.cleaner)
        start, screen = self.position.start, self._window.screen is not None
        self.position = ReadPosition(start, shared.at, cleaner, shared.tail, shared.settled, screen)

    def _read_alone(self, budget: Budget | None) -> Work[Part]:
        parts: list[str] = []
        kept = None if budget is None else Digest(budget)
        offset = self.position.settled
        for text in self._fresh():
            if kept is None:
                parts.append(text)
            else:
                kept.feed(text)
            yield
        return Part("".join(parts), 0, offset) if kept is None else Part.of(kept.result(), offset)

    def _fresh(self, end: int | None = None) -> Iterator[str]:
        texts, before, begun = self._texts(end), self.position.tail, ""
        for text in texts:
            begun += text
            if len(begun) > len(before):
                break
        yield begun[repetition(begun, before) :]
        yield from texts

    def _texts(self, upto: int | None) -> Iterator[str]:
        """The text from the first character on that could still change the last time."""
        window = self._window
        end = window.whole_characters() if upto is None else min(upto, window.whole_characters())
        position = self.position
        for after, data in window.pieces(position.at, end):
            for text, left in position.cleaner.portions(data):
                position.at = after - left
                if position.settled is not None:
                    position.settled += len(text)
                yield text
        position.tail = position.cleaner.tail()
        yield position.tail
