"""An MCP client of the server, `truetty mcp --shared`, beside a browser: it runs in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from tests.mcp.lasting import call, joined, shared
from tests.patience import PATIENCE
from tests.server.live import Live


class Agent:
    def __init__(self, client: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._client = client
        self._loop = loop

    def start(self, tool: str, **arguments: object) -> Future[dict[str, Any]]:
        """A call that is under way."""
        return self._submit(call(self._client, tool, **arguments))

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        return self.start(tool, **arguments).result(PATIENCE)

    def start_reporting(self, progress: list[str], tool: str, **arguments: object) -> Future[Any]:
        """As `start`, with what it is told meanwhile."""

        async def hear(_: float, __: float | None, message: str | None) -> None:
            progress.append(message or "")

        return self._submit(self._client.call_tool(tool, arguments, progress_callback=hear))

    def _submit(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)


@contextmanager
def agent(
    live: Live, *options: str, name: str = "claude-code", env: Mapping[str, str] | None = None, **more: Any
) -> Iterator[Agent]:
    ready: Future[Agent] = Future()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def serve() -> None:
        try:
            async with joined(shared(live, *options, env=env), name=name, **more) as client:
                ready.set_result(Agent(client, loop))
                await over.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
            raise

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        yield ready.result(PATIENCE)
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()
