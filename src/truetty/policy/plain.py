"""Whether a text is plain: it holds nothing that shells and parsers are known to read differently.

Rule 1: this knows no grammar and looks at the raw text. What is not plain may be asked or denied, never allowed.
Rule 2: a comment or here-document that looks like one in quotes counts too. A text without it is easy to write.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from truetty.core import lazy

# A backslash before a line end: shells end a comment there and do not end a word, and each reads it in its own way at
# the start of a here-document.
_CONTINUED: Final = lazy.pattern(r"\\(?:\n|\Z)")
_COMMENT: Final = lazy.pattern(r"(?:\A|[\s;&|()<>`])#")
_HERE_DOCUMENT: Final = lazy.pattern(r"(?<!<)<<(?!<)")


class Objection(NamedTuple):
    """Why a text is never simply allowed, and what to write instead, a sentence each."""

    reason: str
    remedy: str


_SHAPES: Final = (
    (_CONTINUED, Objection("It continues a line behind a backslash.", "Write it on one line.")),
    (_COMMENT, Objection("It may hold a comment.", "Leave out every # that begins a word.")),
    (_HERE_DOCUMENT, Objection("It may hold a here-document.", "Give the text as an argument or in a file.")),
)


def objection(text: str) -> Objection | None:
    """None if it is plain."""
    return next((objection for shape, objection in _SHAPES if shape.search(text)), None)
