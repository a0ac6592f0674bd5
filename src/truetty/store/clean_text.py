"""The clean text of a window: one pass over its bytes, shared by all readers.

Rule 1: each byte goes through the cleaner once, when a reader wants its text; the pass goes on where it stopped.
Rule 2: the last `MOST_IN_MEMORY` characters are held, and what a summary of the rest needs: memory does not grow
        with the output.
Rule 3: text that later bytes cannot change is settled, and is counted in `settled`; the rest is the tail.
"""

from __future__ import annotations

import copy
from collections import deque
from typing import Final, NamedTuple

from truetty.store.slices import Work
from truetty.store.transcript import Range
from truetty.store.window import Window
from truetty.text.clean import Cleaner
from truetty.text.digest import Budget, Digest, DigestResult, digest, tokens
from truetty.text.unseen import Unseen

MOST_IN_MEMORY: Final = 1 << 18  # characters: most outputs are held whole, and no second pass is ever made for them


class Summary(NamedTuple):
    """Clean text within a budget, the characters left out of it, lines and tokens of the whole, what to say of it."""

    text: str
    omitted: int
    lines: int
    tokens: int
    notes: tuple[str, ...] = ()


EMPTY: Final = Summary("", 0, 0, 0)  # of a window without a byte


class CleanText:
    def __init__(self, window: Window, budget: Budget) -> None:
        self._budget = budget  # the largest that a summary can be made for
        self.at = self._start = window.start
        self.settled = 0
        self.cleaner = Cleaner(*window.size)
        self._window = window
        self._holes: list[Range] = []  # those that were passed
        self._unseen = Unseen()
        self._pieces: deque[str] = deque()
        self._held_from = 0
        self._digest: Digest | None = None  # of all settled text, once it is more than is held
        self._tail: str | None = ""

    @property
    def stands(self) -> bool:
        """Whether nothing that was passed has changed since."""
        window = self._window
        cut = window.end is not None and window.end < self.at
        return not cut and window.start == self._start and self._passed() == self._holes

    @property
    def tail(self) -> str:
        """The text that later bytes may still change, as it stands now."""
        if self._tail is None:
            self._tail = self.cleaner.tail()
        return self._tail

    @property
    def characters(self) -> int:
        return self.settled + len(self.tail)

    @property
    def holds_all(self) -> bool:
        return not self._held_from

    def follow(self) -> Work[None]:
        """Go on to the end of what is there when the end is reached; while a program prints on, not for ever."""
        enough = self.at + 2 * (self._window.visible() - self.at)
        while self.stands and self.at < (end := self._window.whole_characters()):
            if self._window.end is None and self.at > enough:
                break
            self._advance(end)
            yield

    def since(self, offset: int) -> str | None:
        """The text from this character on; None if it begins before what is held."""
        if offset < self._held_from:
            return None
        return ("".join(self._pieces) + self.tail)[offset - self._held_from :]

    def summary(self, budget: Budget) -> Summary:
        """Clean text within a budget that is no larger than this pass's, and exact counts."""
        found = self.digest(budget)
        notes = self._unseen.notes()
        if invalid := self.cleaner.invalid:
            notes = (f"{invalid:,} bytes of the output are not UTF-8 and are shown as \ufffd", *notes)
        return Summary(found.text, found.omitted, found.lines, tokens(found.characters), notes)

    def digest(self, budget: Budget) -> DigestResult:
        """The whole text within a budget that is no larger than this pass's."""
        whole = self.since(0)
        if whole is not None:
            return digest(whole, budget)
        assert self._digest is not None
        kept = copy.deepcopy(self._digest)  # the tail may still change, so it must not stay in
        kept.feed(self.tail)
        return kept.result(budget)

    def _advance(self, end: int) -> None:
        """Go through one further portion."""
        for after, data in self._window.pieces(self.at, end):
            text, left = next(self.cleaner.portions(data))
            self._unseen.feed(data[: len(data) - left], text)
            self._hold(text)
            self.at = after - left
            break
        else:
            self.at = end  # a hole at the end gives no piece
        self._tail = None
        self._holes = self._passed()

    def _hold(self, text: str) -> None:
        if not text:
            return
        self.settled += len(text)
        self._pieces.append(text)
        if self._digest is not None:
            self._digest.feed(text)
        elif self.settled > MOST_IN_MEMORY:
            self._digest = Digest(self._budget)
            for piece in self._pieces:
                self._digest.feed(piece)
        while self.settled - self._held_from - len(self._pieces[0]) >= MOST_IN_MEMORY:
            self._held_from += len(self._pieces.popleft())

    def _passed(self) -> list[Range]:
        window = self._window
        holes = window.holes if window.screen is None else [*window.holes, window.screen]
        return [hole for hole in holes if hole[0] < self.at]
