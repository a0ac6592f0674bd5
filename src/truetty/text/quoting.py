"""Text of others as a person may read it: every character that is not seen as it is, is spelled out.

Rule: two ways. On one line, cut, for a sentence of ours; whole, line by line, for a text that a person says yes to.
"""

from __future__ import annotations

from typing import Final

from truetty.text.unseen import is_unseen

LONGEST_QUOTE: Final = 160  # characters on one line: a reason must fit on a line or two
LONGEST_TEXT: Final = 8000  # characters of a whole text


def on_one_line(text: str) -> str:
    text = text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
    return "".join("⏎" if character == "\n" else _spelled(character) for character in text)


def whole(text: str) -> str:
    """All of it, up to `LONGEST_TEXT` characters; how many more there are is said."""
    left_out = len(text) - LONGEST_TEXT
    seen = "".join(character if character == "\n" else _spelled(character) for character in text[:LONGEST_TEXT])
    return seen + (f"\n[… {left_out:,} more characters …]" if left_out > 0 else "")


def _spelled(character: str) -> str:
    return f"<U+{ord(character):04X}>" if is_unseen(character) else character
