"""Serving the tools over stdio or streamable HTTP, until the client is gone or a signal comes.

Rule 1: whatever ends the server, every terminal is closed first.
Rule 2: standard output belongs to the protocol; what we have to say to people goes to standard error.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Collection
from dataclasses import dataclass
from typing import IO, Final, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from truetty.mcp.http import Listener
from truetty.mcp.server import build
from truetty.mcp.session import Setup
from truetty.mcp.sessions import FORGOTTEN_SECONDS, LARGEST_REQUEST, SESSION_HEADER, Sessions
from truetty.mcp.wire import Wire
from truetty.server.start.log import log_seldom
from truetty.server.wire.door import App, Receive, Scope, Send, guard
from truetty.server.wire.guests import MCP_PATH

MOST_SESSIONS: Final = 100


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen, and from which hosts and origins requests are taken."""

    host: str
    port: int
    token: str
    token_file: str
    expose: bool = False
    hosts: Collection[str] = ()
    origins: Collection[str] = ()


async def over_stdio(setup: Setup, ending: Collection[int], wire: Wire | None = None) -> int:
    """The one of the `ending` signals that came, or 0 if the client has ended it. `wire`: its first lines were read."""
    log_seldom()
    async with Sessions(setup) as sessions:
        ended = _ended_by(ending)
        serving = asyncio.ensure_future(_pipe(sessions, wire))
        await asyncio.wait({serving, ended}, return_when=asyncio.FIRST_COMPLETED)
        # The thread that reads standard input cannot be called back: the process must end without it.
        return ended.result() if ended.done() else serving.result()


async def _pipe(sessions: Sessions, wire: Wire | None) -> int:
    server = build(sessions)
    files = None if wire is None else anyio.wrap_file(cast(IO[str], wire))
    try:
        async with stdio_server(files, files) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    except* (BrokenPipeError, ConnectionResetError):
        pass  # the client is gone, and did not wait for the rest
    return 0


async def over_http(setup: Setup, address: Address, ending: Collection[int]) -> int:
    """The one of the `ending` signals that came."""
    listener = Listener(address.host, address.port, anywhere=address.expose, names=address.hosts)
    log_seldom()
    async with Sessions(setup, shared=True) as sessions:
        ended = _ended_by(ending)
        await listener.start(application(sessions, listener, address.token, address.origins))
        print(f"truetty mcp: {listener.url}{MCP_PATH}, token in {address.token_file}", file=sys.stderr, flush=True)
        try:
            await ended
        finally:
            await listener.close()
        return ended.result()


def application(sessions: Sessions, listener: Listener, token: str, origins: Collection[str] = ()) -> App:
    """The whole application, with its checks."""
    allowed = listener.origins | frozenset(origins)
    server = build(sessions)
    served = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        max_request_body_size=LARGEST_REQUEST,
        session_idle_timeout=FORGOTTEN_SECONDS,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True, allowed_hosts=list(listener.hosts), allowed_origins=list(allowed)
        ),
    )

    async def noticing(scope: Scope, receive: Receive, send: Send) -> None:
        await served(scope, receive, send)
        if scope["type"] == "http" and scope["method"] == "DELETE":
            for name, value in scope["headers"]:
                if name == SESSION_HEADER.encode():
                    sessions.end(value.decode("latin-1"))

    return guard(noticing, listener.hosts, allowed, token)


def _ended_by(signals: Collection[int]) -> asyncio.Future[int]:
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[int] = loop.create_future()
    for number in signals:
        loop.add_signal_handler(number, _end, ended, number)
    return ended


def _end(ended: asyncio.Future[int], number: int) -> None:
    if not ended.done():
        ended.set_result(number)
