"""What costs time at the start is done when a program first needs it: names are imported, patterns are compiled.

A package sets `__getattr__ = lazy.names(__name__, globals(), HOMES)`. The names stand under `TYPE_CHECKING` too, for
type checkers.

A constant is `lazy.pattern(r"…")` in place of `re.compile(r"…")`. There are over 200 in the package, and most programs
need a few of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any


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


class _Pattern:
    """A regular expression that is compiled when it is first used. It is used like a compiled one."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._arguments = (pattern, flags)

    def __getattr__(self, name: str) -> object:
        value: object = getattr(re.compile(*self._arguments), name)
        setattr(self, name, value)  # from now on it is found without this method
        return value


if TYPE_CHECKING:
    pattern = re.compile
else:
    pattern = _Pattern
