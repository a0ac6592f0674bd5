"""One request to the server and its answer, blocking: HTTP over a socket, without a library.

Rule 1: nothing slow is imported: neither asyncio nor http.client. The command line's quick verbs are made of this.
Rule 2: a refusal is raised as the exception that the server raised.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import Any, Final

from truetty.core.errors import ChannelLost
from truetty.core.version import VERSION

CLIENT: Final = f"truetty/{VERSION}"
LARGEST_HEAD: Final = 64 << 10
PIECE: Final = 1 << 16


def ask(
    connection: socket.socket,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    client: str = CLIENT,
    key: str | None = None,
) -> Any:
    """What it answers, as JSON has it. Raises TruettyError. The connection can be used again."""
    status, data = exchange(connection, method, path, body, client=client, key=key)
    found = json.loads(data)
    if status >= 400:
        from truetty.server import refusals

        refused = found["error"]
        raise refusals.error(refusals.Refusal(refused["code"], refused["message"], refused["facts"]))
    return found


def exchange(
    connection: socket.socket,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    client: str = CLIENT,
    key: str | None = None,
) -> tuple[int, bytes]:
    """The status and the body."""
    data = b"" if body is None else json.dumps(body).encode()
    head = [f"{method} {path} HTTP/1.1", "Host: truetty", f"Truetty-Client: {client}", f"Content-Length: {len(data)}"]
    if body is not None:
        head.append("Content-Type: application/json")
    if key is not None:
        head.append(f"Idempotency-Key: {key}")
    try:
        connection.sendall("\r\n".join([*head, "", ""]).encode("latin-1") + data)
        return _answer(connection)
    except TimeoutError:
        raise ChannelLost("the server does not answer", terminal_id=None, reason="it does not answer") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ChannelLost(f"the server has gone: {reason}", terminal_id=None, reason=reason) from error


def _answer(connection: socket.socket) -> tuple[int, bytes]:
    held = b""
    while b"\r\n\r\n" not in held:
        held += _more(connection)
        if len(held) > LARGEST_HEAD:
            raise OSError("its answer has no end")
    head, _, rest = held.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", "0"))
    parts, size = [rest], len(rest)
    while size < length:
        parts.append(_more(connection))
        size += len(parts[-1])
    return int(first.split()[1]), b"".join(parts)


def _more(connection: socket.socket) -> bytes:
    data = connection.recv(PIECE)
    if not data:
        raise OSError("it has closed the connection")
    return data
