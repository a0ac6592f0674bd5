"""Listening on this machine, for MCP clients and for the pages of handoffs. Nothing of a request is logged."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, cast

import uvicorn

from truetty.core.errors import Misuse
from truetty.server.wire import door
from truetty.server.wire.connections import ACCEPTED_AT_ONCE, Connection, Connections, most_connections
from truetty.server.wire.door import App, bind, is_loopback

# Seconds for answers that are under way when we end. Streams have no end of their own, and are cut then.
LAST_WORDS: Final = 0.3


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are handled by the code that started the server: it closes the terminals first."""
        yield


class Listener:
    """A socket of ours and what is served on it."""

    def __init__(self, host: str, port: int, *, anywhere: bool = False, names: Collection[str] = ()) -> None:
        if not anywhere and not is_loopback(host):
            raise Misuse(
                f"{host} can be reached from other machines: a client there that has the token runs commands here. "
                "If you want that, pass --expose",
                host=host,
            )
        self._socket = bind(host, port)
        self.port: Final[int] = self._socket.getsockname()[1]
        self.host: Final = f"[{host}]" if ":" in host else host
        self.hosts: Final = door.names(host, self.port) | {*map(str.lower, names)}
        self.origins: Final = frozenset(f"http://{name}" for name in self.hosts)
        self._serving: asyncio.Task[None] | None = None
        self._server: _Server | None = None

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    async def start(self, app: App) -> None:
        """Comes back when it listens."""
        config = uvicorn.Config(
            app,
            http=cast("type[asyncio.Protocol]", partial(Connection, Connections(most_connections()))),
            backlog=ACCEPTED_AT_ONCE,
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            ws="none",
            timeout_graceful_shutdown=LAST_WORDS,  # type: ignore[arg-type]  # it takes fractions too
        )
        self._server = _Server(config)
        self._serving = asyncio.ensure_future(self._server.serve(sockets=[self._socket]))

    async def close(self) -> None:
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await self._serving
        self._socket.close()
