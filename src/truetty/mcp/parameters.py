"""What the arguments of a call mean: names that models know are accepted, and nothing unknown is passed over.

Rule 1: a parameter has one name in the schema; other names that models are used to mean the same, and are not listed.
Rule 2: patience is given in seconds. What ends in `_ms` is in milliseconds. A bare `timeout` is both in other tools:
        from `LEAST_MILLISECONDS` on it is read as milliseconds, and the result says so. None of them ends a command.
Rule 3: whatever cannot be meant is refused with what could be: an unknown name with the known ones, a wrong type with
        the right one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal

from truetty.core.errors import Misuse

Kind = Literal["string", "number", "integer", "boolean", "strings"]

# Nobody waits a quarter of an hour in one call, and nobody means less than a second by a timeout in milliseconds.
LEAST_MILLISECONDS: Final = 1000
_WORDS: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    kind: Kind
    help: str
    also: tuple[str, ...] = ()  # other names of it
    milliseconds: tuple[str, ...] = ()  # other names, in milliseconds
    either: tuple[str, ...] = ()  # other names, in seconds or milliseconds
    required: bool = False
    default: object = None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.also, *self.milliseconds, *self.either)

    def schema(self) -> dict[str, object]:
        kind: dict[str, object] = {"type": self.kind}
        if self.kind == "strings":
            kind = {"type": "array", "items": {"type": "string"}}
        if self.default is not None:
            kind["default"] = self.default
        return {**kind, "description": self.help}


PATIENCE_NAMES: Final = ("timeout_ms", "yield_time_ms", "wait_ms")
# For people who look at calls; nothing is done with them.
PASSED_OVER: Final = ("description", "explanation")


class Arguments:
    """The arguments of one call, read and checked."""

    def __init__(self, values: Mapping[str, object], notes: Sequence[str]) -> None:
        self._values = values
        self.notes = tuple(notes)

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> float | None:
        value = self._values.get(name)
        return float(value) if isinstance(value, int | float) else None

    def whole(self, name: str) -> int | None:
        value = self._values.get(name)
        return value if isinstance(value, int) else None

    def flag(self, name: str) -> bool:
        return self._values.get(name) is True

    def texts(self, name: str) -> tuple[str, ...]:
        value = self._values.get(name)
        return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def schema(parameters: Sequence[Parameter]) -> dict[str, object]:
    """Only the names of ours: whoever reads a schema should learn one name for each thing."""
    return {
        "type": "object",
        "properties": {one.name: one.schema() for one in parameters},
        "required": [one.name for one in parameters if one.required],
    }


def read(tool: str, parameters: Sequence[Parameter], given: Mapping[str, object]) -> Arguments:
    known = {name: one for one in parameters for name in one.names}
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    notes: list[str] = []
    for name, value in given.items():
        if value is None or name in PASSED_OVER:
            continue
        if name not in known:
            names = [one.name for one in parameters]
            told = f"it takes {', '.join(names)}" if names else "it takes none"
            raise Misuse(f"{tool} has no parameter {name!r}: {told}", parameter=name, known=names)
        one = known[name]
        if one.name in sources:
            both = f"{sources[one.name]} and {name}"
            raise Misuse(f"{both} are one parameter of {tool}: give one of them", parameter=name, known=[one.name])
        sources[one.name] = name
        values[one.name] = _in_seconds(one, name, _typed(tool, one, name, value), notes)
    for one in parameters:
        if one.required and one.name not in values:
            raise Misuse(f"{tool} needs {one.name}: {one.help}", parameter=one.name)
    return Arguments(values, notes)


def _in_seconds(one: Parameter, name: str, value: object, notes: list[str]) -> object:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    if name in one.milliseconds:
        return value / 1000
    if name in one.either and value >= LEAST_MILLISECONDS:
        notes.append(f"{name} {value:g} was read as milliseconds; it is how long this call waits, and ends no command")
        return value / 1000
    return value


def _typed(tool: str, one: Parameter, name: str, value: object) -> object:
    """The value as its type; models write numbers and truth values as text now and then."""
    match one.kind, value:
        case "string", str():
            return value
        case "boolean", bool():
            return value
        case "boolean", str() if value.strip().lower() in _WORDS:
            return _WORDS[value.strip().lower()]
        case "strings", str():
            return [value]
        case "strings", list() if all(isinstance(item, str) for item in value):
            return value
        case "integer" | "number", bool():
            pass
        case "integer" | "number", int() | float() | str() if (number := _number(value)) is not None:
            if one.kind == "number" or number == int(number):
                return int(number) if one.kind == "integer" else number
    wanted = {"strings": "a list of texts", "string": "a text", "boolean": "true or false"}.get(one.kind)
    wanted = wanted or ("a whole number, 0 or more" if one.kind == "integer" else "a number, 0 or more")
    raise Misuse(f"{name} of {tool} is {wanted}, not {str(value)[:60]!r}", parameter=name, value=str(value)[:200])


def _number(value: int | float | str) -> float | None:
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) and number >= 0 else None
