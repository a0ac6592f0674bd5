"""What a verb of the service answers: facts, in one value for all of them; surfaces put them into words.

Rule: what an answer leaves out, it counts. `omitted` is the number of characters of what was asked for that are not in
      `output`; of a read, `next_offset` is where the first of them stands: None exactly where nothing is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from truetty.core.outcome import Outcome
from truetty.service.notices import Notice
from truetty.store.search import Match


@dataclass(frozen=True, slots=True)
class Answer:
    outcome: Outcome  # how the command stands
    reached: str | None = None  # what the wait came back for: exit, input, match, idle or port
    output: str | None = None  # what was asked for, where that is not the outcome's own text
    omitted: int = 0  # of `output`
    offset: int | None = None  # where `output` begins in the command's whole output, in characters
    next_offset: int | None = None
    matches: tuple[Match, ...] | None = None  # of a search: the lines found that are in `output`
    match_count: int | None = None  # how many lines were found in all
    notices: tuple[Notice, ...] = ()

    @property
    def text(self) -> str:
        """What a program printed: what was asked for, else the outcome's."""
        return self.outcome.output if self.output is None else self.output

    @property
    def missing(self) -> int:
        """Characters that are not in `text`."""
        return self.outcome.omitted if self.output is None else self.omitted
