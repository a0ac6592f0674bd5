"""A part of an output, and how much of what was asked for is not in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from truetty.text.digest import SMALLEST_BUDGET, Budget, DigestResult, digest


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an output."""

    text: str
    omitted: int = 0  # characters of what was asked for that are not in `text`
    offset: int | None = None  # where what was asked for begins in the whole clean text; None: not known
    next_offset: int | None = None  # where the first of the omitted stands

    @classmethod
    def within(cls, text: str, budget: Budget | None, offset: int | None) -> Self:
        """The text, cut to the budget."""
        if budget is None or budget.holds(len(text), text.count("\n", 0, -1) + 1):
            return cls(text, 0, offset)
        if budget.characters < SMALLEST_BUDGET:  # there is no room for two ends and what stands between them
            cut = budget.characters
            return cls(text[:cut], len(text) - cut, offset, None if offset is None else offset + cut)
        return cls.of(digest(text, budget), offset)

    @classmethod
    def of(cls, found: DigestResult, offset: int | None) -> Self:
        gap = None if offset is None or found.gap is None else offset + found.gap
        return cls(found.text, found.omitted, offset, gap)
