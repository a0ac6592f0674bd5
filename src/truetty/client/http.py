"""Requests to a server, blocking, over a socket.

Rule 1: nothing slow is imported here: the command line uses it before anything else, and `http.client` alone takes
        longer to import than all of ours.
Rule 2: a connection is kept for the next request. One that the server has closed meanwhile is dialled anew, and what
        may be asked twice is asked again.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from truetty.core.errors import ChannelLost, HostError, TruettyError
from truetty.core.version import VERSION
from truetty.server import protocol

LARGEST_HEAD: Final = 64 << 10  # bytes of an answer's status and headers
PIECE: Final = 1 << 16
LONGEST_REFUSAL: Final = 500  # bytes
NEEDS_TOKEN: Final = 401  # the status
WRONG_TOKEN: Final = "wrong token"  # a reason
NO_ANSWER: Final = "it does not answer"  # another one
_PLAIN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]  # by their names in small letters
    body: bytes

    def json(self) -> Any:
        """What was answered. Raises the error that was answered instead."""
        if self.status == NEEDS_TOKEN:
            raise wrong_token()
        if self.status >= 400 and not self.headers.get("content-type", "").startswith("application/json"):
            said = self.body[:LONGEST_REFUSAL].decode("utf-8", "replace").strip()  # of the port's door, or of a proxy
            raise HostError(f"the server refuses it: {said} (HTTP {self.status})", reason=said, status=self.status)
        found = json.loads(self.body)
        if self.status < 400:
            return found
        raise error(found)


def wrong_token() -> HostError:
    return HostError("the server does not take this token: it is in the file that serve --web --token names",
                     reason=WRONG_TOKEN)  # fmt: skip


def error(found: Any) -> TruettyError:
    """The exception that stands in this answer."""
    from truetty.server import refusals  # most requests are not refused

    what = found["error"]
    return refusals.error(refusals.Refusal(what["code"], what["message"], what["facts"]))


class Http:
    """`dial` makes a connection. `heed` is called with the headers of each answer. One thread at a time uses it."""

    def __init__(
        self,
        dial: Callable[[], socket.socket],
        headers: Mapping[str, str],
        heed: Callable[[Mapping[str, str]], None] = lambda headers: None,
    ) -> None:
        self._dial = dial
        self._heed = heed
        spoken = {protocol.HEADER: protocol.written()}
        self._head = "".join(f"{name}: {value}\r\n" for name, value in {**headers, **spoken}.items())
        self._socket: socket.socket | None = None
        self._buffer = bytearray()

    def ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: object = None,
        *,
        key: str | None = None,
        again: bool = True,
    ) -> Answer:
        """`again`: it may be asked twice. With a retry key everything may. Raises ChannelLost."""
        text = _request(method, path, query or {}, body, key, self._head)
        kept = self._socket is not None
        try:
            return self._ask(text)
        except OSError as trouble:
            self.close()
            if not (kept and (again or key is not None)):
                raise _lost(trouble) from trouble
        try:
            return self._ask(text)
        except OSError as trouble:
            self.close()
            raise _lost(trouble) from trouble

    def lines(self, path: str, query: Mapping[str, str] | None = None) -> Iterator[Any]:
        """A stream of values, each when it comes. The connection is used for nothing else afterwards."""
        try:
            status, headers = self._begin(_request("GET", path, query or {}, None, None, self._head))
            if status >= 400:
                Answer(status, headers, self._body(headers)).json()
            rest = b""
            while part := self._chunk():
                *whole, rest = (rest + part).split(b"\n")
                yield from map(json.loads, whole)
        except OSError as trouble:
            raise _lost(trouble) from trouble
        finally:
            self.close()

    def close(self) -> None:
        self._buffer.clear()
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _ask(self, text: bytes) -> Answer:
        status, headers = self._begin(text)
        body = self._body(headers)
        if headers.get("connection", "").lower() == "close":
            self.close()
        return Answer(status, headers, body)

    def _begin(self, text: bytes) -> tuple[int, dict[str, str]]:
        if self._socket is None:
            self._socket = self._dial()
        self._socket.sendall(text)
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > LARGEST_HEAD:
                raise OSError("what answers there does not speak HTTP")
            self._receive()
        lines = self._take(end + 4).decode("latin-1").split("\r\n")
        words = lines[0].split(" ", 2)
        if not words[0].startswith("HTTP/1.") or len(words) < 2 or not words[1].isdigit():
            raise OSError("what answers there does not speak HTTP")
        pairs = (line.partition(":") for line in lines[1:] if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        self._heed(headers)
        return int(words[1]), headers

    def _body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return b"".join(iter(self._chunk, b""))
        return self._exactly(int(headers.get("content-length", "0")))

    def _chunk(self) -> bytes:
        while (end := self._buffer.find(b"\r\n")) < 0:
            self._receive()
        size = int(self._take(end + 2).split(b";")[0], 16)
        return self._exactly(size + 2)[:-2]

    def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._receive()
        return self._take(size)

    def _take(self, size: int) -> bytes:
        found = bytes(self._buffer[:size])
        del self._buffer[:size]
        return found

    def _receive(self) -> None:
        assert self._socket is not None
        data = self._socket.recv(PIECE)
        if not data:
            raise ConnectionResetError("the server has closed the connection")
        self._buffer += data


def ask(connection: socket.socket, method: str, path: str, body: object = None) -> Any:
    """One request on a connection that is made, and what is answered. It can be used again. Raises TruettyError."""
    http = Http(lambda: connection, {"Host": "truetty", "Truetty-Client": f"truetty/{VERSION}"})
    return http.ask(method, path, None, body, again=False).json()


def _request(method: str, path: str, query: Mapping[str, str], body: object, key: str | None, head: str) -> bytes:
    fields = "&".join(f"{name}={quoted(value)}" for name, value in query.items())
    data = b"" if method == "GET" else json.dumps({} if body is None else body).encode()
    named = f"Idempotency-Key: {key}\r\n" if key is not None else ""
    sized = f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n" if data else ""
    target = f"{path}?{fields}" if fields else path
    return f"{method} {target} HTTP/1.1\r\n{head}{named}{sized}\r\n".encode() + data


def quoted(text: str) -> str:
    """As it stands in a path or in a query string."""
    data = text.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in data)


def _lost(trouble: OSError) -> ChannelLost:
    if isinstance(trouble, TimeoutError):
        return ChannelLost("the server does not answer", reason=NO_ANSWER)
    reason = trouble.strerror or str(trouble)
    return ChannelLost(f"the connection to the server was lost: {reason}", reason=reason)
