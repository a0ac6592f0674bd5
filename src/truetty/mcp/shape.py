"""The one answer of all tools as an output schema: `functions/answer.py` says which names it has and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from truetty.functions.answer import FIELDS


def _or_null(**kind: object) -> Mapping[str, object]:
    """Not by a list of types: not every client's dialect of JSON Schema has those."""
    return {"anyOf": [kind, {"type": "null"}]}


_TEXT: Final = _or_null(type="string")
_WHOLE: Final = _or_null(type="integer")
_NUMBER: Final = _or_null(type="number")
_FLAG: Final = _or_null(type="boolean")
_TABLE: Final = _or_null(type="object")
_TABLES: Final = _or_null(type="array", items={"type": "object"})

# Whatever is not named here is a text.
_KINDS: Final[Mapping[str, Mapping[str, object]]] = {
    "state": _or_null(type="string", enum=["finished", "running", "waiting", "lost"]),
    "notes": {"type": "array", "items": {"type": "string"}},
    "notices": {"type": "array", "items": {"type": "object"}},
    **dict.fromkeys(("exit_code", "omitted", "original_tokens", "offset", "next_offset"), _WHOLE),
    **dict.fromkeys(("complete", "closed"), _FLAG),
    **dict.fromkeys(("waiting", "screen", "error"), _TABLE),
    **dict.fromkeys(("matches", "terminals"), _TABLES),
    "duration": _NUMBER,
}

MISREAD: Final = frozenset({"exit_code", "omitted", "reached"})


def schema() -> dict[str, object]:
    """Without the meanings, but for what could be misread: eight tools carry it, and some clients show it to models."""
    said = {name: {"description": help} if name in MISREAD else {} for name, help in FIELDS.items()}
    properties = {name: {**_KINDS.get(name, _TEXT), **said[name]} for name in FIELDS}
    return {"type": "object", "properties": properties, "required": list(FIELDS)}
