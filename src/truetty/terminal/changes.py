"""Something has changed in a terminal: which listeners are called, in which order, and how to wait for a condition.

Rule 1: the order is that of `Rank`. A listener that settles a fact comes before those that read it.
Rule 2: a condition is looked at when something changed, at its own time (`again`), and at no other.
Rule 3: a subscriber that has left, or a wait that is over, leaves nothing behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter


class Rank(IntEnum):
    """Lowest first; waits by `until` come after all of them."""

    COMMAND = 0  # at its end it settles where its shell was; at its time-out the ladder begins
    ANSWERS = 1  # rules and callbacks, before any caller learns that a program waits
    STREAMS = 2
    RECORDINGS = 3
    OWNERS = 4  # registries, which keep terminals for callers


@dataclass(slots=True, eq=False)
class _Subscriber:
    rank: Rank
    callback: Callable[[], None]
    has_left: bool = False


@dataclass(slots=True, eq=False)
class _Waiter:
    condition: Callable[[], bool]
    again: Callable[[], float | None]
    due: float | None  # when it looks by itself
    future: asyncio.Future[None]

    def is_due_earlier(self) -> bool:
        """Whether a change, or its own look at it, has made it want to look sooner: there may be no further change."""
        again = self.again()
        return again is not None and (self.due is None or again < self.due)


class Changes:
    """Those of one terminal."""

    def __init__(self) -> None:
        self.over = False  # closed, and every listener was called: no wait is left
        self._subscribers: tuple[_Subscriber, ...] = ()
        self._waiting: list[_Waiter] = []

    @property
    def subscribers(self) -> int:
        return len(self._subscribers)

    @property
    def waiters(self) -> int:
        return len(self._waiting)

    def subscribe(self, callback: Callable[[], None], rank: Rank) -> Callable[[], None]:
        """Call back whenever something changed; returns how to end that."""
        one = _Subscriber(rank, callback)
        self._subscribers = tuple(sorted((*self._subscribers, one), key=attrgetter("rank")))

        def leave() -> None:
            one.has_left = True
            self._subscribers = tuple(other for other in self._subscribers if other is not one)

        return leave

    def tell(self) -> None:
        """Something changed."""
        for one in self._subscribers:
            if not one.has_left:  # by a change that an earlier one has made
                try:
                    one.callback()
                except Exception as error:
                    _report(error)
        for waiter in list(self._waiting):
            if waiter.future.done():
                continue
            try:
                looks = self.over or waiter.condition() or waiter.is_due_earlier()
            except Exception as error:  # the waiter's own: `until` raises it
                waiter.future.set_exception(error)
            else:
                if looks:
                    waiter.future.set_result(None)

    def close(self) -> None:
        """The terminal is closed: this is the last change."""
        self.over = True
        self.tell()

    async def until(
        self, condition: Callable[[], bool], timeout: float | None, again: Callable[[], float | None] = lambda: None
    ) -> None:
        """Wait until `condition` holds, the terminal is closed, or the time is over. `again`: when to look anyway."""
        loop = asyncio.get_running_loop()
        end = None if timeout is None else loop.time() + max(timeout, 0)
        while not condition() and not self.over:
            due = min((at for at in (end, again()) if at is not None), default=None)
            future: asyncio.Future[None] = loop.create_future()
            waiter = _Waiter(condition, again, due, future)
            self._waiting.append(waiter)
            timer = loop.call_at(due, _wake, future) if due is not None else None
            try:
                await future
            finally:
                self._waiting.remove(waiter)
                if timer is not None:
                    timer.cancel()
            if end is not None and loop.time() >= end:
                return


def _report(error: Exception) -> None:
    """A subscriber has failed. The others are still called, and so is the loop's own handler of errors."""
    message = "a subscriber to a terminal's changes has failed"
    asyncio.get_running_loop().call_exception_handler({"message": message, "exception": error})


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
