"""A real server in a state folder of its own, and clients of its two wires."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import http.client
import json
import os
import signal
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, unix_connect

from tests.patience import PATIENCE
from truetty.server.start import launch
from truetty.server.start.place import Place

JSON = {"Content-Type": "application/json"}


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, made: socket.socket) -> None:
        super().__init__("truetty", timeout=PATIENCE)
        self.sock = made


@dataclass
class Reply:
    status: int
    headers: Any
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])


class Live:
    """A server that is started when it is first asked."""

    def __init__(self, folder: Path, idle: float | None = None, runtime: str | None = None) -> None:
        self.place = Place(str(folder), runtime)
        self.idle = idle
        self.environ = dict(os.environ)

    def reach(self) -> socket.socket:
        made = launch.reach(self.place, idle=self.idle, environ=self.environ)
        made.settimeout(PATIENCE)
        return made

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Reply:
        connection = UnixConnection(self.reach())
        try:
            data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            connection.request(method, path, data, {**JSON, **(headers or {})})
            response = connection.getresponse()
            return Reply(response.status, response.headers, response.read())
        finally:
            connection.close()

    def post(self, path: str, **body: Any) -> Any:
        reply = self.ask("POST", path, body)
        assert reply.status == 200, reply.body
        return reply.json

    def get(self, path: str) -> Any:
        reply = self.ask("GET", path)
        assert reply.status == 200, reply.body
        return reply.json

    def pid(self) -> int:
        return int(self.get("/v1/hello")["pid"])

    @asynccontextmanager
    async def connect(self, **headers: str) -> AsyncIterator[Talk]:
        self.reach().close()
        path = next(path for path in self.place.sockets() if os.path.exists(path))
        async with unix_connect(
            path, "ws://truetty/v1/connect", compression=None, max_size=None, additional_headers=headers
        ) as websocket:
            hello = json.loads(await websocket.recv())["hello"]
            yield Talk(websocket, hello)

    def is_running(self) -> bool:
        """Whether a process has the lock."""
        if not os.path.exists(self.place.lock):
            return False
        with open(self.place.lock) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False

    def end(self) -> None:
        """By a signal; comes back when no process has the lock."""
        end = time.monotonic() + PATIENCE
        while self.is_running():
            # One that is killed, or has just begun, has another follow it.
            if (info := self.place.read_info()) is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(info["pid"], signal.SIGTERM)
            assert time.monotonic() < end, Path(self.place.log).read_text()
            time.sleep(0.1)

    def until_ended(self) -> None:
        end = time.monotonic() + PATIENCE
        while self.is_running():
            assert time.monotonic() < end, Path(self.place.log).read_text()
            time.sleep(0.01)


@dataclass
class Talk:
    """Numbered calls on one connection."""

    websocket: ClientConnection
    hello: dict[str, Any]
    frames: list[dict[str, Any]] = field(default_factory=list)  # all that came
    answers: dict[int, dict[str, Any]] = field(default_factory=dict)
    number: int = 0
    untaken: list[dict[str, Any]] = field(default_factory=list)  # of a message with several frames

    async def begin(self, do: str, **fields: Any) -> int:
        self.number += 1
        await self.websocket.send(json.dumps({"id": self.number, "do": do, **fields}))
        return self.number

    async def end(self, number: int) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            while number not in self.answers:
                await self.take()
        return self.answers.pop(number)

    async def take(self) -> dict[str, Any]:
        if not self.untaken:
            message = json.loads(await self.websocket.recv())
            self.untaken = message if isinstance(message, list) else [message]
        frame = self.untaken.pop(0)
        self.frames.append(frame)
        if "ok" in frame or "error" in frame:
            self.answers[frame["id"]] = frame
        return dict(frame)

    async def call(self, do: str, **fields: Any) -> Any:
        answer = await self.end(await self.begin(do, **fields))
        assert "ok" in answer, answer
        return answer["ok"]

    async def refused(self, do: str, **fields: Any) -> Any:
        answer = await self.end(await self.begin(do, **fields))
        assert "error" in answer, answer
        return answer["error"]

    @property
    def events(self) -> list[dict[str, Any]]:
        return [frame["event"] for frame in self.frames if "event" in frame]
