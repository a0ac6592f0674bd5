"""Something has changed in a terminal: who is called, in which order, and how to wait until something is true.

Rule 1: the order is that of `Rank`. Who settles a fact comes before who reads it.
Rule 2: a condition is looked at when something changed, at its own time (`again`), and at no other.
Rule 3: a subscriber that has left, or a wait that is over, leaves nothing behind.
"""

from __future__ import annotations

import asyncio
from bisect import insort
from collections.abc import Callable
from enum import IntEnum
from operator import itemgetter


class Rank(IntEnum):
    """Lowest first; who waits by `until` comes after all of them."""

    END = 0  # a command that has ended: where its shell was, and whether it is gone
    STOP = 1  # a command whose time-out is over: the ladder begins
    ANSWERS = 2  # rules and callbacks, before anybody is told that a program waits
    STREAMS = 3
    RECORDINGS = 4
    OWNERS = 5  # those who keep terminals for others


class Changes:
    """Those of one terminal."""

    def __init__(self) -> None:
        self.over = False  # closed, and everything said: nobody waits for anything any more
        self._subscribers: list[tuple[Rank, Callable[[], None]]] = []
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []

    @property
    def subscribers(self) -> int:
        return len(self._subscribers)

    @property
    def waiters(self) -> int:
        return len(self._waiting)

    def subscribe(self, callback: Callable[[], None], rank: Rank) -> Callable[[], None]:
        """Call back whenever something changed; returns how to end that."""
        entry = (rank, callback)
        insort(self._subscribers, entry, key=itemgetter(0))

        def leave() -> None:
            if entry in self._subscribers:
                self._subscribers.remove(entry)

        return leave

    def tell(self) -> None:
        """Something changed."""
        for entry in list(self._subscribers):
            if entry in self._subscribers:  # one before it may have ended it
                entry[1]()
        for condition, future in list(self._waiting):
            if not future.done() and (self.over or condition()):
                future.set_result(None)

    def close(self) -> None:
        """The terminal is closed: this is the last change."""
        self.over = True
        self.tell()

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
            self._waiting.append(entry)
            timer = loop.call_at(due, _wake, future) if due is not None else None
            try:
                await future
            finally:
                self._waiting.remove(entry)
                if timer is not None:
                    timer.cancel()
            if end is not None and loop.time() >= end:
                return


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
