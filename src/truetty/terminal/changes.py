"""Waiting until something is true of a terminal: the one place that waits on output.

Rule 1: a condition is looked at when something changed, at its own time (`again`), and at no other.
Rule 2: whoever no longer waits leaves nothing behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Changes:
    def __init__(self) -> None:
        self.over = False  # closed, and everything said: nobody waits for anything any more
        self.waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []

    def tell(self) -> None:
        """Something changed: wake those whose condition holds now."""
        for condition, future in list(self.waiting):
            if not future.done() and (self.over or condition()):
                future.set_result(None)

    async def until(
        self, condition: Callable[[], bool], timeout: float | None, again: Callable[[], float | None] = lambda: None
    ) -> None:
        """Wait until `condition` holds, all is over, or patience is. `again`: when to look without being told."""
        loop = asyncio.get_running_loop()
        end = None if timeout is None else loop.time() + max(timeout, 0)
        while not condition() and not self.over:
            due = min((at for at in (end, again()) if at is not None), default=None)
            future: asyncio.Future[None] = loop.create_future()
            entry = (condition, future)
            self.waiting.append(entry)
            timer = loop.call_at(due, _wake, future) if due is not None else None
            try:
                await future
            finally:
                self.waiting.remove(entry)
                if timer is not None:
                    timer.cancel()
            if end is not None and loop.time() >= end:
                return


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
