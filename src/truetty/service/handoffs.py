"""A terminal in a person's hands: for secrets, and for whatever an agent should not type.

Rule 1: one writer at a time. While a person has a terminal, nobody else types into it.
Rule 2: a ticket is made by chance, is for one terminal, and is worth nothing once it was given back.
Rule 3: what a person types is kept nowhere: not in a report, not in a log, not in an error.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Final

from truetty.core.errors import Denied, LimitReached, Misuse
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal

# Tickets nobody used. Each is a terminal that an agent cannot type into.
MOST: Final = 64


@dataclass(frozen=True, slots=True)
class Handoff:
    """An invitation: whoever has the ticket may type into this terminal."""

    terminal_id: str
    command_id: str
    reason: str
    ticket: str = field(repr=False)


class Handoffs:
    def __init__(self) -> None:
        self._open: dict[str, tuple[Handoff, Terminal, Command]] = {}

    def offer(self, terminal: Terminal, command: Command, reason: str) -> Handoff:
        """The open one for this terminal, or a new one."""
        for handoff, offered, running in self._open.values():
            if offered is terminal and running is command:
                return handoff
        self.held(terminal)  # drops those that are over
        if len(self._open) >= MOST:
            raise LimitReached("too many terminals wait for people", limit="handoffs", value=MOST)
        handoff = Handoff(terminal.id, command.id, reason, secrets.token_urlsafe(24))
        self._open[handoff.ticket] = (handoff, terminal, command)
        return handoff

    def held(self, terminal: Terminal) -> Handoff | None:
        """The handoff that keeps others from typing into this terminal."""
        for ticket, (handoff, offered, command) in list(self._open.items()):
            if command.finished or offered.closed:
                del self._open[ticket]
            elif offered is terminal:
                return handoff
        return None

    def find(self, ticket: str) -> tuple[Handoff, Terminal, Command]:
        for known, found in self._open.items():
            if secrets.compare_digest(known.encode(), ticket.encode()):
                return found
        raise Denied("this ticket is not valid, or no longer", reason="unknown ticket")

    async def type(self, ticket: str, text: str) -> None:
        """What a person types, as it is."""
        _, _, command = self.find(ticket)
        if not isinstance(text, str):
            raise Misuse("only text can be typed")
        await command.send(text)

    def give_back(self, ticket: str) -> None:
        """The person is done."""
        handoff, _, _ = self.find(ticket)
        del self._open[handoff.ticket]
