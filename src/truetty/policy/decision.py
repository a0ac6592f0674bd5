"""What a policy says of a command line: a verdict, why, and the rule that said so.

Rule 1: the strictest part decides. A line is allowed only when every part of it is.
Rule 2: a reason is one sentence for a person, and shows nothing that could redraw the screen it is read on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from truetty.text.unseen import is_unseen

Verdict = Literal["allow", "ask", "deny"]

VERDICTS: Final[tuple[Verdict, ...]] = ("allow", "ask", "deny")  # from mild to strict


@dataclass(frozen=True, slots=True)
class Part:
    """One sub-command of a line, as it was understood, and what is said of it."""

    command: str
    verdict: Verdict
    reason: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """`suggestions` are texts of rules which, all together, would allow this very command the next time.

    `advice` says what would make it allowed, by rules or in other words. It is empty where the verdict is allow, or a
    deny by a rule.
    """

    verdict: Verdict
    reason: str
    rule: str | None
    command: str
    parts: tuple[Part, ...] = ()
    suggestions: tuple[str, ...] = ()
    advice: str = ""

    @property
    def allowed(self) -> bool:
        return self.verdict == "allow"


def strictest(first: Verdict, *others: Verdict) -> Verdict:
    return max((first, *others), key=VERDICTS.index)


def unseen(text: str) -> str | None:
    """The first character that a person would not see, or would see as a blank; tabs and newlines are no surprise."""
    return next((character for character in text if character not in "\t\n" and is_unseen(character)), None)
