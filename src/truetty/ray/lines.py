"""One end of a tunnel: numbered connections, whose bytes are carried to the other end in batches.

    program ─ socket ─ Lines ══ batches ══ Lines ─ socket ─ server

Both ends are the same. `take` gives what is to be carried, `put` gets what the other end has taken.

Rule 1: a batch has everything that has come since the last one. So the number of calls depends on time, and not on the
        number of commands.
Rule 2: of each connection at most `WINDOW` bytes are on their way: the other end says what it has delivered. So a
        connection that is not read holds up no other one, and nothing is queued without bound.
Rule 3: a connection ends at both ends, in its place behind its last bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import deque
from typing import Final, NamedTuple

WINDOW: Final = 1 << 20
PIECE: Final = 1 << 18


class Item(NamedTuple):
    line: int
    data: bytes | None  # None: the connection has ended
    delivered: int  # bytes of the other direction, since the last item said so


Batch = list[Item]


class Lines:
    """Of the event loop that makes it."""

    def __init__(self) -> None:
        self._lines: dict[int, _Line] = {}
        self._items: Batch = []
        self._some = asyncio.Event()

    def add(self, number: int, stream: socket.socket) -> None:
        stream.setblocking(False)
        self._lines[number] = _Line(number, stream, self)

    def __contains__(self, number: int) -> bool:
        return number in self._lines

    async def take(self, seconds: float | None = None) -> Batch:
        """What has come: at the latest after so many seconds, with nothing."""
        if not self._items:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._some.wait()
        self._some.clear()
        items, self._items = self._items, []
        return items

    def put(self, batch: Batch) -> None:
        """What has come at the other end. An item of a connection that has ended here is dropped."""
        for item in batch:
            line = self._lines.get(item.line)
            if line is not None:
                line.put(item)

    def say(self, item: Item) -> None:
        self._items.append(item)
        self._some.set()

    def drop(self, number: int) -> None:
        self._lines.pop(number, None)

    def close(self) -> None:
        """`take` comes back at once."""
        for line in list(self._lines.values()):
            line.close()
        self._some.set()


class _Line:
    """One connection."""

    def __init__(self, number: int, stream: socket.socket, lines: Lines) -> None:
        self._number = number
        self._stream = stream
        self._lines = lines
        self._window = WINDOW
        self._delivered = 0
        self._queue: deque[bytes | None] = deque()
        self._wake_reader = asyncio.Event()
        self._wake_writer = asyncio.Event()
        self._tasks = [asyncio.ensure_future(self._read()), asyncio.ensure_future(self._write())]

    def put(self, item: Item) -> None:
        if item.delivered:
            self._window += item.delivered
            self._wake_reader.set()
        if item.data != b"":
            self._queue.append(item.data)
            self._wake_writer.set()

    def close(self) -> None:
        """At this end, at once."""
        self._lines.drop(self._number)
        for task in self._tasks:
            task.cancel()
        # Behind what the cancelled calls have scheduled: the event loop forgets the descriptor before it is closed.
        asyncio.get_running_loop().call_soon(self._stream.close)

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            while self._window <= 0:
                self._wake_reader.clear()
                await self._wake_reader.wait()
            try:
                data = await loop.sock_recv(self._stream, min(PIECE, self._window))
            except OSError:
                data = b""
            if not data:
                self._end()
                return
            self._window -= len(data)
            self._lines.say(Item(self._number, data, self._take_delivered()))

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            while not self._queue:
                self._wake_writer.clear()
                await self._wake_writer.wait()
            data = self._queue.popleft()
            if data is None:
                self.close()
                return
            try:
                await loop.sock_sendall(self._stream, data)
            except OSError:
                self._end()
                return
            self._delivered += len(data)
            if self._delivered >= WINDOW // 4:
                self._lines.say(Item(self._number, b"", self._take_delivered()))

    def _take_delivered(self) -> int:
        delivered, self._delivered = self._delivered, 0
        return delivered

    def _end(self) -> None:
        """The socket has: the other end is told."""
        self._lines.say(Item(self._number, None, 0))
        self.close()
