"""Public names that are imported when a program first uses them.

A package sets `__getattr__ = lazy.names(__name__, globals(), HOMES)`. The names stand under `TYPE_CHECKING` too, for
type checkers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def names(
    package: str, found: dict[str, object], homes: Mapping[str, Sequence[str]], modules: Sequence[str] = ()
) -> Callable[[str], object]:
    """The `__getattr__` of a package: `homes` has the names of each module, `modules` those that are names themselves.

    What was found is put into `found`, so that it is looked up once.
    """
    home = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> object:
        if name in modules:
            return import_module(f"{package}.{name}")  # the import itself makes it an attribute
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found[name] = load(home[name], name)
        return found[name]

    return get


def load(module: str, name: str) -> Any:
    """A name of a module that the caller does not import: it is looked up when a program first uses it."""
    return getattr(import_module(module), name)
