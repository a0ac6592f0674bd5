"""From what a file, a variable or a person wrote to a value: one reader for each sort.

Rule 1: a reader takes the value itself or its text, and raises `Wrong`, which says in a few words what is wrong.
Rule 2: nothing is guessed: `true` is no number, 1.5 is no whole number, an unknown key is an error.
Rule 3: a `Kind` is a reader and a sentence about what it allows, so that a refusal can say it.
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from truetty.core import lazy

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

# The kernel's size fields are 16 bits wide.
LARGEST_SIDE: Final = 65535
# The kernel counts bytes with 63 bits, and nothing that is counted here comes near it.
MOST: Final = (1 << 63) - 1

_TRUTH: Final = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
_BYTES: Final = lazy.pattern(r"(\d+)\s*(?:([kmgt])i?b?|b)?", re.IGNORECASE)
_SIZE: Final = lazy.pattern(r"(\d+)\s*[x×]\s*(\d+)")


class Wrong(Exception):
    """What is wrong with a value, in a few words."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[T_co]):
    """A reader of values, and what it allows."""

    read: Callable[[object], T_co]  # raises Wrong
    allowed: str
    plain: bool = False  # a variable's text is the value as it stands, not TOML
    nothing: str = ""  # what "off" means, where there may be none


# -- readers


def flag(value: object) -> bool:
    if isinstance(value, str) and value.lower() in _TRUTH:
        return _TRUTH[value.lower()]
    if isinstance(value, bool):
        return value
    if value in (0, 1):
        return bool(value)
    raise Wrong("it is neither true nor false")


def number(value: object) -> int | float:
    """As it is written: what is written without a point or an exponent is an int, of any length."""
    if isinstance(value, str):
        try:
            return float(value) if "." in value or "e" in value.lower() else int(value)
        except ValueError:
            raise Wrong("it is no number") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Wrong("it is no number")
    return value


def whole_number(value: object, least: int = 0, most: int = MOST) -> int:
    found = number(value)
    if not isinstance(found, int):
        raise Wrong("it is no whole number")
    if found < least:
        raise Wrong(f"it is less than {least}")
    if found > most:
        raise Wrong("it is too large")
    return found


def real_number(
    value: object, least: float = -math.inf, most: float = math.inf, reason: str = "it is no such number"
) -> float:
    """A finite number within these bounds; `reason` is said of one that is not."""
    try:
        found = float(number(value))
    except OverflowError:
        raise Wrong("it is too large") from None
    if not math.isfinite(found) or not least <= found <= most:
        raise Wrong(reason)
    return found


def duration(value: object, *, positive: bool = False) -> float:
    """Seconds."""
    reason = "it is no such length of time"
    found = real_number(value, 0, reason=reason)
    if positive and found == 0:
        raise Wrong(reason)
    return found


def byte_count(value: object) -> int:
    """A number of bytes, or a text such as "1 MiB"."""
    if isinstance(value, str):
        found = _BYTES.fullmatch(value.strip())
        if found is None:
            raise Wrong("it is no number of bytes")
        unit = 1 << 10 * (" kmgt".index(found[2].lower()) if found[2] else 0)
        return whole_number(_digits(found[1]) * unit)
    try:
        return whole_number(value)
    except Wrong as wrong:
        raise wrong if "large" in str(wrong) else Wrong("it is no number of bytes") from None


def as_bytes(count: int) -> str:
    """A number of bytes as `byte_count` reads it, in the largest unit that it is a whole number of: "1 GiB"."""
    unit = 0
    while count and unit < 4 and count % 1024 == 0:
        count, unit = count // 1024, unit + 1
    return f"{count} {['bytes', 'KiB', 'MiB', 'GiB', 'TiB'][unit]}"


def size(value: object) -> tuple[int, int]:
    """Columns and rows: two whole numbers, or the text COLUMNSxROWS."""
    match value:
        case str() if found := _SIZE.fullmatch(value.strip()):
            columns, rows = _digits(found[1]), _digits(found[2])
        case [int() as columns, int() as rows] if not isinstance(columns, bool) and not isinstance(rows, bool):
            pass
        case _:
            raise Wrong("it is not two whole numbers")
    if not (0 < columns <= LARGEST_SIDE and 0 < rows <= LARGEST_SIDE):
        raise Wrong(f"a terminal cannot be {quoted(columns)} × {quoted(rows)}")
    return columns, rows


def text(value: object, *, empty: bool = False) -> str:
    if not isinstance(value, str):
        raise Wrong("it is no text")
    if "\0" in value:
        raise Wrong("it holds a NUL")
    if not (value or empty):
        raise Wrong("it is empty")
    return value


def texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise Wrong("it is not a list of texts")
    return tuple(text(item) for item in value)


def table(value: object, known: Sequence[str] | None = None) -> Mapping[str, object]:
    """Names and values; `known` are the names there are."""
    if not isinstance(value, Mapping):
        raise Wrong("it is no table")
    for name in value:
        if not isinstance(name, str):
            raise Wrong(f"{name!r} is no name")
        if known is not None and name not in known:
            raise Wrong(unknown(name, known))
    return value


# -- kinds

FLAG: Final = Kind(flag, "true or false")
SHARE: Final = Kind(lambda value: real_number(value, 0, 1, "it is not between 0 and 1"), "a number from 0 to 1")
SECONDS: Final = Kind(duration, "a number of seconds, 0 or more")
POSITIVE_SECONDS: Final = Kind(lambda value: duration(value, positive=True), "a number of seconds, more than 0")
BYTES: Final = Kind(byte_count, 'a number of bytes, such as 1048576 or "1 MiB"')
SIZE: Final = Kind(size, f'columns and rows, as [120, 30] or "120x30", each from 1 to {LARGEST_SIDE}')


def count(of: str, least: int = 0) -> Kind[int]:
    return Kind(lambda value: whole_number(value, least), f"a whole number of {of}, {least} or more")


def optional(kind: Kind[T], *, nothing: str = "none") -> Kind[T | None]:
    """ "off" and `false` say that there is none."""

    def read(value: object) -> T | None:
        off = value is False or (isinstance(value, str) and value.lower() == "off")
        return None if off else kind.read(value)

    return Kind(read, f'{kind.allowed}; or "off" for {nothing}', kind.plain, nothing)


# -- for refusals


def unknown(name: str, known: Iterable[str]) -> str:
    """What to say of a name that is not among those known."""
    return f"nothing is called {name!r}: {alternatives(name, known)}"


def alternatives(name: str, known: Iterable[str]) -> str:
    """The known names that are nearest to this one; all of them where none is near."""
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else listing(names)


def listing(names: Iterable[str]) -> str:
    """All the names there are."""
    return f"there are {', '.join(names) or 'none'}"


def quoted(value: object) -> str:
    """A value in a few characters."""
    try:
        return reprlib.repr(value)
    except ValueError:  # Python writes no number of more than 4300 digits
        return "a number without end"


def described(value: object) -> str:
    """A value of the wrong kind, for a refusal: its kind and, where that is short, the value."""
    match value:
        case None | bool():
            return repr(value)
        case str():
            return f"the text {quoted(value)}"
        case int() | float():
            return f"the number {quoted(value)}"
        case bytes():
            return "bytes"
        case list() | tuple() | dict() | set():
            return f"a {type(value).__name__}"
    return f"an object of {type(value).__name__}"


def _digits(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python reads no number of more than 4300 digits
        raise Wrong("it is too large") from None
