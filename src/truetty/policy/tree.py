"""The parser's syntax tree, as JSON values: typed access that fails closed.

Rule 1: an unknown field or node is `Unreadable`: what a newer parser adds must not be overlooked.
Rule 2: positions are known by their shape and never asked for by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

Node = Mapping[str, object]

_PLACE: Final = frozenset({"Offset", "Line", "Col"})


class Unreadable(Exception):
    """This text cannot be understood; the message is a sentence that says why, `remedy` one that says what to do."""

    def __init__(self, reason: str, remedy: str = "Write it shorter and plainer, so that it can be checked.") -> None:
        super().__init__(reason)
        self.remedy = remedy


def only(node: Node, *known: str) -> None:
    """Refuse fields that are not known here."""
    for name, value in node.items():
        if name not in known and not _is_place(value):
            raise Unreadable(f"The parser speaks of {kind(node)} {name}, which is not known here.")


def kind(node: Node) -> str:
    value = node.get("Type", "")
    return value if isinstance(value, str) else "?"


def child(node: Node, name: str) -> Node | None:
    value = node.get(name)
    if value is None or isinstance(value, Mapping):
        return value
    raise Unreadable(f"The parser's {name} is not what it used to be.")


def children(node: Node, name: str) -> Sequence[Node]:
    value = node.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise Unreadable(f"The parser's {name} is not what it used to be.")
    return value


def text(node: Node, name: str = "Value") -> str:
    value = node.get(name, "")
    if not isinstance(value, str):
        raise Unreadable(f"The parser's {name} is not what it used to be.")
    return value


def flag(node: Node, name: str) -> bool:
    return bool(node.get(name))


def span(node: Node) -> tuple[int, int]:
    """Where the node stands in the source, in bytes."""
    return _offset(node.get("Pos")), _offset(node.get("End"))


def operator(node: Node) -> str:
    value = node.get("Op", "")
    if isinstance(value, str):
        return value
    # shfmt before 3.14 numbers its operators, and every version numbers them anew.
    raise Unreadable("The parser is too old: shfmt 3.14 or newer is needed.")


def _offset(place: object) -> int:
    if not isinstance(place, Mapping):
        return 0
    value = place.get("Offset", 0)
    return value if isinstance(value, int) else 0


def _is_place(value: object) -> bool:
    return isinstance(value, Mapping) and bool(value) and value.keys() <= _PLACE
