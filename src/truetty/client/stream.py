"""What happens to a command elsewhere, as it happens.

Rule 1: a listener that is too slow gets a `Gap`: no more than some megabytes of text wait for it here.
Rule 2: after a cut the stream goes on behind the output that it has given.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any, Final, Self, get_args

from truetty import events
from truetty.client.link import Link
from truetty.server import shapes

KINDS: Final = {kind.__name__.lower(): kind for kind in get_args(events.Event)}
MOST_QUEUED: Final = 16 << 20  # characters of output


class Stream:
    """`async for event in command.events()`. It listens from the moment it is made."""

    def __init__(self, link: Link, command_id: str, coalesce: float | None) -> None:
        self._link = link
        self._fields: dict[str, Any] = {"command_id": command_id, "exact": True, "coalesce": coalesce}
        self._queue: deque[events.Event] = deque()
        self._queued = 0  # characters of output
        self._begun = False  # `Started` was given
        self._waiting: events.Waiting | None = None  # the one that was given last, while it lasts
        self._wake = asyncio.Event()
        self._over = False
        self._following = asyncio.ensure_future(self._follow())
        self._following.add_done_callback(lambda _: self._wake.set())

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> events.Event:
        while not self._queue:
            if self._over:
                raise StopAsyncIteration
            if self._following.done():
                self._over = True
                if not self._following.cancelled() and (error := self._following.exception()) is not None:
                    raise error
                continue
            self._wake.clear()
            await self._wake.wait()
        event = self._queue.popleft()
        if isinstance(event, events.Output):
            self._queued -= len(event.text)
        return event

    async def aclose(self) -> None:
        """Listen no longer."""
        self._over = True
        self._queue.clear()
        self._following.cancel()
        self._wake.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([self._following])

    async def _follow(self) -> None:
        await self._link.call("follow", dict, self._fields, on_part=self._take)

    def _take(self, part: dict[str, Any]) -> None:
        self._fields["at"] = part.get("at")  # if this call is asked again, it goes on here
        kind = KINDS.get(part["event"])
        if kind is None:
            return  # of a newer server
        event: events.Event = shapes.made(kind, part)
        match event:
            case events.Started() if self._begun:
                return
            case events.Started():
                self._begun = True
            case events.Waiting() if event == self._waiting:
                return
            case events.Waiting():
                self._waiting = event
            case events.Resumed():
                self._waiting = None
            case events.Output(text):
                self._queued += len(text)
        self._queue.append(event)
        if self._queued > MOST_QUEUED:
            self._drop()
        self._wake.set()

    def _drop(self) -> None:
        """All output that waits here becomes one gap."""
        texts = [event.text for event in self._queue if isinstance(event, events.Output)]
        kept: list[events.Event] = [event for event in self._queue if not isinstance(event, events.Output)]
        self._queue = deque([events.Gap(sum(len(text.encode("utf-8", "replace")) for text in texts)), *kept])
        self._queued = 0
