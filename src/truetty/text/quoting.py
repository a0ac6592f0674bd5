"""Text of programs and agents as a person may read it: every invisible or misleading character is spelled out.

Rule: there are two forms. On one line, cut, for a sentence of ours; whole, line by line, for a text that a person
      approves. A text that is too long is shown with its beginning and its end: the important part may be at either.
"""

from __future__ import annotations

from typing import Final

from truetty.text.unseen import is_unseen

LONGEST_QUOTE: Final = 160  # characters on one line: a reason must fit on a line or two
LONGEST_EXCERPT: Final = 60  # characters
LONGEST_TEXT: Final = 8000  # characters of a whole text
LONGEST_END: Final = 2000  # of these, how many are the end of a longer one


def excerpt(text: str) -> str:
    """The beginning, by which a command is known again."""
    return text if len(text) <= LONGEST_EXCERPT else f"{text[:LONGEST_EXCERPT]}…"


def on_one_line(text: str) -> str:
    text = text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
    return "".join("⏎" if character == "\n" else _spelled(character) for character in text)


def whole(text: str) -> str:
    """All of it, up to `LONGEST_TEXT` characters; of more, the beginning, how many are left out, and the end."""
    left_out = len(text) - LONGEST_TEXT
    if left_out <= 0:
        return _seen(text)
    head, end = text[: LONGEST_TEXT - LONGEST_END], text[-LONGEST_END:]
    return f"{_seen(head)}\n[… {left_out:,} characters are left out here …]\n{_seen(end)}"


def _seen(text: str) -> str:
    return "".join(character if character == "\n" else _spelled(character) for character in text)


def _spelled(character: str) -> str:
    return f"<U+{ord(character):04X}>" if is_unseen(character) else character
