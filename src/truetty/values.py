"""From what a file, a variable or a caller says to a value: one kind for each sort of setting.

Rule 1: a kind says what it allows, so that whoever gets it wrong is told.
Rule 2: nothing is guessed: `true` is no number, a relative path is no place, an unknown key is an error.
Rule 3: "off" and `false` say that there is none, where there may be none.
"""

from __future__ import annotations

import difflib
import math
import os
import re
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar, get_args

from truetty.core.errors import Misuse
from truetty.questions.replies import Reply

T = TypeVar("T")
N = TypeVar("N", int, float)
T_co = TypeVar("T_co", covariant=True)

Verdict = Literal["allow", "ask", "deny"]

_WORDS: Final = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
_BYTES: Final = re.compile(r"(\d+)\s*(?:([kmgt])i?b?|b)?", re.IGNORECASE)
_SIZE: Final = re.compile(r"(\d+)\s*[x×]\s*(\d+)")
# The kernel's size fields are 16 bits wide.
_LARGEST: Final = 65535
# More of anything than there is, and what the kernel counts bytes with.
_MOST: Final = (1 << 63) - 1


class Wrong(Exception):
    """What is wrong with a value, in a few words."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[T_co]):
    read: Callable[[object], T_co]  # raises Wrong
    allowed: str
    plain: bool = False  # a variable's text is the value as it stands, not TOML


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """Rules as texts; whoever decides by them reads them."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    typing: Verdict = "ask"  # into a program that runs
    default: Verdict = "ask"  # where no rule says anything


# -- plain values


def flag() -> Kind[bool]:
    def read(value: object) -> bool:
        if isinstance(value, str) and value.lower() in _WORDS:
            return _WORDS[value.lower()]
        if isinstance(value, bool):
            return value
        if value in (0, 1):
            return bool(value)
        raise Wrong("it is neither true nor false")

    return Kind(read, "true or false")


def whole(least: int, of: str) -> Kind[int]:
    def read(value: object) -> int:
        number = _number(value)
        if not isinstance(number, int):
            raise Wrong("it is no whole number")
        if number < least:
            raise Wrong(f"it is less than {least}")
        return _countable(number)

    return Kind(read, f"a whole number of {of}, {least} or more")


def share() -> Kind[float]:
    def read(value: object) -> float:
        number = _float(value)
        if not 0 <= number <= 1:
            raise Wrong("it is not between 0 and 1")
        return number

    return Kind(read, "a number from 0 to 1")


def seconds(*, positive: bool = False) -> Kind[float]:
    def read(value: object) -> float:
        number = _float(value)
        if not math.isfinite(number) or number < 0 or (positive and number == 0):
            raise Wrong("it is no such length of time")
        return number

    return Kind(read, f"a number of seconds, {'more than 0' if positive else '0 or more'}")


def size_in_bytes() -> Kind[int]:
    def read(value: object) -> int:
        if isinstance(value, str):
            if not (found := _BYTES.fullmatch(value.strip())):
                raise Wrong("it is no number of bytes")
            return _countable(_int(found[1]) << 10 * (" kmgt".index(found[2].lower()) if found[2] else 0))
        number = _number(value)
        if not isinstance(number, int) or number < 0:
            raise Wrong("it is no number of bytes")
        return _countable(number)

    return Kind(read, 'a number of bytes, such as 1048576 or "1 MiB"')


def columns_and_rows() -> Kind[tuple[int, int]]:
    def read(value: object) -> tuple[int, int]:
        match value:
            case str() if found := _SIZE.fullmatch(value.strip()):
                columns, rows = _int(found[1]), _int(found[2])
            case [int() as columns, int() as rows] if not isinstance(columns, bool) and not isinstance(rows, bool):
                pass
            case _:
                raise Wrong("it is not two whole numbers")
        if not (0 < columns <= _LARGEST and 0 < rows <= _LARGEST):
            raise Wrong(f"a terminal cannot be {shown(columns)} × {shown(rows)}")
        return columns, rows

    return Kind(read, f'columns and rows, as [120, 30] or "120x30", each from 1 to {_LARGEST}')


def place() -> Kind[str]:
    """Absolute: what it means must not depend on the directory one happens to be in."""

    def read(value: object) -> str:
        path = os.path.expanduser(_text(os.fspath(value) if isinstance(value, os.PathLike) else value))
        if not os.path.isabs(path):
            raise Wrong("it is no absolute path")
        return path

    return Kind(read, "an absolute path, or one that begins with ~", plain=True)


