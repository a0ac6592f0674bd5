"""/v1/mcp and /mcp: MCP clients, whose sessions run in this process.

Rule: what serves them is imported when the first one comes: that takes longer than all else at the start. It is
      imported in a thread, so that other clients are answered meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Final, Protocol

from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from truetty.core import lazy
from truetty.core.errors import HostError
from truetty.server.events import encoded
from truetty.server.refusals import refusal
from truetty.server.shapes import plain
from truetty.server.wire.http import refused

MCP_PATH: Final = "/mcp"  # streamable HTTP
REFUSED: Final = 1008  # a code of WebSockets


class Serving(Protocol):
    async def serve(self, websocket: WebSocket) -> None: ...
    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None: ...


class Guests:
    """`make` gets the class that serves them (`mcp/shared.py`)."""

    def __init__(self, make: Callable[[Any], Serving]) -> None:
        self._make = make
        self._serving: Serving | None = None
        self._loading = asyncio.Lock()

    async def serve(self, websocket: WebSocket) -> None:
        try:
            serving = await self._load()
        except ModuleNotFoundError as error:
            missing = _missing(error)
            await websocket.accept()
            with contextlib.suppress(WebSocketDisconnect):
                await websocket.receive_text()  # a client that still speaks would not hear the answer
                await websocket.send_text(encoded({"error": plain(refusal(missing))}))
                await websocket.close(REFUSED)
            return
        await serving.serve(websocket)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request of streamable HTTP."""
        try:
            serving = await self._load()
        except ModuleNotFoundError as error:
            await refused(_missing(error))(scope, receive, send)
            return
        await serving.answer(scope, receive, send)

    async def _load(self) -> Serving:
        async with self._loading:
            if self._serving is None:
                found = await asyncio.to_thread(lambda: lazy.load("truetty.mcp.shared", "SharedClients"))
                self._serving = self._make(found)
            return self._serving


def _missing(error: ModuleNotFoundError) -> HostError:
    reason = f"{error.name} is missing: the extra brings it, pip install '.[mcp]' in a checkout of truetty"
    return HostError(f"the server cannot serve MCP clients: {reason}", reason=reason)
