"""A line of the attack, and what it tries to smuggle in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from truetty.shells.row import Dialect

BASH, ZSH, POSIX, MKSH = Dialect.BASH, Dialect.ZSH, Dialect.POSIX, Dialect.MKSH
ALL: Final = (BASH, ZSH, POSIX, MKSH)

RUN: Final = "touch F"  # `F` must never be made, and `touch` never run
# Texts that some shell evaluates when it calculates or looks up a name; in single quotes they are harmless at first.
LATE: Final = ("a[$(touch F)1]", "path[$(touch F)1]", "$(touch F)", "`touch F`")
WORDS: Final = "5 touch F"  # a value that becomes several words
PROGRAM: Final = "./evil"  # a script that leaves a canary


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    dialects: tuple[Dialect, ...] = ALL
    policies: tuple[str, ...] = ()  # those that decide it beside the read-only one


def lines(texts: Iterable[str], dialects: tuple[Dialect, ...] = ALL) -> Iterator[Line]:
    return (Line(text, dialects) for text in texts)


def quoted(text: str) -> str:
    """In single quotes: a shell takes it as it is."""
    return "'" + text.replace("'", "'\\''") + "'"
