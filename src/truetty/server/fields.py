"""The kinds of value that a verb takes: how each is read, and its JSON Schema.

Rule 1: nothing is guessed. A number in quotes is no number, `true` is no number, NaN is none.
Rule 2: a query string has texts only. There a number, a switch and a list are written as JSON has them.
Rule 3: a refusal is a `Misuse` that says which field, what is wrong with it and what is allowed; nothing has run.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from truetty.core import kinds, lazy, until
from truetty.core.errors import Misuse
from truetty.core.kinds import Wrong
from truetty.questions.replies import REPLIES
from truetty.server import limits
from truetty.server.refusals import TooLarge
from truetty.text.digest import Budget

NOTHING_RAN: Final = "Nothing was run."
_ID: Final = lazy.pattern(r"t\d+(-\d+)?")
_KEY: Final = lazy.pattern(r"[A-Za-z0-9_-]{8,64}")


@dataclass(frozen=True, slots=True)
class Kind:
    read: Callable[[Any], Any]  # raises Wrong
    schema: Mapping[str, Any]
    allowed: str
    is_text: bool = False  # in a query string it stands as it is


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    kind: Kind
    help: str = ""
    required: bool = False
    default: Any = None


def read(fields: tuple[Field, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a verb. Names that are no fields are passed over; null is as good as a missing one."""
    found: dict[str, Any] = {}
    for field in fields:
        value = given.get(field.name)
        if value is None:
            if field.required:
                raise Misuse(f"{field.name} is missing: {field.kind.allowed}. {NOTHING_RAN}", name=field.name)
            found[field.name] = field.default
            continue
        try:
            found[field.name] = field.kind.read(value)
        except Wrong as wrong:
            what = f"{field.name} = {kinds.quoted(value)}: {wrong}; allowed: {field.kind.allowed}"
            raise Misuse(
                f"{what}. {NOTHING_RAN}", name=field.name, allowed=field.kind.allowed, problem=str(wrong)
            ) from None
    return found


def from_query(fields: tuple[Field, ...], texts: Mapping[str, str]) -> dict[str, Any]:
    """What a query string says, as a JSON body would say it."""
    known = {field.name: field for field in fields}
    return {name: _value(known[name].kind, text) for name, text in texts.items() if name in known}


def _value(kind: Kind, text: str) -> Any:
    if kind.is_text:
        return text
    try:
        return decoded(text)
    except ValueError:
        return text


def decoded(text: str | bytes) -> Any:
    """JSON without NaN and infinities, which JSON does not have."""
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


# -- readers


def _text(longest: int | None = None, *, empty: bool = True) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise Wrong("it is no text")
        if not (value or empty):
            raise Wrong("it is empty")
        if longest is not None and len(value) > longest:
            raise TooLarge(f"more than {longest:,} characters. {NOTHING_RAN}", limit="characters", value=longest)
        return value

    return read


def _name(value: Any) -> str:
    found = _text(limits.LONGEST_NAME, empty=False)(value)
    if _ID.fullmatch(found):
        raise Wrong("it looks like an id, as t3 and t3-14 do, and a name must not")
    if not found.isprintable() or found != found.strip():
        raise Wrong("a name has visible characters only, and no blanks around it")
    return found


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Wrong("it is neither true nor false")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Wrong("it is no number")
    return value


def _seconds(value: Any) -> float:
    found = _number(value)
    if not 0 <= found < math.inf:
        raise Wrong("it is no such length of time")
    return float(found)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Wrong("it is no whole number")
    if not 0 <= value <= kinds.MOST:
        raise Wrong("it is negative, or too large")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Wrong("it is no list of texts")
    return tuple(value)


def _shell(value: Any) -> str | list[str]:
    return list(_texts(value)) if isinstance(value, list) else _text(empty=False)(value)


def _variables(value: Any, *, unset: bool) -> dict[str, str | None]:
    if not isinstance(value, dict):
        raise Wrong("it is no object of names and texts")
    if len(value) > limits.MOST_VARIABLES:
        raise Wrong(f"there are more than {limits.MOST_VARIABLES:,} variables")
    for name, text in value.items():
        if not (isinstance(text, str) or (unset and text is None)):
            raise Wrong(f"{name} is no text")
        if not name or "=" in name or "\0" in name or "\0" in (text or ""):
            raise Wrong(f"no variable can be {kinds.quoted(name)}")
    return value


