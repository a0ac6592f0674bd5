"""One that waits for the events of a connection.

Rule: a listener that is too far behind gets a `reset` in their place.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Any

from truetty.client.terminal import Terminal
from truetty.core.errors import Misuse
from truetty.server.limits import MOST_BEHIND
from truetty.server.shapes import plain


class Listener:
    """`state` makes a reset for it, if it is too far behind."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self._events: deque[dict[str, Any]] = deque()
        self._wake = asyncio.Event()
        self._over = False

    def add(self, event: dict[str, Any]) -> None:
        self._events.append(event)
        if len(self._events) > MOST_BEHIND:
            last = self._events[-1]
            self._events.clear()
            self._events.append({**{name: last[name] for name in ("seq", "epoch", "at")}, **self._state()})
        self._wake.set()

    async def next(self) -> dict[str, Any]:
        while not self._events:
            if self._over:
                raise Misuse("the connection was closed: connect again")
            self._wake.clear()
            await self._wake.wait()
        return self._events.popleft()

    def end(self) -> None:
        self._over = True
        self._wake.set()


def state(terminals: Iterable[Terminal]) -> dict[str, Any]:
    """A reset: how these stand."""
    listed = list(terminals)
    commands = [plain(one.command.form) for one in listed if one.command is not None]
    return {"event": "reset", "terminals": [plain(one.form) for one in listed], "commands": commands}
