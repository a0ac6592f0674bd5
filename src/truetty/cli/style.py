"""What a page of ours looks like: how wide it is, whether it has colours, where its lines are broken.

Rule 1: this module imports nothing that is slow to import: every help page needs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Final, Literal, TextIO

# Longer lines are hard to read, however wide the terminal is.
WIDEST: Final = 100
USUAL: Final = 80  # where no terminal says its width
NARROWEST: Final = 20

Look = Literal["bold", "red", "green", "yellow", "dim"]
_CODES: Final[dict[Look, str]] = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "dim": "2"}


def has_colours(stream: TextIO | None) -> bool:
    """Whether what is written to it may have colours: it is a terminal that knows them, and NO_COLOR is not set."""
    if stream is None or not stream.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def styled(text: str, *looks: Look, on: bool) -> str:
    codes = ";".join(_CODES[look] for look in looks)
    return f"\x1b[{codes}m{text}\x1b[0m" if on and codes else text


def terminal_width() -> int:
    """Of the terminal on standard output; else COLUMNS; else 80."""
    columns = 0
    if sys.stdout is not None and sys.stdout.isatty():
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    elif (text := os.environ.get("COLUMNS", "")).isdecimal():
        columns = int(text)
    return max(columns or USUAL, NARROWEST)


def wrapped(text: str, width: int, first: str = "", rest: str | None = None) -> Iterator[str]:
    """Its words in lines of this width, which begin with `first`, then with `rest`. A word is never cut."""
    line, start = first, True
    for word in text.split():
        if not start and len(line) + 1 + len(word) > width:
            yield line
            line, start = first if rest is None else rest, True
        line, start = line + word if start else f"{line} {word}", False
    yield line.rstrip()
