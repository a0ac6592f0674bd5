"""A terminal in a person's hands: for secrets, and for whatever an agent should not type.

Rule 1: one writer at a time. While a person has a terminal, no agent types into it.
Rule 2: a ticket is made by chance, is for one command, and is worth nothing once the terminal was given back.
Rule 3: the terminal is the person's until it is given back, or until the command goes on after something was typed.
Rule 4: what a person types is kept nowhere: not in an answer, not in a log, not in an error.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, field
from typing import Final, Literal

from truetty import events
from truetty.core.errors import Denied, LimitReached, Misuse
from truetty.questions.prompts import SECRETS
from truetty.terminal.command import Command
from truetty.terminal.stream import Stream

# Tickets that nobody has used. Each is a terminal that an agent cannot type into.
MOST_HANDOFFS: Final = 64

# What becomes of typed text: the tty shows none of it; the program asks for a secret, but the tty may show it; neither.
Secrecy = Literal["hidden", "secret", "open"]


def secrecy(command: Command) -> Secrecy:
    """How the command takes what is typed now."""
    if command.finished:
        return "open"
    if command.hides_typing:
        return "hidden"
    waiting = command.waiting
    return "secret" if waiting is not None and waiting.asks in SECRETS else "open"


@dataclass(frozen=True, slots=True)
class Handoff:
    """An invitation: whoever has the ticket may type into this terminal."""

    terminal_id: str
    command_id: str
    reason: str
    ticket: str = field(repr=False)


@dataclass(slots=True)
class _Open:
    handoff: Handoff
    command: Command
    watcher: asyncio.Task[None] | None = None  # from the first typing on


class Handoffs:
    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}  # by ticket
        self._watchers: set[asyncio.Task[None]] = set()  # those that have not ended

    def offer(self, command: Command, reason: str) -> Handoff:
        """The open one for this command, or a new one."""
        self._drop_finished()
        for one in self._open.values():
            if one.command is command:
                return one.handoff
        if len(self._open) >= MOST_HANDOFFS:
            raise LimitReached("too many terminals wait for people", limit="handoffs", value=MOST_HANDOFFS)
        handoff = Handoff(command.terminal_id, command.id, reason, secrets.token_urlsafe(24))
        self._open[handoff.ticket] = _Open(handoff, command)
        return handoff

    def of(self, terminal_id: str) -> Handoff | None:
        """The handoff that keeps agents from typing into this terminal."""
        self._drop_finished()
        return next((one.handoff for one in self._open.values() if one.handoff.terminal_id == terminal_id), None)

    async def type(self, ticket: str, text: str) -> None:
        """What a person types, as it is."""
        one = self._find(ticket)
        if not isinstance(text, str):
            raise Misuse("only text can be typed")
        if one.watcher is None:
            one.watcher = asyncio.ensure_future(self._watch(one, one.command.events()))
            self._watchers.add(one.watcher)
            one.watcher.add_done_callback(self._watchers.discard)
        await one.command.send(text)

    def give_back(self, ticket: str) -> None:
        """The person is done."""
        self._end(self._find(ticket))

    async def close(self) -> None:
        for one in list(self._open.values()):
            self._end(one)
        if self._watchers:
            await asyncio.wait(set(self._watchers))

    def _find(self, ticket: str) -> _Open:
        self._drop_finished()
        for known, one in self._open.items():
            if secrets.compare_digest(known.encode(), ticket.encode("utf-8", "surrogatepass")):
                return one
        raise Denied("this ticket is not valid, or no longer", reason="unknown ticket")

    def _drop_finished(self) -> None:
        for one in list(self._open.values()):
            if one.command.finished:
                self._end(one)

    def _end(self, one: _Open) -> None:
        self._open.pop(one.handoff.ticket, None)
        if one.watcher is not None:
            one.watcher.cancel()

    async def _watch(self, one: _Open, stream: Stream) -> None:
        """Give the terminal back as soon as the command goes on."""
        try:
            async for event in stream:
                if isinstance(event, events.Resumed | events.Finished):
                    self._open.pop(one.handoff.ticket, None)
                    return
        finally:
            await stream.aclose()