def _bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(_text(limits.LONGEST_TEXT * 4 // 3 + 4)(value), validate=True)
    except binascii.Error:
        raise Wrong("it is no base64") from None


def _budget(value: Any) -> Budget:
    if isinstance(value, int) and not isinstance(value, bool):
        value = {"characters": value}
    try:
        table = kinds.table(value, ("characters", "head_share", "lines", "rest"))
        return Budget(**table)  # type: ignore[arg-type]  # it checks them
    except (Misuse, TypeError) as error:
        raise Wrong(str(error)) from None


def _pattern(value: Any) -> re.Pattern[str]:
    """As a program has compiled it: Python's own syntax."""
    table = kinds.table(value, ("pattern", "flags"))
    try:
        return re.compile(_text(empty=False)(table.get("pattern")), _whole(table.get("flags", 0)) & int(_FLAGS))
    except (re.error, ValueError, RecursionError, OverflowError) as error:
        raise Wrong(f"it is no regular expression: {error}") from None


_FLAGS: Final = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.ASCII | re.UNICODE


def _grep(value: Any) -> str | re.Pattern[str]:
    return value if isinstance(value, str) else _pattern(value)


def _until(value: Any) -> until.Until:
    """The words of `core/until.py`, or an object with the patterns or the screen's text of a program."""
    try:
        if isinstance(value, str):
            return until.read(value)
        table = kinds.table(value, ("match", "screen"))
        if "match" in table:
            given = table["match"]
            if not isinstance(given, list) or not given:
                raise Wrong("match is a list of patterns")
            return until.Match(*(_pattern(one) for one in given))
        wanted = table.get("screen")
        return until.Screen(wanted if isinstance(wanted, str) else _pattern(wanted))
    except Misuse as error:
        raise Wrong(str(error)) from None


def _kind_of_form(value: Any) -> str:
    if value not in ("text", "dump", "svg"):
        raise Wrong("there is no such form")
    return str(value)


def _answer(value: Any) -> str:
    if value not in ("allow", "deny", "always"):
        raise Wrong("there is no such answer")
    return str(value)


def key(text: object) -> str:
    """A retry key."""
    if not isinstance(text, str) or _KEY.fullmatch(text) is None:
        message = "a key has 8 to 64 of the characters A-Z, a-z, 0-9, _ and -"
        raise Misuse(f"{message}, not {kinds.quoted(text)}. {NOTHING_RAN}", key=str(text)[:100])
    return text


# -- kinds

_STRING: Final = {"type": "string"}
_PATTERN: Final = {
    "type": "object",
    "properties": {"pattern": _STRING, "flags": {"type": "integer"}},
    "required": ["pattern"],
}
_VALUES: Final = {"type": ["string", "null"]}

TEXT: Final = Kind(_text(), _STRING, "a text", is_text=True)
COMMAND: Final = Kind(_text(limits.LONGEST_COMMAND), _STRING, "a command line", is_text=True)
TYPED: Final = Kind(_text(limits.LONGEST_TEXT), _STRING, "a text", is_text=True)
NAME: Final = Kind(_name, _STRING, "a name that is no id", is_text=True)
PATH: Final = Kind(_text(empty=False), _STRING, "a path on the server's machine", is_text=True)
FLAG: Final = Kind(_flag, {"type": "boolean"}, "true or false")
SECONDS: Final = Kind(_seconds, {"type": "number", "minimum": 0}, "a number of seconds, 0 or more")
COUNT: Final = Kind(_whole, {"type": "integer", "minimum": 0}, "a whole number, 0 or more")
SIZE: Final = Kind(
    kinds.SIZE.read,
    {"type": "array", "prefixItems": [{"type": "integer"}] * 2, "minItems": 2, "maxItems": 2},
    "columns and rows, as [120, 30]",
)
TEXTS: Final = Kind(_texts, {"type": "array", "items": _STRING}, "a list of texts")
SHELL: Final = Kind(
    _shell,
    {"anyOf": [_STRING, {"type": "array", "items": _STRING}]},
    "a name, a path, or a list of such a one and its arguments",
    is_text=True,
)
CHANGES: Final = Kind(
    lambda value: _variables(value, unset=True),
    {"type": "object", "additionalProperties": _VALUES},
    'variables, as {"CI": "1"}; null unsets',
)
ENVIRON: Final = Kind(
    lambda value: _variables(value, unset=False),
    {"type": "object", "additionalProperties": _STRING},
    'a whole environment, as {"PATH": "/bin", "HOME": "/root"}',
)
BASE64: Final = Kind(_bytes, {"type": "string", "contentEncoding": "base64"}, "bytes in base64", is_text=True)
BUDGET: Final = Kind(
    _budget,
    {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "object"}]},
    'a number of characters, or {"characters", "head_share", "lines", "rest"}',
)
GREP: Final = Kind(
    _grep,
    {"anyOf": [_STRING, _PATTERN]},
    "a regular expression in RE2's syntax, or {pattern, flags} in Python's",
    is_text=True,
)
UNTIL: Final = Kind(
    _until,
    {
        "anyOf": [
            _STRING,
            {"type": "object", "properties": {"match": {"type": "array", "items": _PATTERN}}, "required": ["match"]},
            {"type": "object", "properties": {"screen": {"anyOf": [_STRING, _PATTERN]}}, "required": ["screen"]},
        ]
    },
    f"{', '.join(until.WORDS)}; {{match: [{{pattern, flags}}]}}; {{screen: TEXT or {{pattern, flags}}}}",
    is_text=True,
)
REPLY_RULES: Final = Kind(REPLIES.read, {"type": "array", "items": {"type": "object"}}, "a list of {pattern, answer}")
ANSWER: Final = Kind(_answer, {"enum": ["allow", "deny", "always"]}, "allow, deny or always", is_text=True)
FORM: Final = Kind(_kind_of_form, {"enum": ["text", "dump", "svg"]}, "text, dump or svg", is_text=True)
