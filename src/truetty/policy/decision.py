"""What a policy says of a command line: a verdict, why, and the rule that said so.

Rule 1: the strictest part decides. A line is allowed only when every part of it is.
Rule 2: a reason is one sentence for a person, and shows nothing that could redraw the screen it is read on.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

Verdict = Literal["allow", "ask", "deny"]

VERDICTS: Final[tuple[Verdict, ...]] = ("allow", "ask", "deny")  # from mild to strict

LONGEST_SHOWN: Final = 160  # characters: a reason must fit on a line or two

# Text that is not seen as it is: bidi controls and zero-width characters (Cf), separators, private use, unassigned.
UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


# Letters and marks that are drawn as nothing or as a blank; then ranges of them, variation selectors above all.
_BLANK: Final = frozenset(map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)))
_BLANK_RANGES: Final = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF), (0x180B, 0x180F))


@dataclass(frozen=True, slots=True)
class Part:
    """One sub-command of a line, as it was understood, and what is said of it."""

    command: str
    verdict: Verdict
    reason: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """`suggestions` are texts of rules which, all together, would allow this very command the next time."""

    verdict: Verdict
    reason: str
    rule: str | None
    command: str
    parts: tuple[Part, ...] = ()
    suggestions: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        return self.verdict == "allow"


def strictest(first: Verdict, *others: Verdict) -> Verdict:
    return max((first, *others), key=VERDICTS.index)


def shown(text: str) -> str:
    """The text as a person may read it: one line, cut, every unseen character spelled out."""
    text = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
    return "".join(_spelled(character) for character in text)


def unseen(text: str) -> str | None:
    """The first character that a person would not see, or would see as a blank; tabs and newlines are no surprise."""
    for character in text:
        if character in "\t\n " or (character.isascii() and character.isprintable()):
            continue
        if _is_unseen(character):
            return character
    return None


def _spelled(character: str) -> str:
    if character == "\n":
        return "⏎"
    return f"<U+{ord(character):04X}>" if _is_unseen(character) else character


def _is_unseen(character: str) -> bool:
    category = unicodedata.category(character)
    if category in UNSEEN or (category == "Zs" and character != " ") or character in _BLANK:
        return True
    return any(first <= ord(character) <= last for first, last in _BLANK_RANGES)
