"""What a model sent, as a verb takes it.

Rule 1: what cannot be meant is refused by a sentence that says what is allowed: the model reads it and tries again.
Rule 2: absent and null are the same, since strict schemas make models send every parameter.
Rule 3: which ids there are is known to the service alone, so a missing `id` is not refused here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, overload

from truetty.core import kinds, patterns
from truetty.core import until as untils
from truetty.core.errors import Misuse
from truetty.core.kinds import Kind, Wrong
from truetty.core.until import Until
from truetty.functions.table import ID, PASSED_OVER, Parameter, Type, Unit, Verb

# More characters, lines and tokens than any command prints, and a number that every part below can count with.
LARGEST_COUNT: Final = 10**12
# Nobody waits a quarter of an hour in one call, and nobody means less than a second by a number of milliseconds.
LEAST_MILLISECONDS: Final = 1000
# JSON can name half of a character; no terminal can be sent one, and no answer can hold it.
_HALF: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class CallArguments:
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

    def until(self) -> Until:
        """What to wait for: `for` in words, or the parameter that is named like one."""
        named: list[Until] = []
        if (words := self.text("for")) is not None:
            bare = words.strip()
            if not (bare in ("match", "idle", "port") and bare in self.values):
                named.append(untils.read(words))
        if (pattern := self.text("match")) is not None:
            named.append(untils.Match(patterns.BoundedPattern(pattern)))
        if (seconds := self.number("idle")) is not None:
            named.append(untils.Idle(seconds))
        if (number := self.whole("port")) is not None:
            named.append(untils.Port(number))
        if len(named) > 1:
            raise Misuse("wait is for one thing: for, match, idle or port", known=["for", "match", "idle", "port"])
        return named[0] if named else untils.Settled()


def read_arguments(verb: Verb, call: object) -> CallArguments:
    """`call` is what a model sent: an object, or its JSON text as OpenAI sends it."""
    names = {name: (each, unit) for each in verb.parameters for name, unit in _names(each)}
    known = [each.name for each in verb.parameters]
    values: dict[str, object] = {}
    sources: dict[str, object] = {}
    notes: list[str] = []
    for name, value in _object(verb, call).items():
        if value is None or name in PASSED_OVER:
            continue
        if name not in names:
            message = f"{verb.name} has no parameter {kinds.quoted(name)}: it takes {', '.join(known) or 'none'}"
            raise Misuse(message, parameter=str(name).encode("utf-8", "backslashreplace").decode(), known=known)
        parameter, unit = names[name]
        if parameter.name in sources:
            both = f"{sources[parameter.name]} and {name}"
            raise Misuse(f"{both} are one parameter of {verb.name}: give one of them", parameter=name, known=known)
        sources[parameter.name] = name
        kind = _KINDS[parameter.type]
        try:
            item = kind.read(value)
        except Wrong as wrong:
            message = f"{name} of {verb.name} is {kind.allowed}, not {kinds.quoted(value)}: {wrong}"
            raise Misuse(message, parameter=name, wanted=kind.allowed) from None
        values[parameter.name] = _in_seconds(item, str(name), unit, notes) if isinstance(item, float) else item
    for parameter in verb.parameters:
        if parameter.required and parameter.name not in values and parameter is not ID:
            needed = f"{verb.name} needs {parameter.name}. {parameter.description}"
            raise Misuse(needed, parameter=parameter.name, known=known)
    return CallArguments(values, tuple(notes))


def _in_seconds(value: float, name: str, unit: Unit, notes: list[str]) -> float:
    if unit == "either" and value >= LEAST_MILLISECONDS:
        notes.append(f"{name} {value:g} was read as milliseconds; it is how long this call waits, and ends no command")
        return value / 1000
    return value / 1000 if unit == "milliseconds" else value


def _names(parameter: Parameter) -> list[tuple[object, Unit]]:
    return [(parameter.name, "same"), *parameter.aliases.items()]


def _object(verb: Verb, call: object) -> Mapping[object, object]:
    if isinstance(call, str):
        try:
            call = json.loads(call) if call.strip() else {}
        except (ValueError, RecursionError) as error:
            raise Misuse(f"the arguments of {verb.name} are not JSON: {error}", verb=verb.name) from error
    if call is None:
        return {}
    if not isinstance(call, Mapping):
        raise Misuse(f"the arguments of {verb.name} are an object, not {kinds.quoted(call)}", verb=verb.name)
    return call


# -- one value: a number or a truth may come as text, and one text as a list of it


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Wrong("it is no text")
    if _HALF.search(value):
        raise Wrong("it holds half a character")
    return value


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [_text(value)]
    if not isinstance(value, Sequence):
        raise Wrong("it is no list")
    return [_text(item) for item in value]


def _count(value: object) -> int:
    number = kinds.real_number(value, 0, LARGEST_COUNT)
    if not number.is_integer():
        raise Wrong("it is no whole number")
    return int(number)


_KINDS: Final[Mapping[Type, Kind[object]]] = {
    "string": Kind(_text, "a text"),
    "number": Kind(lambda value: kinds.real_number(value, 0), "a number, 0 or more"),
    "integer": Kind(_count, f"a whole number from 0 to {LARGEST_COUNT}"),
    "boolean": kinds.FLAG,
    "strings": Kind(_texts, "a list of texts"),
}
