"""Values as JSON, JSON as values, and the JSON Schema of both: all three from the fields of a dataclass.

Rule 1: one definition. A dataclass says what is on the wire; nothing else repeats its names.
Rule 2: a reader passes over names that it does not know, and takes the default for a missing name that has one. So a
        client and a server of different versions understand each other.
Rule 3: a field whose name ends in `_`, because Python has a word of that name, is on the wire without it: `from_` is
        `from`. Only `members` knows that.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

T = TypeVar("T")

_SIMPLE: Final[dict[object, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
_AS_IT_IS: Final[frozenset[object]] = frozenset(_SIMPLE)  # types whose values are JSON already


def plain(value: object) -> Any:
    """As JSON has it. What JSON has no form for is its text: a fact in an error may be any object."""
    if type(value) in _AS_IT_IS:
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            name: one if type(one := getattr(value, attribute)) in _AS_IT_IS else plain(one)
            for name, (attribute, _) in members(type(value)).items()
        }
    match value:
        case list() | tuple() | set() | frozenset():
            return [plain(item) for item in value]
        case bool() | int() | float() | str():
            return value
        case bytes():
            return value.decode("utf-8", "surrogateescape")
        case Mapping():
            return {str(name): plain(item) for name, item in value.items()}
    return str(value)


def made(kind: type[T], value: object) -> T:
    """The value of this type that was written as this JSON. Raises ValueError where it cannot be one."""
    reader: Reader = _reader(kind)  # type: ignore[arg-type]  # a type can be hashed
    found: T = reader(value)
    return found


Reader = Callable[[Any], Any]


@functools.cache
def _reader(kind: Any) -> Reader:
    """What makes a value of this type. It is made once: to take a type apart takes longer than to read a value."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _union(kind, [_reader(one) for one in arguments if one is not type(None)], type(None) in arguments)
    if origin is typing.Literal or kind in (Any, object):
        return lambda value: value  # a word of a newer server is still a word
    if origin is tuple and arguments[1:] == (...,):
        item = _reader(arguments[0])
        return lambda value: tuple(map(item, _listed(value)))
    if origin is tuple:
        return _parts([_reader(one) for one in arguments])
    if origin is list:
        item = _reader(arguments[0])
        return lambda value: list(map(item, _listed(value)))
    if origin in (dict, Mapping):
        item = _reader(arguments[1])
        return lambda value: {name: item(one) for name, one in _mapping(value, "object").items()}
    if dataclasses.is_dataclass(kind):
        return _object(kind)
    return _simple(kind)


def _union(kind: Any, readers: list[Reader], optional: bool) -> Reader:
    def read(value: Any) -> Any:
        if value is None and optional:
            return None
        for one in readers:
            try:
                return one(value)
            except ValueError:
                continue
        raise ValueError(f"{value!r} is no {kind}")

    return read


def _parts(readers: list[Reader]) -> Reader:
    def read(value: Any) -> Any:
        items = _listed(value)
        if len(items) != len(readers):
            raise ValueError(f"{value!r} has not {len(readers)} parts")
        return tuple(one(item) for one, item in zip(readers, items, strict=True))

    return read


def _object(kind: Any) -> Reader:
    fields: list[tuple[str, str, frozenset[object], Reader]] = []

    def read(value: Any) -> Any:
        if not fields:  # a type may hold itself
            fields[:] = [
                (name, attribute, _simple_types(hint), _reader(hint))
                for name, (attribute, hint) in members(kind).items()
            ]
        given = _mapping(value, kind.__name__)
        try:
            return kind(
                **{
                    attribute: one if type(one := given[name]) in as_it_is else reader(one)
                    for name, attribute, as_it_is, reader in fields
                    if name in given
                }
            )
        except TypeError as error:
            raise ValueError(f"{kind.__name__}: {error}") from None

    return read


def _simple_types(kind: Any) -> frozenset[object]:
    """Those whose values are of this type as JSON has them."""
    arguments = typing.get_args(kind) if typing.get_origin(kind) in (typing.Union, types.UnionType) else (kind,)
    return _AS_IT_IS.intersection(arguments)


def _simple(kind: Any) -> Reader:
    def read(value: Any) -> Any:
        if type(value) is kind:
            return value
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise ValueError(f"{value!r} is no {kind.__name__}")
        return value

    return read


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{value!r} is no {what}")
    return value


def _listed(value: object) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{value!r} is no list")
    return list(value)


@functools.cache
def members(kind: type) -> dict[str, tuple[str, Any]]:
    """The fields of a dataclass by their names on the wire: the name in Python, and the type."""
    hints = typing.get_type_hints(kind)
    return {field.name.removesuffix("_"): (field.name, hints[field.name]) for field in dataclasses.fields(kind)}


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
            found = members(typing.cast(type, kind))
            properties = {field: schema(hint, named) for field, (_, hint) in found.items()}
            named[name] = {"type": "object", "properties": properties, "required": list(properties)}
        return {"$ref": f"#/components/schemas/{name}"}
    return {}
