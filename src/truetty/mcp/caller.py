"""What the tools need of whoever calls: permission, a way to show live output, and a way to show a person a link."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

from truetty.policy import Decision

Reply = Literal["accepted", "declined", "nobody"]


class Caller(Protocol):
    """A client's side of one call."""

    @property
    def wants_progress(self) -> bool: ...

    async def progress(self, seconds: float, text: str) -> None:
        """Live output, or a sign of life."""

    async def permit(self, decision: Decision) -> bool | None:
        """Ask the user; None when nobody can be asked."""

    async def show_link(self, link: Callable[[], Awaitable[str]], message: str, about: str) -> Reply:
        """Offer the user a page; "nobody" when the client cannot.

        `link` makes one, which ends the one before: it is called only where the user is to see it. `about` tells this
        offer from others when the call comes again with the answer.
        """
