"""Whether a line tells how far some work is. A program that leaves it unfinished will write it anew, and asks nothing.

Rule: only what measures is progress: a share, a speed, a bar, a row of dots, a spinner. Words prove nothing, for
      `Press Enter to continue...` is a question.
"""

from __future__ import annotations

from typing import Final

from truetty.core import lazy

_SHARE: Final = lazy.pattern(r"(?<![\w.@%-])\d{1,3}(?:[.,]\d+)? ?%(?!\w)")
_SPEED: Final = lazy.pattern(r"\d ?[kKMGT]?i?B(?:ytes)?/s\b")
_BAR: Final = lazy.pattern(r"\[[=#*>.\- ]{5,}\]|[━█▓▒░]{3}|#{5}")
_DOTS: Final = lazy.pattern(r"[.·…]+\Z")  # but `... ` is Python's prompt for the rest of a statement
_SPINNER: Final = lazy.pattern(r"\s*[\u2801-\u28ff]")
# Of a question, or of a shell's prompt, which may show a share too: of a battery, of a disk.
_ASKS: Final = lazy.pattern(r"\?|\b[yY](?:es)?/[nN]|[:$>#❯»]\s*\Z")
_BAR_ENDS: Final = lazy.pattern(r"[=\-]>\s*\Z|#{2}\s*\Z")


def is_progress(line: str) -> bool:
    if _DOTS.match(line) or _SPINNER.match(line):
        return True
    measures = any(pattern.search(line) for pattern in (_SHARE, _SPEED, _BAR))
    return measures and (_ASKS.search(line) is None or _BAR_ENDS.search(line) is not None)
