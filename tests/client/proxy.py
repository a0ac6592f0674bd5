"""A socket between a client and a server, which a test can cut and hold."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

TEXT = 0x81  # the first byte of a frame of a WebSocket that is a whole text
MIDDLE, LARGE = 126, 127  # in the second byte: the length is in the next two, or eight


class Proxy:
    def __init__(self, path: Path, target: str) -> None:
        self.where = f"unix:{path}"
        self.connections = 0  # so many were made
        self.rewrites = (b"", b"")  # what the server sends: the first is replaced by the second, which is as long
        self._path = path
        self._target = target.removeprefix("unix:")
        self._last = b""  # behind the message with this text, answers are held
        self._answers = asyncio.Event()  # they are passed on
        self._answers.set()
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def listen(self) -> None:
        self._server = await asyncio.start_unix_server(self._serve, self._path)
        self._path.chmod(0o600)

    def hold(self) -> None:
        """From now on no answer reaches the client."""
        self._answers.clear()

    def hold_behind(self, text: bytes) -> None:
        """Behind the message that has this text, no answer reaches the client."""
        self._last = text

    def release(self) -> None:
        """What was held reaches the client, all at the same time."""
        self._answers.set()

    def cut(self, *, refuse: bool = False) -> None:
        """End all connections, with the answers that were held. `refuse`: and take no others."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()
        for task in self._tasks:
            task.cancel()
        self._answers.set()
        if refuse and self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(self._target)
        except OSError:  # the server has ended
            writer.transport.abort()
            return
        self._writers.append(far_writer)
        for work in (self._pump(reader, far_writer, held=False), self._pump(far_reader, writer, held=True)):
            task = asyncio.ensure_future(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, held: bool) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                if held:
                    await self._answers.wait()
                    data = data.replace(*self.rewrites) if self.rewrites[0] else data
                    if self._last and self._last in data:
                        while not _is_whole(data):
                            data += await reader.read(1 << 16)
                        first, data = _split(data, self._last)
                        self._last = b""
                        self._answers.clear()
                        writer.write(first)
                        await self._answers.wait()
                writer.write(data)
                await writer.drain()
        writer.close()

    async def close(self) -> None:
        self.cut(refuse=True)
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _split(data: bytes, text: bytes) -> tuple[bytes, bytes]:
    """Behind the message with this text. `data` is whole frames, each with one message or a list of them."""
    before, (start, end) = 0, _payload(data, 0)
    while text not in data[start:end]:
        before, (start, end) = end, _payload(data, end)
    found = json.loads(data[start:end])
    messages = [json.dumps(one).encode() for one in (found if isinstance(found, list) else [found])]
    last = next(number for number, one in enumerate(messages, 1) if text in one)
    return data[:before] + _frames(messages[:last]), _frames(messages[last:]) + data[end:]


def _is_whole(data: bytes) -> bool:
    """Whether it ends where a frame ends."""
    end = 0
    while end + 10 <= len(data):
        _, end = _payload(data, end)
    return end == len(data)


def _payload(data: bytes, at: int) -> tuple[int, int]:
    """Where that of the frame at this place begins and ends."""
    assert data[at] == TEXT, data[at : at + 100]
    size = data[at + 1]
    width = {MIDDLE: 2, LARGE: 8}.get(size, 0)
    start = at + 2 + width
    return start, start + (int.from_bytes(data[at + 2 : start], "big") if width else size)


def _frames(messages: list[bytes]) -> bytes:
    return b"".join(bytes([TEXT, MIDDLE]) + len(one).to_bytes(2, "big") + one for one in messages)


@asynccontextmanager
async def proxy(folder: Path, target: str) -> AsyncIterator[Proxy]:
    made = Proxy(folder / "proxy", target)
    await made.listen()
    try:
        yield made
    finally:
        await made.close()
