"""The application: the routes of the table, /v1/connect, and how many clients there are."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from starlette.applications import Starlette
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from truetty.core.errors import Denied, Misuse
from truetty.core.version import VERSION
from truetty.server import limits, protocol, rights
from truetty.server.dispatch import Dispatch
from truetty.server.events import Events
from truetty.server.forms import Hello
from truetty.server.lookup import find_terminal
from truetty.server.refusals import OtherProtocol
from truetty.server.wire import event_socket, http
from truetty.server.wire.connection import Connection
from truetty.server.wire.guests import MCP_PATH, Guests
from truetty.server.wire.view import SUBPROTOCOL, LastView, View
from truetty.server.wire.views import Views
from truetty.service.service import Service

# Codes of WebSockets.
FULL: Final = 1013  # "try again later"
REFUSED: Final = 1008
VERSION_FIELD: Final = (protocol.VERSION_HEADER.lower().encode(), VERSION.encode())  # a header of each answer
LONGEST_OFFSET: Final = 18  # digits: a petabyte has 16


class Clients:
    """Those that are here: connections of /v1/connect, and requests that are being answered."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self.count = 0
        self.ever = False  # there was one
        self.names: Counter[str] = Counter()  # of those on /v1/connect

    def come(self) -> None:
        self.count += 1
        self.ever = True
        self._on_change()

    def go(self) -> None:
        self.count -= 1
        self._on_change()


def application(
    dispatch: Dispatch,
    events: Events,
    hello: Hello,
    clients: Clients,
    service: Service,
    viewers: Counter[str],
    views: Views,
    guests: Guests,
) -> ASGIApp:
    """`viewers` counts those of each terminal. `guests` are MCP clients."""
    in_all = asyncio.Semaphore(limits.MOST_CALLS_IN_ALL)

    async def connect(websocket: WebSocket) -> None:
        credential = rights.of(websocket.scope)
        if credential != rights.OWNER:
            await websocket.close(REFUSED, "this is for programs of the user's own")
            return
        name = (websocket.headers.get(http.CLIENT) or "")[: limits.LONGEST_NAME]
        if clients.names[name] >= limits.MOST_OF_ONE_CLIENT:
            await websocket.close(FULL, f"{name or 'this client'} has {limits.MOST_OF_ONE_CLIENT} connections already")
            return
        clients.names[name] += 1
        try:
            await websocket.accept()
            await Connection(websocket, dispatch, events, hello, in_all, name or None, credential).serve()
        finally:
            clients.names[name] -= 1
            if not clients.names[name]:
                del clients.names[name]

    async def view(websocket: WebSocket) -> None:
        credential = rights.of(websocket.scope)
        which = {"terminal_id": websocket.path_params["terminal_id"], "exact": False}
        try:
            protocol.check(websocket.headers.get(protocol.HEADER))
            credential.check("view", "watch", which)
            last = _last_view(websocket.query_params)
            terminal = find_terminal(service, which["terminal_id"], exact=which["exact"])
        except (Misuse, Denied, OtherProtocol) as error:
            await websocket.close(REFUSED, str(error)[:100])
            return
        if viewers[terminal.id] >= limits.MOST_VIEWERS or viewers.total() >= limits.MOST_VIEWERS_IN_ALL:
            await websocket.close(FULL, "it has too many viewers already")
            return
        viewers[terminal.id] += 1
        try:
            offered = websocket.scope.get("subprotocols", ())
            await websocket.accept(SUBPROTOCOL if SUBPROTOCOL in offered else None)
            may_type = "type" in credential.rights
            await views.serve(View(websocket, terminal, service, events.epoch, last, may_type=may_type))
        finally:
            viewers[terminal.id] -= 1
            if not viewers[terminal.id]:
                del viewers[terminal.id]

    async def hear(websocket: WebSocket) -> None:
        if events.listeners >= limits.MOST_LISTENERS:
            await websocket.close(FULL, "there are too many listeners already")
            return
        await event_socket.serve(websocket, events, rights.of(websocket.scope))

    async def guest(websocket: WebSocket) -> None:
        if rights.of(websocket.scope) != rights.OWNER:
            await websocket.close(REFUSED, "this is for programs of the user's own")
        else:
            await guests.serve(websocket)

    class Mcp:
        """/mcp. An instance gets requests of every method as they are."""

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            if rights.of(scope) != rights.OWNER:
                denied = Denied("this is for programs of the user's own")
                await http.refused(denied)(scope, receive, send)
            else:
                await guests.answer(scope, receive, send)

    sockets = [
        WebSocketRoute("/v1/connect", connect),
        WebSocketRoute("/v1/terminals/{terminal_id}/view", view),
        WebSocketRoute("/v1/events", hear),
        WebSocketRoute("/v1/mcp", guest),
    ]
    app = Starlette(routes=[*sockets, Route(MCP_PATH, Mcp()), *http.routes(dispatch, events)])

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await app(scope, receive, send)
            return
        clients.come()
        try:
            await app(scope, receive, _with_version(send))
        finally:
            clients.go()

    return counted


def _with_version(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), VERSION_FIELD]}
        await send(message)

    return sent


def _last_view(query: Mapping[str, str]) -> LastView | None:
    since = query.get("from")
    if since is None:
        return None
    if not (since.isascii() and since.isdigit() and len(since) <= LONGEST_OFFSET):
        raise Misuse("from is a seq of the view, a number. Nothing was done.", name="from")
    return LastView(query.get("epoch"), int(since))