def program() -> Kind[str | Sequence[str]]:
    def one(value: object) -> str:
        name = _text(value)
        if os.sep not in name:
            return name
        return place().read(name)

    def read(value: object) -> str | Sequence[str]:
        if isinstance(value, list | tuple):
            first, *rest = value or [None]
            return (one(first), *map(_text, rest))
        return one(value)

    return Kind(read, "a name, an absolute path, or a list of such a one and its arguments")


def optional(kind: Kind[T], *, nothing: str = "none") -> Kind[T | None]:
    def read(value: object) -> T | None:
        off = value is False or (isinstance(value, str) and value.lower() == "off")
        return None if off else kind.read(value)

    return Kind(read, f'{kind.allowed}; or "off" for {nothing}', kind.plain)


# -- tables


def variables() -> Kind[Mapping[str, str | None]]:
    def one(name: str, value: object) -> str | None:
        if not name or "=" in name or "\0" in name:
            raise Wrong(f"{name!r} is no name of a variable")
        if value is False or value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(_countable(value))
        try:
            return _text(value, empty=True)
        except Wrong as wrong:
            raise Wrong(f"{name}: {wrong}") from None

    def read(value: object) -> Mapping[str, str | None]:
        return {name: one(name, text) for name, text in _table(value).items()}

    return Kind(read, 'a table of names and texts, such as { CI = "1" }; false unsets')


def policy() -> Kind[PolicySettings]:
    def read(value: object) -> PolicySettings:
        if isinstance(value, PolicySettings):
            return value
        table = _table(value, ("allow", "ask", "deny", "typing", "default"))
        return PolicySettings(
            allow=_rules(table.get("allow", [])),
            ask=_rules(table.get("ask", [])),
            deny=_rules(table.get("deny", [])),
            typing=_verdict("typing", table.get("typing", "ask")),
            default=_verdict("default", table.get("default", "ask")),
        )

    return Kind(read, "lists of rules named allow, ask and deny; typing and default are one of these three words")


def replies() -> Kind[tuple[Reply, ...]]:
    def one(value: object) -> Reply:
        if isinstance(value, Reply):
            return value
        table = _table(value, ("pattern", "answer", "limit", "program", "enter"))
        for name in ("pattern", "answer"):
            if name not in table:
                raise Wrong(f"a reply needs its {name}")
        limit = whole(1, "times").read(table["limit"]) if "limit" in table else 1
        asked_by = _text(table["program"]) if "program" in table else None
        enter = flag().read(table["enter"]) if "enter" in table else True
        try:
            return Reply(_text(table["pattern"]), _text(table["answer"], empty=True), limit, asked_by, enter)
        except Misuse as error:
            raise Wrong(str(error)) from None

    def read(value: object) -> tuple[Reply, ...]:
        if not isinstance(value, list | tuple):
            raise Wrong("it is no list of replies")
        return tuple(one(item) for item in value)

    return Kind(read, "[[reply]] tables with pattern and answer; limit, program and enter if wanted")


# -- parts


def unknown(name: str, known: Iterable[str]) -> str:
    """What to say of a name that nobody knows."""
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
    told = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
    return f"nothing is called {name!r}: {told}"


def shown(value: object) -> str:
    """In a few characters, for whoever wrote it."""
    try:
        return reprlib.repr(value)
    except ValueError:  # Python writes no number of more than 4300 digits
        return "a number without end"


def _int(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise Wrong("it is too large") from None


def _countable(number: N) -> N:
    if isinstance(number, int) and abs(number) > _MOST:
        raise Wrong("it is too large")
    return number


def _float(value: object) -> float:
    try:
        return float(_number(value))
    except OverflowError:
        raise Wrong("it is too large") from None


def _number(value: object) -> int | float:
    if isinstance(value, str):
        try:
            return float(value) if "." in value or "e" in value.lower() else int(value)
        except ValueError:
            raise Wrong("it is no number") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Wrong("it is no number")
    return value


def _text(value: object, *, empty: bool = False) -> str:
    if not isinstance(value, str):
        raise Wrong("it is no text")
    if "\0" in value:
        raise Wrong("it holds a NUL")
    if not (value or empty):
        raise Wrong("it is empty")
    return value


def _table(value: object, known: Sequence[str] | None = None) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise Wrong("it is no table")
    for name in value:
        if not isinstance(name, str):
            raise Wrong(f"{name!r} is no name")
        if known is not None and name not in known:
            raise Wrong(unknown(name, known))
    return value


def _rules(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise Wrong("rules are a list of texts")
    return tuple(_text(rule) for rule in value)


def _verdict(name: str, value: object) -> Verdict:
    verdicts: tuple[Verdict, ...] = get_args(Verdict)
    for verdict in verdicts:
        if value == verdict:
            return verdict
    raise Wrong(f"{name} is {shown(value)}")
