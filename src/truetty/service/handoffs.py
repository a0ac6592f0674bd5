"""A terminal that a person types into: for secrets, and for other text that an agent should not type.

Rule 1: one writer at a time. While a person has a terminal, no agent types into it.
Rule 2: a ticket is random, is for one command, and no longer works once the terminal was given back.
Rule 3: an offer that no person has taken blocks no agent. The terminal is the person's from when the ticket is taken
        until it is given back, or until the command goes on after something was typed.
Rule 4: what a person types is kept nowhere: not in an answer, not in a log, not in an error. Only the number of
        characters is recorded.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal, NoReturn, Protocol

from truetty import events
from truetty.core.errors import LimitReached, Misuse
from truetty.questions.description import SECRETS
from truetty.terminal.changes import Rank
from truetty.terminal.command import Command
from truetty.terminal.stream import Stream

# Tickets that work. Each is for a terminal that a person may type into.
MOST_HANDOFFS: Final = 64

GIVEN_BACK: Final = "The person gave it back."

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
    """An invitation: the holder of the ticket may type into this terminal."""

    terminal_id: str
    command_id: str
    reason: str
    ticket: str = field(repr=False)


class Record(Protocol):
    """Where it is recorded what a person does with one terminal."""

    def __call__(self, event: Literal["typed", "given back"], reason: str, characters: int | None = None) -> None: ...


def _keep_no_record(event: str, reason: str, characters: int | None = None) -> None: ...


@dataclass(slots=True)
class _Open:
    handoff: Handoff
    command: Command
    record: Record
    taken: bool = False  # a person has it
    leave: Callable[[], None] = lambda: None  # ends the look-out for the command's end
    watcher: asyncio.Task[None] | None = None  # from the first typing on


class Handoffs:
    """`refuse` raises, for a ticket that does not work."""

    def __init__(self, refuse: Callable[[str], NoReturn]) -> None:
        self._refuse = refuse
        self._open: dict[str, _Open] = {}  # by ticket
        self._watchers: set[asyncio.Task[None]] = set()  # those that have not ended

    def offer(self, command: Command, reason: str, record: Record = _keep_no_record) -> Handoff:
        """The open one for this command, for this reason now; or a new one."""
        self._drop_finished()
        for one in self._open.values():
            if one.command is command:
                one.handoff = replace(one.handoff, reason=reason)
                return one.handoff
        if len(self._open) >= MOST_HANDOFFS:
            raise LimitReached("too many terminals wait for people", limit="handoffs", value=MOST_HANDOFFS)
        handoff = Handoff(command.terminal_id, command.id, reason, secrets.token_urlsafe(24))
        one = self._open[handoff.ticket] = _Open(handoff, command, record)
        one.leave = command.changes.subscribe(partial(self._on_change, one), Rank.OWNERS)
        return handoff

    def of(self, terminal_id: str) -> Handoff | None:
        """The one that is open for this terminal, taken or not."""
        self._drop_finished()
        return next((one.handoff for one in self._open.values() if one.handoff.terminal_id == terminal_id), None)

    def take(self, ticket: str) -> None:
        """A person has come: from now on no agent types into the terminal."""
        self._find(ticket).taken = True

    def holder(self, terminal_id: str) -> Handoff | None:
        """The one that a person has taken: while there is one, no agent types into this terminal."""
        handoff = self.of(terminal_id)
        return handoff if handoff is not None and self._open[handoff.ticket].taken else None

    async def type(self, ticket: str, text: str) -> None:
        """What a person types, as it is."""
        one = self._find(ticket)
        if not isinstance(text, str):
            raise Misuse("only text can be typed")
        one.record("typed", f"A person types {len(text)} characters.", len(text))
        one.taken = True
        if one.watcher is None:
            one.watcher = asyncio.ensure_future(self._watch(one, one.command.events()))
            self._watchers.add(one.watcher)
            one.watcher.add_done_callback(self._watchers.discard)
        await one.command.send(text)

    def give_back(self, ticket: str, reason: str = GIVEN_BACK) -> None:
        """The person is done, or does not want to."""
        self._end(self._find(ticket), reason)

    async def close(self) -> None:
        for one in list(self._open.values()):
            self._end(one, "The terminal is closed.")
        if self._watchers:
            await asyncio.wait(set(self._watchers))

    def _find(self, ticket: str) -> _Open:
        self._drop_finished()
        for known, one in self._open.items():
            if secrets.compare_digest(known.encode(), ticket.encode("utf-8", "surrogatepass")):
                return one
        self._refuse("this ticket is not valid, or no longer")

    def _drop_finished(self) -> None:
        for one in list(self._open.values()):
            self._on_change(one)

    def _on_change(self, one: _Open) -> None:
        if one.command.finished:
            self._end(one, "The command has finished.")

    def _end(self, one: _Open, reason: str) -> None:
        if self._open.pop(one.handoff.ticket, None) is None:
            return
        one.leave()
        if one.watcher is not None and one.watcher is not asyncio.current_task():
            one.watcher.cancel()
        one.record("given back", reason)

    async def _watch(self, one: _Open, stream: Stream) -> None:
        """Give the terminal back as soon as the command goes on."""
        try:
            async for event in stream:
                if isinstance(event, events.Resumed | events.Finished):
                    self._end(one, "The command went on.")
                    return
        finally:
            await stream.aclose()
