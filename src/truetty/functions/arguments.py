"""What a model sent, as a verb takes it.

Rule 1: what cannot be meant is refused by a sentence that says what is allowed: the model reads it and tries again.
Rule 2: absent and null are the same, since strict schemas make models send every parameter.
Rule 3: which ids there are is known to the service alone, so a missing `id` is not refused here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, overload

from truetty.core.errors import Misuse
from truetty.functions.table import ID, PASSED_OVER, Parameter, Type, Unit, Verb

LONGEST_QUOTED: Final = 60  # characters of what was wrong
# More characters, lines and tokens than any command prints, and a number that every part below can count with.
MOST: Final = 10**12
# Nobody waits a quarter of an hour in one call, and nobody means less than a second by a number of milliseconds.
LEAST_MILLISECONDS: Final = 1000
# JSON can name half of a character; no terminal can be sent one, and no answer can hold it.
_HALF: Final = re.compile("[\ud800-\udfff]")
_TRUTH: Final = {"true": True, "false": False}
_WANTED: Final[dict[Type, str]] = {
    "string": "a text",
    "number": "a number, 0 or more",
    "integer": f"a whole number from 0 to {MOST}",
    "boolean": "true or false",
    "strings": "a list of texts",
}


@dataclass(frozen=True, slots=True)
class Arguments:
    """By the names of the table, in its types and units."""

    values: Mapping[str, object]
    notes: tuple[str, ...] = ()  # how they were understood, where that may surprise

    def text(self, name: str) -> str | None:
        value = self.values.get(name)
        return value if isinstance(value, str) else None

    @overload
    def number(self, name: str) -> float | None: ...

    @overload
    def number(self, name: str, default: float) -> float: ...

    def number(self, name: str, default: float | None = None) -> float | None:
        value = self.values.get(name)
        return value if isinstance(value, float) else default

    def whole(self, name: str) -> int | None:
        value = self.values.get(name)
        return value if isinstance(value, int) else None

    def flag(self, name: str) -> bool:
        return self.values.get(name) is True

    def texts(self, name: str) -> list[str]:
        value = self.values.get(name)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def read(verb: Verb, sent: object) -> Arguments:
    """`sent` is an object, or its JSON text as OpenAI sends it."""
    names = {name: (each, unit) for each in verb.parameters for name, unit in _names(each)}
    known = [each.name for each in verb.parameters]
    values: dict[str, object] = {}
    sources: dict[str, object] = {}
    notes: list[str] = []
    for name, value in _object(verb, sent).items():
        if value is None or name in PASSED_OVER:
            continue
        if name not in names:
            message = f"it takes {', '.join(known)}" if known else "it takes none"
            raise Misuse(
                f"{verb.name} has no parameter {_quoted(name)}: {message}", parameter=_writable(name), known=known
            )
        parameter, unit = names[name]
        if parameter.name in sources:
            both = f"{sources[parameter.name]} and {name}"
            raise Misuse(f"{both} are one parameter of {verb.name}: give one of them", parameter=name, known=known)
        sources[parameter.name] = name
        taken = _value(verb, parameter, str(name), value)
        for text in taken if isinstance(taken, list) else [taken]:
            if isinstance(text, str) and _HALF.search(text):
                message = f"{name} of {verb.name} holds half a character, not a whole one: {_quoted(text)}"
                raise Misuse(message, parameter=name)
        values[parameter.name] = _in_seconds(taken, str(name), unit, notes) if isinstance(taken, float) else taken
    for parameter in verb.parameters:
        if parameter.required and parameter.name not in values and parameter is not ID:
            needed = f"{verb.name} needs {parameter.name}. {parameter.description}"
            raise Misuse(needed, parameter=parameter.name, known=known)
    return Arguments(values, tuple(notes))


def _in_seconds(value: float, name: str, unit: Unit, notes: list[str]) -> float:
    if unit == "either" and value >= LEAST_MILLISECONDS:
        notes.append(f"{name} {value:g} was read as milliseconds; it is how long this call waits, and ends no command")
        return value / 1000
    return value / 1000 if unit == "milliseconds" else value


def _names(parameter: Parameter) -> list[tuple[object, Unit]]:
    return [(parameter.name, "same"), *parameter.aliases.items()]


def _object(verb: Verb, sent: object) -> Mapping[object, object]:
    if isinstance(sent, str):
        try:
            sent = json.loads(sent) if sent.strip() else {}
        except (ValueError, RecursionError) as error:
            raise Misuse(f"the arguments of {verb.name} are not JSON: {error}", verb=verb.name) from error
    if sent is None:
        return {}
    if not isinstance(sent, Mapping):
        raise Misuse(f"the arguments of {verb.name} are an object, not {_quoted(sent)}", verb=verb.name)
    return sent


def _value(verb: Verb, parameter: Parameter, name: str, value: object) -> object:
    """In its type. A number or a truth may come as text, and one text as a list of it: what is meant is clear."""
    match parameter.type, value:
        case ("string", str()) | ("boolean", bool()):
            return value
        case ("boolean", str()) if value.strip().lower() in _TRUTH:
            return _TRUTH[value.strip().lower()]
        case ("strings", str()):
            return [value]
        case ("strings", Sequence()) if all(isinstance(item, str) for item in value):
            return list(value)
        case ("number" | "integer", int() | float() | str()) if not isinstance(value, bool):
            number = _number(value)
            if parameter.type == "number" and math.isfinite(number) and number >= 0:
                return number
            if parameter.type == "integer" and number.is_integer() and 0 <= number <= MOST:
                return int(number)
    wanted = _WANTED[parameter.type]
    raise Misuse(f"{name} of {verb.name} is {wanted}, not {_quoted(value)}", parameter=name, wanted=wanted)


def _number(value: int | float | str) -> float:
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def _writable(name: object) -> str:
    return str(name).encode("utf-8", "backslashreplace").decode()


def _quoted(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTED else f"{text[:LONGEST_QUOTED]}…"
