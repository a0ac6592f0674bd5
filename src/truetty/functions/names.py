"""Which parameter of a verb a name means.

Rule 1: a parameter's name and its aliases are known in any case: `terminalId` and `kill-after` are ours.
Rule 2: a name that is nearly one of these is a misspelling, and is refused with the right name. If it were ignored, a
        command would run without what was asked for.
Rule 3: every other name is one that a client adds to its tools. It is ignored, and the answer names it.
"""

from __future__ import annotations

import re
from typing import Final

from truetty.core import kinds, lazy
from truetty.core.errors import Misuse
from truetty.functions.table import Parameter, Unit, Verb

# How many letters a misspelling adds, leaves out or changes, and less than half of the name: `tty` is not `key`.
MOST_LETTERS: Final = 2
_HUMP: Final = lazy.pattern(r"(?<=[a-z0-9])(?=[A-Z])")


def find(verb: Verb, name: str) -> tuple[Parameter, Unit] | None:
    """The parameter, and the unit that this name has; None for a name that means nothing here."""
    names = {known: (each, unit) for each in verb.parameters for known, unit in each.names.items()}
    snake = _HUMP.sub("_", name).replace("-", "_").lower()
    for known in (name, snake, name.lower()):
        if known in names:
            return names[known]
    near = min(names, key=lambda known: _distance(snake, known), default="")
    if _is_slip(snake, near):
        meant = names[near][0].name
        known_names = [each.name for each in verb.parameters]
        sent = spelling(name)
        raise Misuse(f"no parameter {sent}: did you mean {meant}?", parameter=sent, known=known_names)
    return None


def spelling(name: object) -> str:
    """A name that was sent, for a sentence of ours."""
    return name if isinstance(name, str) and re.fullmatch(r"[\w-]{1,40}", name, re.ASCII) else kinds.quoted(name)


def _is_slip(name: str, known: str) -> bool:
    distance = _distance(name, known)
    return distance <= MOST_LETTERS and 2 * distance < min(len(name), len(known))


def _distance(one: str, other: str) -> int:
    """How many letters must be added, left out or changed."""
    if abs(len(one) - len(other)) > MOST_LETTERS:
        return MOST_LETTERS + 1
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row[0] = row[0], at
        for column, there in enumerate(other, 1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (letter != there))
    return row[-1]
