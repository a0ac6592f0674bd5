"""A word of a command line: what it certainly is, and what it might become when the shell expands it.

Rule 1: `literal` is the word as the program will get it, quotes and backslashes gone; None when that cannot be known.
Rule 2: what cannot be known may be anything: several words, none, an option.
Rule 3: a file name that a pattern finds begins as the pattern does: `./*` is never an option, `*` may be one.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Final

from truetty.core import lazy
from truetty.shells.row import Dialect

_SIGNS: Final = frozenset({"[", "]", "[[", "((", ":", "."})
FIXED: Final = "\0"  # in a shape: a character that is quoted or escaped and stands for itself

_PATTERN: Final = frozenset("*?[")
_ZSH_PATTERN: Final = frozenset("*?[]^#<>|()~")
_TILDE: Final = lazy.pattern(r"[=:]~")
_ANSI: Final = lazy.pattern(
    r"\\(?:(?P<simple>[abeEfnrtv\\'\"?])|x(?P<hex>[0-9a-fA-F]{1,2})(?![0-9a-fA-F])|u(?P<u>[0-9a-fA-F]{1,4})"
    r"|U(?P<U>[0-9a-fA-F]{1,8})|(?P<octal>[0-7]{1,3})|(?P<other>.?))",
    re.DOTALL,
)
_SIMPLE: Final = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))


@dataclass(frozen=True, slots=True)
class Word:
    source: str
    literal: str | None
    start: str = ""  # the text it begins with, whatever becomes of the rest
    splits: bool = False  # may become any number of words of any kind
    several: bool = False  # may become several words, but each begins with `start`

    @property
    def may_be_option(self) -> bool:
        if self.splits:
            return True
        known = self.start if self.literal is None else self.literal
        return known[:1] == "-" or (not known and self.literal is None)

    @property
    def text(self) -> str:
        """In one normal form: `\\rm`, `"rm"` and `r''m` are all `rm`."""
        if self.literal is None:
            return self.source
        return self.literal if self.literal in _SIGNS else shlex.quote(self.literal)

    @classmethod
    def plain(cls, literal: str) -> Word:
        return cls(literal, literal, literal)


class Builder:
    """Puts a word together from its parts. The shape has one character for each of the text."""

    def __init__(self, dialect: Dialect) -> None:
        self._zsh = dialect == Dialect.ZSH
        self._text = ""
        self._shape = ""
        self._known: int | None = None  # so much of the text is certain; None for all of it
        self._splits = False
        self._several = False

    def bare(self, value: str) -> None:
        """Unquoted text: a backslash takes away the meaning of what follows."""
        position = 0
        while position < len(value):
            if value[position] == "\\" and position + 1 < len(value):
                self.fixed(value[position + 1])
                position += 2
            else:
                self._text += value[position]
                self._shape += value[position]
                position += 1

    def fixed(self, value: str) -> None:
        self._text += value
        self._shape += FIXED * len(value)

    def unknown(self, *, splits: bool, several: bool = False) -> None:
        if self._known is None:
            self._known = len(self._text)
        self._splits |= splits
        self._several |= several
        self.fixed("?")

    def pattern(self) -> None:
        """An extended pattern: it finds file names that begin as the word does."""
        self.unknown(splits=False, several=True)

    @property
    def shape(self) -> str:
        return self._shape

    def word(self, source: str) -> Word:
        patterns = [place for place, sign in enumerate(self._shape) if sign in self._signs() and self._closes(place)]
        tilde = 0 if self._shape[:1] == "~" else None
        if tilde is None and (found := _TILDE.search(self._shape)):
            tilde = found.start() + 1
        cuts = [cut for cut in (self._known, tilde, patterns[0] if patterns else None) if cut is not None]
        splits = self._splits or has_braces(self._shape)
        if not cuts and not splits:
            return Word(source, self._text, self._text)
        start = self._text[: min(cuts)] if cuts else ""
        if tilde == 0:
            start = "~"
        return Word(source, None, "" if splits else start, splits, splits or self._several or bool(patterns))

    def _closes(self, place: int) -> bool:
        """`[` alone is a word like any other."""
        return self._shape[place] != "[" or "]" in self._shape[place:]

    def _signs(self) -> frozenset[str]:
        return _ZSH_PATTERN if self._zsh else _PATTERN


def listed(text: str) -> tuple[str, ...]:
    """A table of names, set as text."""
    return tuple(text.split())


def has_braces(shape: str) -> bool:
    """`{a,b}` or `{1..3}`, at any depth."""
    depth = 0
    for place, sign in enumerate(shape):
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth = max(depth - 1, 0)
        elif depth and (sign == "," or shape.startswith("..", place)):
            return True
    return False


def in_double_quotes(value: str) -> str:
    return re.sub(r"\\([$`\"\\])", r"\1", value)


def ansi(value: str) -> str | None:
    """What `$'…'` stands for; None for what shells do not agree on: `\\x` has more digits in ksh93 and mksh."""
    pieces: list[str] = []
    last = 0
    for match in _ANSI.finditer(value):
        pieces.append(value[last : match.start()])
        last = match.end()
        if match["simple"]:
            pieces.append(_SIMPLE[match["simple"]])
            continue
        digits, base = next(
            (pair for pair in ((match["hex"], 16), (match["u"], 16), (match["U"], 16), (match["octal"], 8)) if pair[0]),
            (None, 0),
        )
        # A NUL ends the word in bash and not in zsh; bytes over 127 depend on the locale.
        number = int(digits, base) if digits else 0
        if not 0 < number < 0x110000 or (number > 127 and not (match["u"] or match["U"])) or 0xD800 <= number < 0xE000:
            return None
        pieces.append(chr(number))
    return "".join([*pieces, value[last:]])
