"""Regular expressions from strangers: which could take for ever.

Python's `re` holds everybody up while it searches and cannot be stopped, so a pattern is judged before it is used.
"""

from __future__ import annotations

import re
from math import factorial
from typing import Final

from truetty.core.errors import Misuse

# Steps that a search may take at worst. Python makes about a hundred million in a second.
STEPS: Final = 30_000_000

# It changes nothing in a search but its price.
_LEADING: Final = re.compile(r"^\.\*(?![?+*{])")
_TOKEN: Final = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[:=!>]|\(\?<[=!]|\(|\)|\||[*+?]|\{\d*,?\d*\}", re.DOTALL
)


def slow(pattern: str, longest: int) -> str | None:
    """Why this pattern could take long on some text of `longest` characters, however it is written; None: it cannot.

    Repeats side by side take a power of the length, options a power of two. A repeat of what can itself match in
    several ways takes a power of two of the length, so that is refused outright.
    """
    found = _counted(pattern)
    if isinstance(found, str):
        return found
    repeats, options = found
    if longest ** (repeats + 1) / factorial(repeats + 1) * 2**options > STEPS:
        return f"{repeats} repeats and {options} options can take too long; say more of the question, with fewer"
    return None


def compile_checked(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled. `Misuse` if it is no regular expression, or one that could take for ever."""
    if (reason := endless(pattern)) is not None:
        raise Misuse(f"cannot look for {pattern!r}: {reason}", pattern=pattern, reason=reason)
    try:
        return re.compile(pattern)
    except re.error as error:
        raise Misuse(f"not a regular expression: {pattern!r}: {error}", pattern=pattern, reason=str(error)) from error


def endless(pattern: str) -> str | None:
    """Why this pattern could take for ever; None: at worst its time is a power of the text's length."""
    found = _counted(pattern)
    return found if isinstance(found, str) else None


def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_LEADING.sub("", pattern))


def _counted(pattern: str) -> tuple[int, int] | str:
    """Its repeats and options; or what is wrong with it."""
    repeats = options = 0
    open_groups = [False]  # whether each can match the same text in more than one way
    closed = False  # what the last group was, if the last token was its end
    for token in _TOKEN.findall(_LEADING.sub("", pattern).removesuffix(".*")):
        if token.startswith("("):
            open_groups.append(False)
        elif token == ")" and len(open_groups) > 1:
            closed = open_groups.pop()
            open_groups[-1] = open_groups[-1] or closed
            continue
        elif token in ("*", "+") or token[0] == "{":
            if closed:
                return "a repeat of what can itself vary can take for ever"
            repeats += "," in token or token[0] != "{"
            open_groups[-1] = True
        elif token in ("?", "|"):
            options += 1
            open_groups[-1] = True
        closed = False
    return repeats, options
