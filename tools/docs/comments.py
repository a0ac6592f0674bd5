"""For mkdocstrings: an attribute without a docstring has the comment behind it for one."""

from __future__ import annotations

import ast

import griffe


class Comments(griffe.Extension):  # type: ignore[misc]  # griffe is in the environment of the site alone
    def on_attribute_instance(self, *, node: ast.AST | griffe.ObjectNode, attr: griffe.Attribute, **_: object) -> None:
        """`node` is an `ObjectNode` where griffe has imported the module instead of reading it."""
        if attr.docstring is not None or isinstance(node, griffe.ObjectNode) or attr.lineno is None:
            return
        comment = attr.lines_collection[attr.filepath][attr.lineno - 1].partition("  # ")[2]
        if comment:
            attr.docstring = griffe.Docstring(f"{comment[0].upper()}{comment[1:]}.", parent=attr)
