"""Whether a text is plain: it holds nothing that shells and parsers are known to read differently.

Rule 1: this knows no grammar and looks at the raw text. What is not plain may be asked or denied, never allowed.
Rule 2: a comment or here-document that looks like one in quotes counts too. A text without it is easy to write.
"""

from __future__ import annotations

import re
from typing import Final

# A backslash before a line end: shells end a comment there and do not end a word, and each reads it in its own way at
# the start of a here-document.
_CONTINUED: Final = re.compile(r"\\(?:\n|\Z)")
_COMMENT: Final = re.compile(r"(?:\A|[\s;&|()<>`])#")
_HERE_DOCUMENT: Final = re.compile(r"(?<!<)<<(?!<)")

_SHAPES: Final = (
    (_CONTINUED, "It continues a line behind a backslash: write it on one line."),
    (_COMMENT, "It may hold a comment: leave it out."),
    (_HERE_DOCUMENT, "It may hold a here-document: give the text as an argument or in a file."),
)


def objection(text: str) -> str | None:
    """Why this text is never simply allowed, as a sentence that says what to write instead; None if it is plain."""
    return next((reason for shape, reason in _SHAPES if shape.search(text)), None)
