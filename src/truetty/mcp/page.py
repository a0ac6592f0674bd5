"""The page on which a person types into a terminal that was handed over: on this machine only, started when needed."""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from truetty.mcp.visits import Visit, Visits


class PageServer(Protocol):
    @property
    def url(self) -> str: ...

    async def close(self) -> None: ...


class HandoffPage:
    def __init__(self) -> None:
        self.visits: Final = Visits()
        self._server: PageServer | None = None
        self._starting: asyncio.Lock | None = None

    async def link(self, visit: Visit) -> str:
        """Where this visit begins. The first one starts the server."""
        self._starting = self._starting or asyncio.Lock()
        async with self._starting:
            if self._server is None:
                from truetty.mcp import page_app  # it needs the optional packages

                self._server = await page_app.serve(self.visits)
        return f"{self._server.url}/{visit.code}"

    async def close(self) -> None:
        if self._server is not None:
            await self._server.close()
        self.visits.close()
