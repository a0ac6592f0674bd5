"""Who may ask on a TCP port of this machine: by the names in a request, by where it comes from, by a token.

Rule 1: the Host must be one of ours, an Origin one of ours exactly: a web page in the user's browser is neither, even
        if its name leads to this machine (DNS rebinding). Both are looked at before anything else.
Rule 2: where a token is needed, every request must have it in the Authorization header. A token in a URL is ignored.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from truetty.core.errors import HostError
from truetty.server.connections import ACCEPTED_AT_ONCE

# As ASGI has it.
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def guard(app: App, hosts: Collection[str], origins: Collection[str], token: str | None = None) -> App:
    """The app, behind the checks of Host, Origin and token."""

    async def door(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await app(scope, receive, send)
            return
        headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        values = {name: [value for found, value in headers if found == name] for name, _ in headers}
        refuse = _refuse if scope["type"] == "http" else _refuse_upgrade
        if len(values.get("host", ())) != 1 or values["host"][0].lower() not in hosts:
            await refuse(send, 421, "this is not the Host you think it is")
        elif any(origin not in origins for origin in values.get("origin", ())):
            await refuse(send, 403, "not from this Origin")
        elif token is not None and not _has_token(values.get("authorization", ()), token):
            await refuse(send, 401, "a Bearer token is needed", (b"www-authenticate", b'Bearer realm="truetty"'))
        else:
            await app(scope, receive, send)

    return door


def _has_token(values: Collection[str], token: str) -> bool:
    if len(values) != 1:
        return False
    scheme, _, credentials = next(iter(values)).partition(" ")
    return scheme.lower() == "bearer" and secrets.compare_digest(credentials.strip().encode(), token.encode())


async def _refuse(send: Send, status: int, reason: str, *more: tuple[bytes, bytes]) -> None:
    body = reason.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _refuse_upgrade(send: Send, status: int, reason: str, *more: tuple[bytes, bytes]) -> None:
    """Before it is accepted: the client gets 403, whatever the reason is."""
    await send({"type": "websocket.close", "code": 1008, "reason": reason})


def bind(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        bound = socket.socket(family, kind, protocol)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(ACCEPTED_AT_ONCE)
        except OSError:
            bound.close()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise HostError(f"cannot listen on {host}:{port}: {reason}", host=host, port=port, reason=reason) from error
    return bound
