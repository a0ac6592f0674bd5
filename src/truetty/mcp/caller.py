"""What the tools need of the client that calls: permission, live output for it, and a way to show a person a link."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from truetty.policy import Decision

# What the client answers, not the user: one that shows nothing may decline too.
Reply = Literal["accepted", "declined", "unreachable"]


@dataclass(frozen=True, slots=True)
class LinkOffer:
    message: str  # beside the link
    about: str  # tells this offer from others when the call comes again with the answer
    again: bool = False  # it was offered before, and not accepted: only an answer that this call brings counts


class Caller(Protocol):
    """A client's side of one call."""

    @property
    def wants_progress(self) -> bool: ...

    async def progress(self, seconds: float, text: str) -> None:
        """Live output, or a message that the command still runs."""

    async def permit(self, decision: Decision) -> bool | None:
        """Ask the user; None when the client cannot."""

    async def show_link(self, link: Callable[[], Awaitable[str]], offer: LinkOffer) -> Reply:
        """Offer the user a page; "unreachable" when the client cannot.

        `link` makes one: it is called only where the user is to see it.
        """
