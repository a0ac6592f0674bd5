"""/mcp of a server of terminals: streamable HTTP, for MCP clients that start no program.

Rule 1: clients are told apart as by `truetty mcp --http`: by their sessions, or by the names that they give themselves.
Rule 2: its terminals begin in the user's home, and belong to the task NAME@mcp. They stay when its session ends.
Rule 3: a client that says no goodbye is let go when `MOST_HERE` others have come after it. It may come again.
Rule 4: who may ask was decided before (`server/wire/app.py`, `web/gate.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Final, Protocol

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from truetty.mcp.opening import Opening
from truetty.mcp.server import build
from truetty.mcp.session import Session, Setup
from truetty.mcp.sessions import (
    FORGOTTEN_SECONDS,
    LARGEST_REQUEST,
    MOST_CLIENTS,
    SESSION_HEADER,
    client_key,
    session_key,
)
from truetty.mcp.shared_client import Clients, SharedClient

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

WORKSPACE: Final = "mcp"  # a part of the tasks of these clients
MOST_HERE: Final = 50


class Takers(Clients, Protocol):
    async def take(self, client: SharedClient) -> None:
        """It is here until `let_go`."""

    def let_go(self, client: SharedClient) -> None: ...


class HttpClients:
    """All of them. They are to `mcp/server.py` what `Sessions` are."""

    def __init__(self, clients: Takers) -> None:
        self._clients = clients
        self.setup: Final[Setup] = self._client("").setup
        self._here: dict[str, SharedClient] = {}  # the one that has called last is the last
        self._manager = StreamableHTTPSessionManager(
            build(self),
            session_idle_timeout=FORGOTTEN_SECONDS,
            max_request_body_size=LARGEST_REQUEST,
            max_sessions=MOST_CLIENTS,
        )
        self._finding = asyncio.Lock()
        self._running: asyncio.Future[None] | None = None

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._start()
        await self._manager.handle_request(scope, receive, send)
        if scope["method"] == "DELETE":
            for name, value in scope["headers"]:
                if name == SESSION_HEADER.encode():
                    await self._end(session_key(value.decode("latin-1")))

    async def of(self, ctx: ServerRequestContext[object, object]) -> Session:
        key = client_key(ctx)
        async with self._finding:  # two first requests of a client are one client's
            client = self._here.get(key)
            if client is None:
                await self._make_room()
                client = self._client(key)
                await self._clients.take(client)
            self._here.pop(key, None)
            self._here[key] = client
        return await client.of(ctx)

    def mark(self, ctx: ServerRequestContext[object, object]) -> Mapping[str, object]:
        return {}

    def answering(self, ctx: ServerRequestContext[object, object]) -> AbstractContextManager[None]:
        return nullcontext()

    async def _make_room(self) -> None:
        resting = [key for key, client in self._here.items() if not client.is_busy]
        for key in resting[: max(0, len(self._here) - MOST_HERE + 1)]:
            await self._end(key)

    async def _end(self, key: str) -> None:
        client = self._here.pop(key, None)
        if client is not None:
            self._clients.let_go(client)
            await client.close()

    def _client(self, key: str) -> SharedClient:
        return SharedClient(self._clients, Opening(session=key, workspace=WORKSPACE, here=False), _no_one_to_tell)

    async def _start(self) -> None:
        """The manager's sessions live in a task of their own, as long as the server."""
        if self._running is None:
            self._running = running = asyncio.get_running_loop().create_future()
            self._task = asyncio.ensure_future(self._run(running))
        await asyncio.shield(self._running)

    async def _run(self, running: asyncio.Future[None]) -> None:
        async with self._manager.run():
            running.set_result(None)
            await asyncio.get_running_loop().create_future()


async def _no_one_to_tell(task: str) -> None:
    """Such a client brings no task to the next server."""
