"""The live views that are open, and what they are told when the server ends."""

from __future__ import annotations

import asyncio
from typing import Final

from truetty.server.wire.view import View

BYE_SECONDS: Final = 0.05  # for a viewer that takes nothing at this moment


class Views:
    def __init__(self) -> None:
        self._open: set[View] = set()
        self._why: str | None = None  # the server ends

    async def serve(self, view: View) -> None:
        """Until it has ended."""
        self._open.add(view)
        try:
            if self._why is not None:
                await view.part(self._why)
            await view.serve()
        finally:
            self._open.discard(view)

    async def part(self, why: str) -> None:
        """The code of the last frame of each, from now on. The connections are closed by the listeners, when these
        accept no others: so a viewer that comes again comes to the next server."""
        self._why = why
        if self._open:
            tasks = [asyncio.ensure_future(view.part(why)) for view in self._open]
            _, late = await asyncio.wait(tasks, timeout=BYE_SECONDS)
            for task in late:
                task.cancel()
