"""What must outlive the process that knows it, as values that JSON takes.

A class names in `STANDS` those of its attributes that the next process cannot learn again. Everything else is learnt
from the bytes that came since, or from the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

Standing = Mapping[str, Any]


class Stands:
    __slots__ = ()

    STANDS: ClassVar[tuple[str, ...]] = ()

    def standing(self) -> Standing:
        return {name.strip("_"): _plain(getattr(self, name)) for name in self.STANDS}

    def stand(self, values: Standing) -> None:
        """As another process has left it. What is not in `values` stays: an older version did not know it."""
        for name in self.STANDS:
            if name.strip("_") in values:
                setattr(self, name, _like(getattr(self, name), values[name.strip("_")]))


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.name
    return sorted(value) if isinstance(value, set) else value


def _like(before: object, value: Any) -> object:
    """As a value of the kind that is there."""
    if isinstance(before, Enum):
        return type(before)[value]
    if isinstance(before, set):
        return set(value)
    if isinstance(value, list):
        values = [tuple(one) if isinstance(one, list) else one for one in value]
        return values if isinstance(before, list) else tuple(values)
    return value
