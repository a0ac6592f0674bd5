"""The MCP clients of a server of terminals: which task each has, and that nothing is started twice.

Rule 1: a client's terminals belong to the task NAME@WORKSPACE: its own name, and its first root or its directory. The
        next client of that name in that place finds them. Of two at once, the second has a task of its own.
Rule 2: a command is started once, whatever is cut. Its key is in the server's journal before the command is typed.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from typing import Final

from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from truetty.core.errors import LimitReached, TruettyError
from truetty.core.version import VERSION
from truetty.mcp import opening
from truetty.mcp.sessions import MOST_CLIENTS
from truetty.mcp.shared_client import SharedClient
from truetty.mcp.shared_http import HttpClients
from truetty.server import starter
from truetty.server.acts.desk import Desk
from truetty.server.dispatch import Dispatch
from truetty.server.events import encoded
from truetty.server.refusals import refusal
from truetty.server.shapes import plain
from truetty.server.starter import Starter
from truetty.server.watch import Watch
from truetty.service.commands import StartRequest
from truetty.service.service import Service
from truetty.settings import Settings
from truetty.terminal.command import Command

REFUSED: Final = 1008  # a code of WebSockets
VERB: Final = "mcp run"  # of a key in the journal


class SharedClients:
    """`settings` are the server's. `desk`: how people are reached."""

    def __init__(self, service: Service, dispatch: Dispatch, watch: Watch, settings: Settings, desk: Desk) -> None:
        self.desk: Final = desk
        self.service: Final = service
        self.settings: Final = settings
        self._dispatch = dispatch
        self._watch = watch
        self._clients: set[SharedClient] = set()
        self._holders: dict[str, SharedClient] = {}  # by task
        self._http = HttpClients(self)

    async def serve(self, websocket: WebSocket) -> None:
        """Until the client has gone."""
        await websocket.accept()
        with contextlib.suppress(WebSocketDisconnect):
            try:
                opened = opening.read(await websocket.receive_text())
                client = SharedClient(self, opened, lambda task: websocket.send_text(encoded({"task": task})))
                await self.take(client)
            except TruettyError as error:
                await websocket.send_text(encoded({"error": plain(refusal(error))}))
                await websocket.close(REFUSED)
                return
            await websocket.send_text(encoded({"ok": {"truetty": VERSION, "warning": client.setup.guard.warning}}))
            if (before := client.opening.task) is not None and self._is_free(before, client):
                self._holders[before] = client
                for command_id, prompt in (client.opening.known_questions or {}).items():
                    self.service.notices.recall(command_id, before, prompt)
                self.service.notices.forget_ends(client.opening.known_ends, before)
            try:
                await client.run(websocket, lambda: self._dispatch.is_leaving)
            finally:
                self.let_go(client)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request of /mcp."""
        await self._http.answer(scope, receive, send)

    async def take(self, client: SharedClient) -> None:
        """It is here until `let_go`. Raises TruettyError: it cannot be."""
        if len(self._clients) >= MOST_CLIENTS:
            raise LimitReached(f"{MOST_CLIENTS} clients are here", limit="clients", value=MOST_CLIENTS)
        await client.check()
        self._clients.add(client)

    def let_go(self, client: SharedClient) -> None:
        self._clients.discard(client)
        self._holders = {task: one for task, one in self._holders.items() if one is not client}

    def claim(self, client: SharedClient, wanted: str) -> str:
        """The one that it had, or the first that no other client has now."""
        numbered = (wanted if number == 1 else f"{wanted} ({number})" for number in itertools.count(1))
        before = client.opening.task
        had = before is not None and (before == wanted or before.startswith(f"{wanted} ("))
        tasks = itertools.chain([before or ""] if had else [], numbered)
        task = next(task for task in tasks if self._is_free(task, client))
        self._holders[task] = client
        return task

    def _is_free(self, task: str, client: SharedClient) -> bool:
        """Also if its holder is an earlier connection of the same client, of which no end was seen yet."""
        holder = self._holders.get(task)
        return holder is None or holder.opening.session == client.opening.session

    async def start(
        self,
        client: SharedClient,
        key: str,
        request: StartRequest,
        start: Callable[[], Coroutine[object, object, Command]],
    ) -> Command:
        """Once for each key of a client, by this server or by one before it."""
        own = hashlib.sha256(f"{client.opening.session}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()
        # The task is left out: the same client may have another one when it comes again.
        fields, keys = {**asdict(request), "task": None}, self._dispatch.keys
        past = keys.past(own, VERB, fields)
        if past is not None and past.made is not None:
            return self.service.command(past.made)

        async def act() -> Command:
            starter.current.set(Starter("agent", client.name))
            command = await start()
            if (terminal := self.service.registry.find(command.terminal_id)) is not None:
                self._watch.add(terminal, client.name)
            return command

        try:
            command: Command = await keys.once(own, VERB, fields, act)
        except asyncio.CancelledError:
            self._dispatch.leave(own)
            raise
        return command
