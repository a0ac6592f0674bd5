"""Which client a request comes from, and when its session is over.

Rule 1: over stdio there is one client, and it is there until its end of the pipe is closed.
Rule 2: over HTTP a client of the earlier revisions names its session. The revision of 2026-07-28 has no sessions: there
        clients are told apart by the name they give themselves, and those with one name share their terminals.
Rule 3: no client ends another's terminals. Where there are `MOST_CLIENTS`, one that has no terminal goes; where all
        have one, the new client is refused.
Rule 4: a session over HTTP ends by a DELETE, when it has not been used for `UNUSED_SECONDS` and nothing runs in it, or
        for `FORGOTTEN_SECONDS`, whatever runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Final, Protocol, Self

from truetty.core.errors import LimitReached
from truetty.mcp.session import Session, Setup

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

# Longer than a night. A shell that waits costs little, and an agent whose shell is gone starts in the wrong directory.
UNUSED_SECONDS: Final = 12 * 60 * 60.0
FORGOTTEN_SECONDS: Final = 48 * 60 * 60.0
MOST_CLIENTS: Final = 100
LONGEST_NAME: Final = 200  # characters: names are kept as long as their sessions
# Commands may be a megabyte long, and arrive twice as long in JSON.
LARGEST_REQUEST: Final = 16 << 20
SESSION_HEADER: Final = "mcp-session-id"


class ClientSessions(Protocol):
    """The session of each client, as `mcp/server.py` needs it."""

    @property
    def setup(self) -> Setup: ...

    async def of(self, ctx: ServerRequestContext[object, object]) -> Session:
        """Of the client that a request comes from; `LimitReached` where there is no room for a new one."""

    def mark(self, ctx: ServerRequestContext[object, object]) -> Mapping[str, object]:
        """What came with a request beside the protocol: its key, and whether it comes again."""

    def answering(self, ctx: ServerRequestContext[object, object]) -> AbstractContextManager[None]:
        """Around the making of the answer to a request: what it tells counts as told when it was sent."""


def client_name(ctx: ServerRequestContext[object, object]) -> str:
    """As it calls itself; "" where it does not say."""
    client = ctx.session.client_params
    name = client.client_info.name if client is not None else ""
    if len(name) > LONGEST_NAME:
        raise LimitReached(
            f"the client's name has {len(name):,} characters: {LONGEST_NAME} are the most",
            limit="name",
            value=LONGEST_NAME,
        )
    return name


def client_key(ctx: ServerRequestContext[object, object]) -> str:
    """What tells a client over HTTP from the others."""
    headers = getattr(ctx.request, "headers", None)
    named = headers.get(SESSION_HEADER) if headers is not None else None
    return f"client {client_name(ctx)}" if named is None else session_key(named)


def session_key(id: str) -> str:
    return f"session {id}"


class Sessions:
    def __init__(self, setup: Setup, *, shared: bool = False) -> None:
        self.setup: Final = setup
        self._shared = shared  # by several clients, over HTTP
        self._open: dict[str, Session] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def of(self, ctx: ServerRequestContext[object, object]) -> Session:
        key = client_key(ctx) if self._shared else ""
        if key not in self._open:
            self._make_room()
            self._open[key] = Session(self.setup)
            self._open[key].used_at = asyncio.get_running_loop().time()
            if self._shared and self._timer is None:
                self._look_later()
        return self._open[key]

    def mark(self, ctx: ServerRequestContext[object, object]) -> Mapping[str, object]:
        return {}

    def answering(self, ctx: ServerRequestContext[object, object]) -> AbstractContextManager[None]:
        return nullcontext()

    def end(self, id: str) -> None:
        """The client has said that it is done."""
        self._close(session_key(id))

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for key in list(self._open):
            self._close(key)
        await self.setup.page.close()
        while self._closing:
            await asyncio.wait(self._closing)

    def _make_room(self) -> None:
        """The one that has no terminal and was not used for the longest goes."""
        if len(self._open) < MOST_CLIENTS:
            return
        empty = [key for key, session in self._open.items() if not session.calls and not session.service.terminals()]
        if not empty:
            raise LimitReached(
                f"{MOST_CLIENTS} clients have terminals here, and none of them is closed for a new one. Use the name "
                "of one of them, or end one",
                limit="clients",
                value=MOST_CLIENTS,
            )
        self._close(min(empty, key=lambda key: self._open[key].used_at))

    def _close(self, key: str) -> None:
        session = self._open.pop(key, None)
        if session is not None:
            closing = asyncio.ensure_future(session.close())
            self._closing.add(closing)
            closing.add_done_callback(self._on_closed)

    def _on_closed(self, task: asyncio.Task[None]) -> None:
        self._closing.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            params = {"message": "closing a session's terminals failed", "exception": error}
            asyncio.get_running_loop().call_exception_handler(params)

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(UNUSED_SECONDS / 4, self._look)

    def _look(self) -> None:
        now = asyncio.get_running_loop().time()
        for key, session in list(self._open.items()):
            unused = now - session.used_at
            if not session.calls and (unused > FORGOTTEN_SECONDS or (unused > UNUSED_SECONDS and session.idle)):
                self._close(key)
        self._look_later()
