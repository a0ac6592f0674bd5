"""What several registries have together, those of all clients of one server: open terminals, and bytes on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self
from weakref import WeakSet

from truetty.core.checks import check_count
from truetty.settings import Settings
from truetty.store.spill import Allowance


class Sharer(Protocol):
    @property
    def places(self) -> int: ...  # terminals that are open, and places kept for those being opened

    def __hash__(self) -> int: ...


class Capacity:
    """How many terminals may be open."""

    def __init__(self, limit: int | None) -> None:
        check_count("limit", limit)
        self.limit = limit
        self._members: WeakSet[Sharer] = WeakSet()

    def join(self, member: Sharer) -> None:
        self._members.add(member)

    def room(self, member: Sharer) -> int | None:
        """How many this one may have at most, beside what the others have; None: there is no limit."""
        if self.limit is None:
            return None
        return self.limit - sum(one.places for one in self._members if one is not member)


@dataclass(frozen=True, slots=True)
class Shared:
    capacity: Capacity
    total: Allowance  # of all transcripts on disk

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(Capacity(settings.terminals), Allowance(settings.total_quota))
