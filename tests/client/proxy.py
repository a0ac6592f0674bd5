"""A socket between a client and a server, which a test can cut and hold."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path


class Proxy:
    def __init__(self, path: Path, target: str) -> None:
        self.where = f"unix:{path}"
        self.connections = 0  # so many were made
        self.rewrites = (b"", b"")  # what the server sends: the first is replaced by the second, which is as long
        self._path = path
        self._target = target.removeprefix("unix:")
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
        far_reader, far_writer = await asyncio.open_unix_connection(self._target)
        self._writers += [writer, far_writer]
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
                writer.write(data)
                await writer.drain()
        writer.close()

    async def close(self) -> None:
        self.cut(refuse=True)
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def proxy(folder: Path, target: str) -> AsyncIterator[Proxy]:
    made = Proxy(folder / "proxy", target)
    await made.listen()
    try:
        yield made
    finally:
        await made.close()
