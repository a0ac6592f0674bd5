"""Values as JSON, JSON as values, and the JSON Schema of both: all three from the fields of a dataclass.

Rule 1: one definition. A dataclass says what is on the wire; nothing else repeats its names.
Rule 2: a reader passes over names that it does not know, and takes the default for a missing name that has one. So a
        client and a server of different versions understand each other.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any, Final, TypeVar

T = TypeVar("T")

_SIMPLE: Final[dict[object, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


def plain(value: object) -> Any:
    """As JSON has it. What JSON has no form for is its text: a fact in an error may be any object."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return value.decode("utf-8", "surrogateescape")
        case Mapping():
            return {str(name): plain(item) for name, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in _hints(type(value))}
    return str(value)


def made(kind: type[T], value: object) -> T:
    """The value of this type that was written as this JSON. Raises ValueError where it cannot be one."""
    found: T = _made(kind, value)
    return found


def _made(kind: Any, value: Any) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        for one in arguments:
            try:
                return _made(one, value)
            except ValueError:
                continue
        raise ValueError(f"{value!r} is no {kind}")
    if origin is typing.Literal or kind in (Any, object):
        return value  # a word of a newer server is still a word
    if origin is tuple:
        items = _listed(value)
        if arguments[1:] == (...,):
            return tuple(_made(arguments[0], item) for item in items)
        if len(items) != len(arguments):
            raise ValueError(f"{value!r} has not {len(arguments)} parts")
        return tuple(_made(one, item) for one, item in zip(arguments, items, strict=True))
    if origin is list:
        return [_made(arguments[0], item) for item in _listed(value)]
    if origin in (dict, Mapping):
        if not isinstance(value, Mapping):
            raise ValueError(f"{value!r} is no object")
        return {name: _made(arguments[1], item) for name, item in value.items()}
    if dataclasses.is_dataclass(kind):
        return _object(kind, value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{value!r} is no {kind.__name__}")
    return value


def _object(kind: Any, value: object) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError(f"{value!r} is no {kind.__name__}")
    hints = _hints(kind)
    found = {name: _made(hint, value[name]) for name, hint in hints.items() if name in value}
    try:
        return kind(**found)
    except TypeError as error:
        raise ValueError(f"{kind.__name__}: {error}") from None


def _listed(value: object) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{value!r} is no list")
    return list(value)


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    """The fields of a dataclass, each with its type."""
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def schema(kind: Any, named: dict[str, Any]) -> dict[str, Any]:
    """Of this type, in JSON Schema. The dataclasses in it are put into `named`, and referred to by their names."""
    if kind in _SIMPLE:
        return {"type": _SIMPLE[kind]}
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [schema(one, named) for one in arguments]}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin is tuple and arguments[1:] != (...,):
        parts = [schema(one, named) for one in arguments]
        return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
    if origin in (tuple, list):
        return {"type": "array", "items": schema(arguments[0], named)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema(arguments[1], named)}
    if dataclasses.is_dataclass(kind):
        name = getattr(kind, "__name__", "")
        if name not in named:
            named[name] = {}  # it may hold itself
            hints = _hints(typing.cast(type, kind))
            properties = {field: schema(hint, named) for field, hint in hints.items()}
            named[name] = {"type": "object", "properties": properties, "required": list(properties)}
        return {"$ref": f"#/components/schemas/{name}"}
    return {}
