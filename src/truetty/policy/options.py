"""Reads a program's options strictly: what is not known to be harmless is named.

Rule 1: a word that might become an option when the shell expands it counts as an unknown option.
Rule 2: long options are taken only as they are written out; `forbidden` knows that programs accept them cut short.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from truetty.policy.words import Word


@dataclass(frozen=True, slots=True)
class Known:
    """The options of one program: letters alone, letters with a value, long ones alone, long ones with a value."""

    short: str = ""
    valued: str = ""
    long: Collection[str] = ()
    long_valued: Collection[str] = ()


@dataclass(slots=True)
class Parsed:
    options: list[tuple[str, Word | None]] = field(default_factory=list)
    operands: list[Word] = field(default_factory=list)
    unknown: str | None = None  # the first word that is not known to be harmless

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)


def parse(words: Sequence[Word], known: Known, *, permute: bool = True) -> Parsed:
    """`words` without the program. Without `permute` the first operand ends the options."""
    parsed = Parsed()
    rest = list(words)
    while rest and parsed.unknown is None:
        if parsed.operands and not permute:
            parsed.operands += rest
            break
        word = rest.pop(0)
        literal = word.literal
        if literal == "--":
            parsed.operands += rest
            break
        if literal is None:
            if word.may_be_option:
                parsed.unknown = word.source
            parsed.operands.append(word)
        elif literal.startswith("--"):
            name, equals, _ = literal.partition("=")
            if name in known.long_valued:
                value = Word.plain(literal.partition("=")[2]) if equals else _next(parsed, word, rest)
                parsed.options.append((name, value))
            elif name in known.long and not equals:
                parsed.options.append((name, None))
            else:
                parsed.unknown = literal
        elif literal.startswith("-") and len(literal) > 1:
            _cluster(parsed, literal, known, word, rest)
        else:
            parsed.operands.append(word)
    return parsed


def _cluster(parsed: Parsed, literal: str, known: Known, word: Word, rest: list[Word]) -> None:
    for place, letter in enumerate(literal[1:], 1):
        if letter in known.valued:
            attached = literal[place + 1 :]
            parsed.options.append((f"-{letter}", Word.plain(attached) if attached else _next(parsed, word, rest)))
            return
        if letter not in known.short:
            parsed.unknown = literal
            return
        parsed.options.append((f"-{letter}", None))


def _next(parsed: Parsed, word: Word, rest: list[Word]) -> Word | None:
    if not rest:
        return None
    value = rest.pop(0)
    if value.splits or value.several:  # the rest of what it becomes are words of their own
        parsed.unknown = value.source
    return value


def forbidden(
    words: Sequence[Word], short: str = "", long: Collection[str] = (), fine: Collection[str] = ()
) -> str | None:
    """The first word that is, cut short, clustered or after expansion, one of these options. `words` has no program."""
    for word in words:
        literal = word.literal
        if literal == "--":
            return None
        if literal is None:
            if word.may_be_option:
                return word.source
        elif literal.startswith("--"):
            name = literal.partition("=")[0]
            if name not in fine and any(option.startswith(name) for option in long):
                return literal
        elif literal.startswith("-") and any(letter in literal[1:] for letter in short):
            return literal
    return None
