"""Who may ask on a TCP port of this machine: by the names in a request, by where it comes from, by a token.

Rule 1: the Host must be one of ours, an Origin one of ours exactly: a web page in the user's browser is neither, even
        if its name leads to this machine (DNS rebinding). Both are looked at before anything else.
Rule 2: where a token is needed, every request must have it in the Authorization header. A token in a URL is ignored.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping, Sequence
from typing import Any, Final, NamedTuple

from truetty.core.errors import HostError
from truetty.server.wire.connections import ACCEPTED_AT_ONCE

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


def names(host: str, port: int) -> frozenset[str]:
    """What a request may name as its Host: a listener of the loopback is reached by each name of the loopback."""
    shown = f"[{host}]" if ":" in host else host
    local = (shown, "127.0.0.1", "localhost", "[::1]") if is_loopback(host) else (shown,)
    return frozenset(f"{name}:{port}".lower() for name in local)


Values = Mapping[str, Sequence[str]]


def values(scope: Scope) -> Values:
    """The headers of a request, by their names in small letters."""
    headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
    return {name: [value for found, value in headers if found == name] for name, _ in headers}


class Refused(NamedTuple):
    status: int
    reason: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


def misnamed(found: Values, hosts: Collection[str], origins: Collection[str]) -> Refused | None:
    """Why a request with these headers is not for us, or not from us."""
    if len(found.get("host", ())) != 1 or found["host"][0].lower() not in hosts:
        return Refused(421, "this is not the Host you think it is")
    if any(origin not in origins for origin in found.get("origin", ())):
        return Refused(403, "not from this Origin")
    return None


NEEDS_TOKEN: Final = Refused(401, "a Bearer token is needed", ((b"www-authenticate", b'Bearer realm="truetty"'),))


def guard(app: App, hosts: Collection[str], origins: Collection[str], token: str | None = None) -> App:
    """The app, behind the checks of Host, Origin and token."""

    async def door(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await app(scope, receive, send)
            return
        found = values(scope)
        refused = misnamed(found, hosts, origins)
        if refused is None and token is not None and not has_token(found, token):
            refused = NEEDS_TOKEN
        if refused is None:
            await app(scope, receive, send)
        else:
            await refuse(scope, send, refused)

    return door


def has_token(found: Values, token: str) -> bool:
    given = found.get("authorization", ())
    if len(given) != 1:
        return False
    scheme, _, credentials = given[0].partition(" ")
    return scheme.lower() == "bearer" and secrets.compare_digest(credentials.strip().encode(), token.encode())


async def refuse(scope: Scope, send: Send, refused: Refused) -> None:
    kind = scope["type"]
    if kind == "websocket" and refused == NEEDS_TOKEN and "websocket.http.response" in scope.get("extensions", {}):
        kind = "websocket.http"  # a program is told what is wrong
    elif kind == "websocket":  # before it is accepted: the client gets 403, whatever the reason is
        await send({"type": "websocket.close", "code": 1008, "reason": refused.reason})
        return
    body = refused.reason.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *refused.headers,
    ]
    await send({"type": f"{kind}.response.start", "status": refused.status, "headers": headers})
    await send({"type": f"{kind}.response.body", "body": body})


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
