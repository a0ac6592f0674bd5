"""What a verb of the service answers: facts, in one value for all of them; surfaces put them into words.

Rule: an answer counts what it leaves out. `omitted` is the number of characters that were asked for and are not in it;
      of a read, `next_offset` is the offset of the first of them.
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
    reached: str | None = None  # what ended the wait: exit, input, match, idle or port
    part: Part | None = None  # what was asked for, where that is not the outcome's own text
    matches: tuple[Match, ...] | None = None  # of a search: the lines found that are in the part
    match_count: int | None = None  # how many lines were found in all
    notices: tuple[Notice, ...] = ()

    @property
    def visible(self) -> Part:
        """What of the output is in this answer."""
        return self.part or Part(self.outcome.output, self.outcome.omitted)
