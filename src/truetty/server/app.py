"""The application: the routes of the table, /v1/connect, and how many clients there are."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final

from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from truetty.server import http, limits
from truetty.server.connection import Connection
from truetty.server.dispatch import Dispatch
from truetty.server.events import Events
from truetty.server.forms import Hello

FULL: Final = 1013  # the WebSocket code for "try again later"


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


def application(dispatch: Dispatch, events: Events, hello: Hello, clients: Clients) -> ASGIApp:
    in_all = asyncio.Semaphore(limits.MOST_CALLS_IN_ALL)

    async def connect(websocket: WebSocket) -> None:
        name = (websocket.headers.get(http.CLIENT) or "")[: limits.LONGEST_NAME]
        if clients.names[name] >= limits.MOST_OF_ONE_CLIENT:
            await websocket.close(FULL, f"{name or 'this client'} has {limits.MOST_OF_ONE_CLIENT} connections already")
            return
        clients.names[name] += 1
        try:
            await websocket.accept()
            await Connection(websocket, dispatch, events, hello, in_all, name or None).serve()
        finally:
            clients.names[name] -= 1
            if not clients.names[name]:
                del clients.names[name]

    app = Starlette(routes=[WebSocketRoute("/v1/connect", connect), *http.routes(dispatch, events)])

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await app(scope, receive, send)
            return
        clients.come()
        try:
            await app(scope, receive, send)
        finally:
            clients.go()

    return counted
