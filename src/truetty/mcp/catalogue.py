"""What clients of MCP see of the verbs beside their table: titles, and the schema of their one answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Final

from truetty.functions import schemas
from truetty.functions.result import FIELDS, Type
from truetty.functions.table import RUN_WAIT, Parameter, Verb
from truetty.functions.verbs import Patience

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
# Fields whose meaning is in the schema: eight tools carry it, and some clients show it to models.
_EXPLAINED: Final = ("exit_code", "omitted", "reached")


def input_schema(verb: Verb, patience: Patience) -> schemas.Schema:
    """Open: some clients hold a call against it, and names from other tools must come through."""
    parameters = tuple(_with_default(one, patience) for one in verb.parameters)
    return schemas.parameters(dataclasses.replace(verb, parameters=parameters), closed=False, nullable=True)


def _with_default(parameter: Parameter, patience: Patience) -> Parameter:
    """With the wait of this server as its default."""
    if parameter.name != "wait" or not isinstance(parameter.default, float):
        return parameter
    usual = patience.usual if parameter.default == RUN_WAIT else parameter.default
    return dataclasses.replace(parameter, default=patience.of(usual))


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
