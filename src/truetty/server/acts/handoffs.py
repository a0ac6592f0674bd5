"""Hand-offs at the page: an agent, or a program for it, asks a person to take a terminal, and its call waits.

    offered ──a person takes the terminal──▸ taken ──gives it back──▸ over
        └──the command went on · has finished · a person says "not now"──▸ over

Rule 1: an offer blocks no agent. The lease of the person who takes the terminal does.
Rule 2: an offer is over once. The agent's call, and every page, hear how.
Rule 3: the offer of a command is the newest one: another reason replaces the one before.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from truetty.core.errors import Denied, Misuse
from truetty.server.caller import Caller
from truetty.server.events import Events
from truetty.server.forms import CommandForm, Nothing
from truetty.server.handoff_forms import HandoffForm, HandoffResult, How
from truetty.server.lookup import find_terminal
from truetty.server.refusals import Settled
from truetty.server.shapes import plain
from truetty.server.watch import deeds
from truetty.service.handoffs import Handoff, secrecy
from truetty.service.leases import Lease, LeaseEnd
from truetty.service.reader import look
from truetty.service.service import Service
from truetty.terminal.changes import Rank
from truetty.terminal.command import Command


@dataclass(frozen=True, slots=True)
class HandoffEnd:
    how: How
    lease: LeaseEnd | None = None  # of the person who had it
    by: str | None = None  # of declined
    word: str | None = None  # of declined: for the agent


@dataclass(slots=True, eq=False)
class Offer:
    form: HandoffForm
    command: Command
    ticket: str = field(repr=False)
    episode: int | None  # the waiting that it is about; None: the command did not wait
    over: asyncio.Future[HandoffEnd]
    leave: Callable[[], None] = lambda: None  # ends the look-out for the command


class HandoffActs:
    def __init__(self, service: Service, events: Events, form: Callable[[Command], CommandForm]) -> None:
        """`form`: how a command stands."""
        self._service = service
        self._form = form
        self._events = events
        self._open: dict[str, Offer] = {}  # by command
        service.leases.listen(self._on_lease)

    def offer(self, handoff: Handoff, command: Command, reader: str, warnings: Sequence[str]) -> Offer:
        """`reader` and `warnings`: which program gets what is typed, and why not to type it."""
        form = HandoffForm(command.id, command.terminal_id, handoff.reason, reader, tuple(warnings), time.time())
        if (one := self._open.get(command.id)) is not None:
            one.form, one.episode = form, command.open_waiting
        else:
            over: asyncio.Future[HandoffEnd] = asyncio.get_running_loop().create_future()
            one = self._open[command.id] = Offer(form, command, handoff.ticket, command.open_waiting, over)
            one.leave = command.changes.subscribe(partial(self._on_change, one), Rank.OWNERS)
        self._events.publish("handoff", handoff=plain(form))
        return one

    def waiting(self) -> Sequence[HandoffForm]:
        return [one.form for one in self._open.values()]

    # -- verbs

    async def handoff(
        self, caller: Caller, *, terminal_id: str, exact: bool, reason: str, wait: float | None
    ) -> HandoffResult:
        terminal = find_terminal(self._service, terminal_id, exact=exact)
        command = terminal.command
        if command is None:
            message = f"no command runs in {terminal.id}, so no person is asked to take it over"
            raise Misuse(f"{message}. Nothing was done.", terminal_id=terminal.id)
        one = self._open.get(command.id)
        if one is None or self._service.leases.of(terminal.id) is None:  # else the person has come for this offer
            seen = look(command, reason, secrecy(command))
            ticket = self._service.handoff(command.id, reason, taken=False)
            one = self.offer(ticket, command, seen.sentence, seen.warnings)
        bounds = [limit for limit in (wait, caller.longest_wait) if limit is not None]
        async with caller.rest():
            await asyncio.wait({one.over}, timeout=min(bounds, default=None))
        return self._result(one)

    def _result(self, one: Offer) -> HandoffResult:
        command = self._form(one.command)
        if not one.over.done():
            return HandoffResult(None, None, None, (), command)
        end = one.over.result()
        if end.lease is None:
            return HandoffResult(end.how, end.by, end.word, (), command)
        end.lease.take_note()
        return HandoffResult(end.how, end.lease.lease.holder, None, deeds(end.lease).did, command)

    async def decline(self, caller: Caller, *, command_id: str, word: str | None) -> Nothing:
        if (one := self._open.get(command_id)) is None:
            message = f"no person is asked to take over {command_id[:100]!r} any more"
            raise Settled(message, question_id=command_id[:100], answer=None, by=None)
        self._end(one, HandoffEnd("declined", by=caller.name or "an unnamed client", word=word))
        return Nothing()

    # -- what ends an offer

    def _on_lease(self, what: Lease | LeaseEnd) -> None:
        if isinstance(what, LeaseEnd):
            for one in [one for one in self._open.values() if one.command.terminal_id == what.lease.terminal_id]:
                self._end(one, HandoffEnd("given back", what))

    def _on_change(self, one: Offer) -> None:
        if self._service.leases.of(one.command.terminal_id) is not None:
            return  # the end of the lease is the offer's
        if one.command.finished:
            self._end(one, HandoffEnd("finished"))
        elif one.episode is not None and one.command.open_waiting != one.episode:
            self._end(one, HandoffEnd("went on"))

    def _end(self, one: Offer, end: HandoffEnd) -> None:
        if self._open.pop(one.command.id, None) is None:
            return
        one.leave()
        with suppress(Denied):  # the ticket is over with its command
            self._service.handoffs.give_back(one.ticket, end.how)
        if not one.over.done():
            one.over.set_result(end)
        facts = {"command_id": one.command.id, "terminal_id": one.command.terminal_id}
        self._events.publish("handoff_over", **facts, how=end.how, by=end.by)
