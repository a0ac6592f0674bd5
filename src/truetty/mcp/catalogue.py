"""The catalogue: the eight verbs as tools, with what only clients of MCP see or get of them, and their one answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Final

from truetty.functions import schemas
from truetty.functions.result import FIELDS, Type
from truetty.functions.table import VERBS, Parameter, Verb

TITLES: Final = {
    "run": "Run a command",
    "read": "Read output",
    "wait": "Wait for a command",
    "send": "Type into a command",
    "screen": "Look at the screen",
    "stop": "Stop a command",
    "terminals": "List terminals",
    "handoff": "Hand over to the user",
}
# Only a session remembers what its client was shown.
_ONLY_NEW: Final = Parameter("only_new", "boolean", "Show only output that no call has shown before.", listed=False)
_REMEMBERING: Final = ("wait", "send")
# Fields whose meaning is in the schema: eight tools carry it, and some clients show it to models.
_EXPLAINED: Final = ("exit_code", "omitted", "reached")


def _tool(verb: Verb) -> Verb:
    more = (_ONLY_NEW,) if verb.name in _REMEMBERING else ()
    return dataclasses.replace(verb, parameters=(*verb.parameters, *more))


TOOLS: Final[Mapping[str, Verb]] = {verb.name: _tool(verb) for verb in VERBS}


def input_schema(verb: Verb) -> schemas.Schema:
    """Open: some clients hold a call against it, and names from other tools must come through."""
    return schemas.parameters(verb, closed=False, nullable=True)


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
    "notices": {"type": "array", "items": {"type": "object"}},
}


def output_schema() -> dict[str, object]:
    """Of the answer of every tool."""
    properties = {
        name: {**_SCHEMAS[field.type], **({"description": field.help} if name in _EXPLAINED else {})}
        for name, field in FIELDS.items()
    }
    return {"type": "object", "properties": properties, "required": list(FIELDS)}
