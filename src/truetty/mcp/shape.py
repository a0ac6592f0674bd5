"""The one answer of all tools as an output schema, made from `FIELDS` of `functions/result.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from truetty.functions.result import FIELDS, Type


def _or_null(**kind: object) -> Mapping[str, object]:
    """Not by a list of types: not every client's dialect of JSON Schema has those."""
    return {"anyOf": [kind, {"type": "null"}]}


_SCHEMAS: Final[Mapping[Type, Mapping[str, object]]] = {
    "state": _or_null(type="string", enum=["finished", "running", "waiting", "lost"]),
    "text": _or_null(type="string"),
    "whole": _or_null(type="integer"),
    "number": _or_null(type="number"),
    "flag": _or_null(type="boolean"),
    "object": _or_null(type="object"),
    "objects": _or_null(type="array", items={"type": "object"}),
    "texts": {"type": "array", "items": {"type": "string"}},
}
_NEVER_NULL: Final[Mapping[str, Mapping[str, object]]] = {"notices": {"type": "array", "items": {"type": "object"}}}

MISREAD: Final = frozenset({"exit_code", "omitted", "reached"})


def schema() -> dict[str, object]:
    """Without the meanings, but for what could be misread: eight tools carry it, and some clients show it to models."""
    help = {name: {"description": field.help} if name in MISREAD else {} for name, field in FIELDS.items()}
    kinds = {name: _NEVER_NULL.get(name, _SCHEMAS[field.type]) for name, field in FIELDS.items()}
    properties = {name: {**kinds[name], **help[name]} for name in FIELDS}
    return {"type": "object", "properties": properties, "required": list(FIELDS)}
