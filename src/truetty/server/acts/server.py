"""The verbs about the server itself, carried out."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from truetty.core.errors import Busy, HostError
from truetty.core.version import VERSION
from truetty.server import forms
from truetty.server.caller import Caller
from truetty.server.events import Events
from truetty.server.handoff_forms import HandoffForm
from truetty.server.protocol import PROTOCOL
from truetty.server.shapes import plain
from truetty.server.start.place import Place
from truetty.server.state.keeping import Keep
from truetty.server.state.shortage import Shortage
from truetty.server.watch import Watch
from truetty.server.wire.app import Clients
from truetty.service.service import Service

CAPABILITIES: Final = ("events.1", "follow.1", "keys.1", "lease.1", "questions.1", "view.1", "web.1")
MOST_NAMED: Final = 10  # commands in a refusal


class ServerActs:
    """`stop` ends the server; the text says why. `leave` ends it and leaves its terminals to the next one."""

    def __init__(
        self,
        service: Service,
        watch: Watch,
        events: Events,
        clients: Clients,
        place: Place,
        path: str,
        stop: Callable[[str], None],
        leave: Callable[[], None],
        keep: Keep | None,
        questions: Callable[[], Sequence[forms.Question]],
        handoffs: Callable[[], Sequence[HandoffForm]],
        web: Callable[[], str | None],
        shortage: Shortage,
    ) -> None:
        self._shortage = shortage
        self._web = web
        self._questions = questions
        self._handoffs = handoffs
        self._leave = leave
        self._keep = keep
        self._service = service
        self._watch = watch
        self._events = events
        self._clients = clients
        self._place = place
        self._path = path
        self._stop = stop
        self._began = time.time()

    async def hello(self, caller: Caller | None) -> forms.Hello:
        return forms.Hello(VERSION, PROTOCOL, CAPABILITIES, os.getpid(), self._events.epoch)

    async def status(self, caller: Caller) -> forms.Status:
        return forms.Status(
            truetty=VERSION,
            protocol=PROTOCOL,
            pid=os.getpid(),
            epoch=self._events.epoch,
            state_folder=self._place.folder,
            socket=self._path,
            log=self._place.log,
            started_at=self._began,
            terminals=len(self._service.terminals()),
            running=self._running(),
            connections=self._clients.count,
            seq=self._events.seq,
            keeper=self._keep is not None and self._keep.is_kept,
            registry=self._registry(),
            web=self._web(),
            strays=() if self._keep is None else tuple(one.form for one in self._keep.strays),
            problems=self._shortage.problems,
        )

    def _registry(self) -> forms.RegistryForm:
        registry = self._service.registry
        limits, sandbox = registry.limits, registry.sandbox
        name = None
        if sandbox is not None:
            more = [word for word, holds in (("network", sandbox.network), ("sockets", sandbox.unix_sockets)) if holds]
            name = "+".join([sandbox.profile, *more])
        return forms.RegistryForm(
            limits.terminals, limits.per_task, registry.idle, registry.warm, registry.places, name
        )

    async def shutdown(self, caller: Caller, *, force: bool) -> forms.Nothing:
        running = self._running()
        if running and not force:
            named = ", ".join(f"{one.id} {one.text[:40]!r}" for one in running[:MOST_NAMED])
            count = "1 command runs" if len(running) == 1 else f"{len(running)} commands run"
            raise Busy(f"{count}: {named}", running=[one.id for one in running])
        asyncio.get_running_loop().call_soon(self._stop, "a client has asked for it")
        return forms.Nothing()

    async def upgrade(self, caller: Caller, *, python: str | None) -> forms.Nothing:
        if self._keep is None or not self._keep.is_kept:
            reason = "no keeper holds its terminals: they would end with it"
            raise HostError(f"this server cannot be upgraded: {reason}", reason=reason)
        own = [word for word in sys.orig_argv if not word.startswith("--keeper=")]
        if not await self._keep.renew([python or sys.executable, *own[1:]]):
            reason = f"the new one has ended; {self._place.log} says why"
            raise HostError(f"this server goes on: {reason}", reason=reason, path=self._place.log)
        asyncio.get_running_loop().call_soon(self._leave)
        return forms.Nothing()

    def _running(self) -> tuple[forms.CommandForm, ...]:
        commands = [one.command for one in self._service.terminals() if one.busy and one.command is not None]
        return tuple(map(self._watch.command, commands))

    def state(self) -> dict[str, Any]:
        """How everything stands, for listeners that begin anew."""
        terminals = [self._watch.terminal(one) for one in self._service.terminals()]
        commands = [one.command for one in terminals if one.command is not None]
        people = {"questions": plain(list(self._questions())), "handoffs": plain(list(self._handoffs()))}
        return {"terminals": plain(terminals), "commands": plain(commands), **people}
