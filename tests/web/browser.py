"""What a browser sends to the page's port, over raw sockets, so that each header can be left out or be wrong."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import Any

from tests.patience import PATIENCE
from tests.server.live import Live, Reply

WEBSOCKET_KEY = "dGhlIHNhbXBsZSBub25jZQ=="
SWITCHED = 101


@dataclass
class Login:
    cookie: str  # name=value
    key: str
    answer: dict[str, Any]


class Page:
    """`Host`, `Origin` and the rest are right unless a test names others; a header of None is left out."""

    def __init__(self, server: Live) -> None:
        self.server = server
        self.url = str(server.get("/v1/web")["url"])
        self.host = self.url.removeprefix("http://")
        self._sockets: list[socket.socket] = []  # of WebSockets

    def close(self) -> None:
        for one in self._sockets:
            one.close()

    @property
    def port(self) -> int:
        return int(self.host.rpartition(":")[2])

    def dial(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def link(self, **fields: Any) -> str:
        return str(self.server.post("/v1/web/tickets", **fields)["url"])

    def ticket(self, **fields: Any) -> str:
        return self.link(**fields).partition("#ticket=")[2]

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        login: Login | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Reply:
        sent: dict[str, str | None] = {"Host": self.host, "Connection": "close"}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if method != "GET":
            sent |= {"Origin": self.url, "Content-Type": "application/json", "Truetty-Client": "web"}
            data = b"{}" if data is None else data
        if data is not None:
            sent["Content-Length"] = str(len(data))
        if login is not None:
            sent |= {"Cookie": login.cookie, "Truetty-Key": login.key}
        sent |= headers or {}
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value is not None)
        with self.dial() as made:
            made.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + (data or b""))
            response = HTTPResponse(made, method=method)
            response.begin()
            return Reply(response.status, response.headers, response.read())

    def try_login(self, ticket: str, headers: Mapping[str, str | None] | None = None) -> Reply:
        return self.ask("POST", "/v1/web/login", {"ticket": ticket}, headers=headers)

    def login(self, **fields: Any) -> Login:
        reply = self.try_login(self.ticket(**fields))
        assert reply.status == 200, reply.body
        return Login(reply.headers["set-cookie"].partition(";")[0], reply.json["key"], reply.json)

    def upgrade(
        self,
        path: str,
        login: Login | None = None,
        protocol: str = "truetty.view.1",
        headers: Mapping[str, str | None] | None = None,
    ) -> WebSocket:
        sent: dict[str, str | None] = {
            "Host": self.host,
            "Origin": self.url,
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": WEBSOCKET_KEY,
            "Sec-WebSocket-Protocol": protocol if login is None else f"{protocol}, key.{login.key}",
            "Cookie": None if login is None else login.cookie,
            **(headers or {}),
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value is not None)
        made = self.dial()
        self._sockets.append(made)
        made.sendall(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())
        return WebSocket(made)


class WebSocket:
    """The client's side of one, by hand."""

    def __init__(self, made: socket.socket) -> None:
        self.socket = made
        self._data = b""
        head = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        self.status = int(head[0].split()[1])
        pairs = (line.partition(":") for line in head[1:] if line)
        self.headers = {name.lower(): value.strip() for name, _, value in pairs}

    def close(self) -> None:
        self.socket.close()

    def send(self, data: str | bytes, *, mask: bool = True, code: int | None = None) -> None:
        payload = data.encode() if isinstance(data, str) else data
        code = code if code is not None else 1 if isinstance(data, str) else 2
        bit = 0x80 if mask else 0
        size = len(payload)
        head = bytes([0x80 | code]) + (
            bytes([bit | size])
            if size < 126
            else bytes([bit | 126]) + struct.pack(">H", size)
            if size < 1 << 16
            else bytes([bit | 127]) + struct.pack(">Q", size)
        )
        self.socket.sendall(head + (b"\0\0\0\0" if mask else b"") + payload)

    def say(self, **frame: Any) -> None:
        self.send(json.dumps(frame))

    def frame(self) -> tuple[int, bytes]:
        """The code and the payload of the next one; pings are passed over."""
        while True:
            first, second = self._exactly(2)
            size = second & 0x7F
            if size == 126:
                size = struct.unpack(">H", self._exactly(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self._exactly(8))[0]
            payload = self._exactly(size)
            if first & 0x0F != 9:
                return first & 0x0F, payload

    def heard(self) -> Any:
        """The next message that is JSON."""
        while True:
            code, payload = self.frame()
            assert code != 8, f"closed: {payload!r}"
            if code == 1:
                return json.loads(payload)

    def until(self, **facts: Any) -> Any:
        """The next one in which these are so."""
        while True:
            found = self.heard()
            if all(found.get(name) == value for name, value in facts.items()):
                return found

    def closing_code(self) -> int | None:
        """Of the close frame. None: the connection has ended without one."""
        try:
            while True:
                code, payload = self.frame()
                if code == 8:
                    return int(struct.unpack(">H", payload[:2])[0]) if payload else None
        except (ConnectionError, EOFError):
            return None

    def _until(self, end: bytes) -> bytes:
        while end not in self._data:
            self._receive()
        found, _, self._data = self._data.partition(end)
        return found

    def _exactly(self, size: int) -> bytes:
        while len(self._data) < size:
            self._receive()
        found, self._data = self._data[:size], self._data[size:]
        return found

    def _receive(self) -> None:
        data = self.socket.recv(1 << 16)
        if not data:
            raise EOFError
        self._data += data
