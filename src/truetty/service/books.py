"""What several services on one registry have together: the same commands, notices, handoffs and leases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn, Self

from truetty.service.commands import Commands
from truetty.service.handoffs import Handoffs
from truetty.service.leases import Leases
from truetty.service.notices import Notices
from truetty.service.places import Places
from truetty.service.registry import Registry
from truetty.service.texts import TextFiles


@dataclass(frozen=True, slots=True)
class Books:
    commands: Commands
    handoffs: Handoffs
    leases: Leases = field(default_factory=Leases)
    notices: Notices = field(default_factory=Notices)
    places: Places = field(default_factory=Places)
    texts: TextFiles = field(default_factory=TextFiles)

    @classmethod
    def of(cls, registry: Registry, refuse: Callable[[str], NoReturn]) -> Self:
        """`refuse` raises, for a ticket that does not work."""
        return cls(Commands(registry), Handoffs(refuse))

    async def close(self) -> None:
        self.commands.cancel()
        await self.handoffs.close()
        await self.leases.close()
        await self.notices.close()
