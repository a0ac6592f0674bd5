"""The public members of a module's classes, as their source has them, and what is said of each.

Of an attribute, that is the comment behind it. `tools/docs/comments.py` puts it on the page of the API, and
`tools/make_sync.py` into the blocking face.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Member(NamedTuple):
    owner: str
    name: str  # empty: the class itself
    text: str | None


def members(path: Path, classes: set[str]) -> Iterator[Member]:
    """The named classes of a file, their methods, properties, fields and attributes. Inherited ones are left out."""
    source = path.read_text()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name in classes:
            yield Member(node.name, "", ast.get_docstring(node))
            for name, text in _body(node.body, source.splitlines()):
                yield Member(node.name, name, text)


def _body(body: list[ast.stmt], lines: list[str], of: str = "") -> Iterator[tuple[str, str | None]]:
    """What stands in a class, or with `of` the attributes that its `__init__` sets on that name."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name == "__init__":
                yield from _body(node.body, lines, node.args.args[0].arg)
            elif not node.name.startswith("_") and not of and not _is_setter(node):
                yield node.name, ast.get_docstring(node)
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                name = _name(target, of)
                if name is not None and not name.startswith("_"):
                    yield name, lines[node.lineno - 1].partition("  # ")[2] or None


def _name(target: ast.expr, of: str) -> str | None:
    if not of:
        return target.id if isinstance(target, ast.Name) else None
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == of:
        return target.attr
    return None


def _is_setter(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(one, ast.Attribute) and one.attr == "setter" for one in node.decorator_list)
