"""Reads a program's options strictly: what is not known to be harmless is named.

Rule 1: a word that might become an option when the shell expands it counts as an unknown option.
Rule 2: long options are taken only as they are written out; `forbidden` knows that programs accept them cut short.
Rule 3: `--` ends the options only where it cannot be the value of one: `git grep -e -- -Ox` is about `-Ox`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from truetty.policy.words import Word


@dataclass(frozen=True, slots=True)
class Known:
    """The options of one program: letters alone, letters with a value, long ones alone, long ones with a value.

    `optional` letters have a value only if it is attached. If not `attached`, a value is a word of its own.
    Without `clusters` a word has one letter, and at most a number as its value: xxd reads `-ps` as `-p`.
    Without `long_separate` a long option has its value behind `=`, and nowhere else.
    """

    short: str = ""
    valued: str = ""
    long: Collection[str] = ()
    long_valued: Collection[str] = ()
    optional: str = ""
    attached: bool = True
    clusters: bool = True
    long_separate: bool = True


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
            if name in known.long_valued and (equals or known.long_separate):
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
    if not known.clusters and len(literal) > 2 and not (literal[1] in known.valued and literal[2:].isdecimal()):
        parsed.unknown = literal
        return
    for place, letter in enumerate(literal[1:], 1):
        if letter in known.optional:
            parsed.options.append((f"-{letter}", Word.plain(literal[place + 1 :])))
            return
        if letter in known.valued:
            attached = literal[place + 1 :]
            if attached and not known.attached:
                parsed.unknown = literal
                return
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
    words: Sequence[Word],
    short: str = "",
    long: Collection[str] = (),
    fine: Collection[str] = (),
    *,
    plain: Collection[str] = (),
    only_written: bool = False,
) -> str | None:
    """The first word that is, cut short, clustered or after expansion, one of these options. `words` has no program.

    `plain` options are known to take no value. With `only_written`, words that the shell expands are left alone.
    """
    may_take_value = False
    for word in words:
        literal = word.literal
        if literal == "--":
            if not may_take_value:
                return None
        elif literal is None:
            if word.may_be_option and not only_written:
                return word.source
        elif literal.startswith("--"):
            name = literal.partition("=")[0]
            if name not in fine and any(option.startswith(name) for option in long):
                return literal
        elif literal.startswith("-") and any(letter in literal[1:] for letter in short):
            return literal
        may_take_value = _may_take_value(word, plain)
    return None


def _may_take_value(word: Word, plain: Collection[str]) -> bool:
    literal = word.literal
    if literal is None:
        return word.may_be_option
    if literal.startswith("--") and "=" in literal:
        return False
    return literal.startswith("-") and literal not in plain and not literal[1:].isdecimal()
