"""What a verb of the service answers: facts, in one value for all of them; surfaces put them into words.

Rule: what an answer leaves out, it counts: `omitted` of what is visible is the number of characters that were asked for
      and are not there; of a read, `next_offset` is where the first of them stands.
"""

from __future__ import annotations

from dataclasses import dataclass

from truetty.core.outcome import Outcome
from truetty.service.notices import Notice
from truetty.store.part import Part
from truetty.store.search import Match


@dataclass(frozen=True, slots=True)
class Answer:
    outcome: Outcome  # how the command stands
    reached: str | None = None  # what the wait came back for: exit, input, match, idle or port
    part: Part | None = None  # what was asked for, where that is not the outcome's own text
    matches: tuple[Match, ...] | None = None  # of a search: the lines found that are in the part
    match_count: int | None = None  # how many lines were found in all
    notices: tuple[Notice, ...] = ()

    @property
    def visible(self) -> Part:
        """What of the output is in this answer."""
        return self.part or Part(self.outcome.output, self.outcome.omitted)
