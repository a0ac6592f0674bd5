"""How uvicorn serves a socket of ours: its limits, and that it leaves signals and logs alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import uvicorn

from truetty.server import limits
from truetty.server.wire.connections import Connection, Connections


class Uvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are handled by `Server`: it closes the terminals first."""
        yield


def config(
    app: Any, protocol: type[Connection], most: int = limits.MOST_CONNECTIONS, *, at_once: int | None = None
) -> uvicorn.Config:
    """`protocol` is of each connection. `most` connections may be open without a WebSocket: of more, idle ones are
    closed. With more than `at_once` in all, requests are refused."""
    connections = Connections(most, head=limits.FIRST_REQUEST_SECONDS, next_head=limits.NEXT_REQUEST_SECONDS)
    return uvicorn.Config(
        app,
        http=cast("type[asyncio.Protocol]", partial(protocol, connections)),
        ws="websockets-sansio",
        ws_max_size=limits.LARGEST_BODY,
        ws_ping_interval=limits.PING_SECONDS,
        ws_ping_timeout=limits.PONG_SECONDS,
        ws_per_message_deflate=False,
        h11_max_incomplete_event_size=limits.LARGEST_HEAD,
        timeout_keep_alive=int(limits.NEXT_REQUEST_SECONDS),
        limit_concurrency=at_once,
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        timeout_graceful_shutdown=limits.LAST_WORDS_SECONDS,  # type: ignore[arg-type]  # it takes fractions too
    )
