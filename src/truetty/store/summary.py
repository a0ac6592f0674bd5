"""A window's clean text within a budget, with exact counts.

Rule: one pass over the bytes, which goes on where it stopped; what it holds is bounded by the budget.
"""

from __future__ import annotations

import copy
from typing import Final, NamedTuple

from truetty.store.slices import Work
from truetty.store.transcript import Span
from truetty.store.window import PIECE, Window
from truetty.text.clean import Cleaner
from truetty.text.digest import Budget, Digest, Digested, digest, tokens
from truetty.text.unseen import Unseen

_SMALL: Final = 1 << 18  # outputs up to this are gone through anew each time: a millisecond or two


class Summary(NamedTuple):
    """Clean text within a budget, the characters left out of it, lines and tokens of the whole, what to say of it."""

    text: str
    omitted: int
    lines: int
    tokens: int
    notes: tuple[str, ...] = ()


class Survey:
    """One pass over a window."""

    def __init__(self, window: Window, budget: Budget) -> None:
        self.budget = budget
        self._window = window
        self.at = self._start = window.start
        self._holes: list[Span] = []  # those that were passed
        self._cleaner = Cleaner(*window.size)
        self._unseen = Unseen()
        self._digest = Digest(budget)

    @property
    def stands(self) -> bool:
        """Whether nothing that was passed has changed since."""
        window = self._window
        cut = window.end is not None and window.end < self.at
        return not cut and window.start == self._start and self._passed() == self._holes

    def advance(self) -> bool:
        """Go through one further piece; True when the end is reached."""
        end = self._window.visible()
        for after, data in self._window.pieces(self.at, end):
            text = self._cleaner.feed(data)
            self._unseen.feed(data, text)
            self._digest.feed(text)
            self.at = after
            break
        else:
            self.at = max(self.at, end)  # a hole at the end gives no piece
        self._holes = self._passed()
        return self.at >= end

    def result(self) -> Summary:
        kept = copy.deepcopy(self._digest)  # the tail may still change, so it must not stay in
        kept.feed(self._cleaner.tail())
        return _summary(kept.result(), self._cleaner, self._unseen)

    def _passed(self) -> list[Span]:
        return [hole for hole in self._window.holes if hole[0] < self.at]


class Summaries:
    """Those of one window; a pass that was begun is kept for the next one with the same budget."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._survey: Survey | None = None

    def make(self, budget: Budget) -> Work[Summary]:
        """The summary of what is there when the pass reaches the end."""
        window = self._window
        if window.visible() - window.start <= _SMALL:
            return self._small(budget)
        survey = self._begun(budget)
        slices = 2 * (window.visible() - survey.at) // PIECE  # a program that prints for ever must not keep us for ever
        while not survey.advance():
            slices -= 1
            if slices > 0:
                yield
            survey = self._begun(budget)
        result = survey.result()
        if window.end is not None:
            self._survey = None  # an outcome is made once
        return result

    def _small(self, budget: Budget) -> Summary:
        window = self._window
        cleaner, unseen = Cleaner(*window.size), Unseen()
        data = b"".join([piece for _, piece in window.pieces(window.start, window.visible())])
        text = cleaner.feed(data) + cleaner.tail()
        unseen.feed(data, text)
        return _summary(digest(text, budget), cleaner, unseen)

    def _begun(self, budget: Budget) -> Survey:
        if self._survey is None or self._survey.budget != budget or not self._survey.stands:
            self._survey = Survey(self._window, budget)
        return self._survey


def _summary(shown: Digested, cleaner: Cleaner, unseen: Unseen) -> Summary:
    notes = unseen.notes()
    if cleaner.invalid:
        notes = (f"{cleaner.invalid:,} bytes of the output are not UTF-8 and are shown as \ufffd", *notes)
    return Summary(shown.text, shown.omitted, shown.lines, tokens(shown.characters), notes)
