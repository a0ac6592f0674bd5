"""What must outlive the process that knows it, as values that JSON takes.

A class names in `STANDS` those of its attributes that the next process cannot learn again. Everything else is learnt
from the bytes that came since, or from the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar, Final

Standing = Mapping[str, Any]

_AS_IT_IS: Final = frozenset({str, int, float, bool, type(None)})  # types whose values are JSON already


class Stands:
    __slots__ = ()

    STANDS: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[tuple[tuple[str, str], ...]] = ()  # in a record, and of the attribute

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._names = tuple((name.strip("_"), name) for name in cls.STANDS)

    def standing(self) -> Standing:
        return {
            name: one if type(one := getattr(self, attribute)) in _AS_IT_IS else _plain(one)
            for name, attribute in self._names
        }

    def stand(self, values: Standing) -> None:
        """As another process has left it. What is not in `values` stays: an older version did not know it."""
        for name, attribute in self._names:
            if name in values:
                setattr(self, attribute, _like(getattr(self, attribute), values[name]))


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
