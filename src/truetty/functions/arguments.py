"""What a model sent, as a verb takes it.

Rule 1: a wrong value is refused by a sentence that says what is allowed: the model reads it and tries again.
Rule 2: absent, null and an empty text are the same, since strict schemas make models send every parameter. So is 0
        where it would mean nothing (`Parameter.zero`).
Rule 3: if a value can be read in two ways, a note says how it was read.
Rule 4: only the service knows which ids there are, so a missing `id` is not refused here.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, overload

from truetty.core import kinds, lazy, patterns
from truetty.core import until as untils
from truetty.core.errors import Misuse
from truetty.core.kinds import Kind, Wrong
from truetty.core.until import Until
from truetty.functions import names
from truetty.functions.table import ID, PASSED_OVER, Parameter, Type, Unit, Verb

# More characters, lines and tokens than any command prints, and a number that every part below can count with.
LARGEST_COUNT: Final = 10**12
# From this number on a bare time is in milliseconds: 1000 seconds are too long for one call, and a wait of less than a
# second is not asked for in milliseconds.
LEAST_MILLISECONDS: Final = 1000
MOST_NAMES: Final = 5  # of those passed over, in a note
# JSON can name one half of a surrogate pair, which cannot be encoded: neither for a terminal nor in an answer.
_HALF: Final = lazy.pattern("[\ud800-\udfff]")
_UNITS: Final = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}
_WITH_UNIT: Final = lazy.pattern(rf"\s*(\d+(?:\.\d+)?)\s*({'|'.join(_UNITS)})\s*", re.IGNORECASE)


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
        """What to wait for: `until` in words, or the parameter that is named like one."""
        named: list[Until] = []
        if (words := self.text("until")) is not None:
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
            raise Misuse("wait is for one thing: until, match, idle or port", known=["until", "match", "idle", "port"])
        return named[0] if named else untils.Settled()


def read_arguments(verb: Verb, call: object) -> CallArguments:
    """`call` is what a model sent: an object, or its JSON text as OpenAI sends it."""
    reading = _Reading(verb)
    for name, value in _object(verb, call).items():
        reading.take(name if isinstance(name, str) else str(name), value)
    return reading.finish()


class _Reading:
    """The arguments of one call, one after another."""

    def __init__(self, verb: Verb) -> None:
        self._verb = verb
        self._known = [each.name for each in verb.parameters]
        self._values: dict[str, object] = {}
        self._sources: dict[str, str] = {}  # the name under which each came
        self._notes: list[str] = []
        self._passed_over: list[str] = []

    def take(self, name: str, value: object) -> None:
        if value is None or name in PASSED_OVER:
            return
        found = names.find(self._verb, name)
        if found is None:
            self._passed_over.append(names.spelling(name))
            return
        parameter, unit = found
        if _is_absent(parameter, unit, value):
            return
        item = self._read(parameter, name, unit, value)
        if parameter.name not in self._values:
            self._values[parameter.name], self._sources[parameter.name] = item, name
        elif self._values[parameter.name] != item:
            both = f"{self._sources[parameter.name]} and {name}"
            message = f"{both} are one parameter of {self._verb.name}: give one of them"
            raise Misuse(message, parameter=name, known=self._known)

    def _read(self, parameter: Parameter, name: str, unit: Unit, value: object) -> object:
        kind = _KINDS[parameter.type]
        try:
            if parameter.type == "number":
                return self._seconds(name, unit, value)
            if parameter.line and isinstance(value, list):
                return self._line(name, value)
            return kind.read(value)
        except Wrong as wrong:
            message = f"{name} of {self._verb.name} is {kind.allowed}, not {kinds.quoted(value)}: {wrong}"
            raise Misuse(message, parameter=name, wanted=kind.allowed) from None

    def _seconds(self, name: str, unit: Unit, value: object) -> float:
        if isinstance(value, str) and (found := _WITH_UNIT.fullmatch(value)):
            seconds = kinds.real_number(float(found[1]) * _UNITS[found[2].lower()], 0)
            self._notes.append(f"{name} {json.dumps(value)} was read as {seconds:g} seconds")
            return seconds
        number = kinds.real_number(value, 0)
        if unit == "either" and number >= LEAST_MILLISECONDS:
            how = "it is how long this call waits, and ends no command"
            self._notes.append(f"{name} {number:g} was read as milliseconds; {how}")
            return number / 1000
        return number / 1000 if unit == "milliseconds" else number

    def _line(self, name: str, value: list[object]) -> str:
        """A program and its arguments, as Codex sends them, are a line for the shell; one text is the line itself."""
        words = [_text(item) for item in value]
        self._notes.append(f"{name} came as a list and ran as one line")
        return words[0] if len(words) == 1 else shlex.join(words)

    def finish(self) -> CallArguments:
        shown = ", ".join(self._passed_over[:MOST_NAMES])
        if len(self._passed_over) > MOST_NAMES:
            shown += f" and {len(self._passed_over) - MOST_NAMES} more"
        for parameter in self._verb.parameters:
            if parameter.required and parameter.name not in self._values and parameter is not ID:
                has = f"; it has {shown}" if shown else ""
                message = f"{self._verb.name} needs {parameter.name}{has}"
                raise Misuse(message, parameter=parameter.name, known=self._known)
        notes = (*self._notes, f"passed over: {shown}") if shown else tuple(self._notes)
        return CallArguments(self._values, notes)


def _is_absent(parameter: Parameter, unit: Unit, value: object) -> bool:
    if value == "":
        return not (parameter.zero and parameter.type == "string")
    if value == []:
        return True
    is_number = parameter.type in ("number", "integer") and not isinstance(value, bool)
    return is_number and value in (0, "0") and (unit == "either" or not parameter.zero)


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
        listed = _list_in(value)
        return [_text(value)] if listed is None else _texts(listed)
    if not isinstance(value, Sequence):
        raise Wrong("it is no list")
    return [_text(item) for item in value]


def _list_in(text: str) -> list[object] | None:
    """A list that came as its JSON text; `[` alone is a key."""
    try:
        found = json.loads(text) if text.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _count(value: object) -> int:
    number = kinds.real_number(value, 0)
    if number > LARGEST_COUNT:
        raise Wrong("it is too large")
    if not number.is_integer():
        raise Wrong("it is no whole number")
    return int(number)


_KINDS: Final[Mapping[Type, Kind[object]]] = {
    "string": Kind(_text, "a text"),
    "number": Kind(lambda value: kinds.real_number(value, 0), "a number, 0 or more"),
    "integer": Kind(_count, "a whole number, 0 or more"),
    "boolean": kinds.FLAG,
    "strings": Kind(_texts, "a list of texts"),
}
