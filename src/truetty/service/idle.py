"""When a terminal has been unused for too long: one timer, for the one that was used the longest ago.

Rule: time comes from a clock that is passed in. The event loop is one; a test has its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from math import inf
from typing import Final, Protocol


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock(Protocol):
    """What of an event loop is needed here."""

    def time(self) -> float: ...
    def call_at(self, when: float, callback: Callable[[], object], /) -> Timer: ...


class IdleTimer:
    """Calls `on_time` when the first terminal may have been unused for `seconds`; None: never."""

    def __init__(self, seconds: float | None, clock: Clock | None, on_time: Callable[[], None]) -> None:
        self.seconds: Final = seconds
        self._clock = clock
        self._on_time = on_time
        self._timer: Timer | None = None
        self._due = inf

    def now(self) -> float:
        return self._find_clock().time()

    def is_over(self, used_at: float) -> bool:
        return self.seconds is not None and used_at + self.seconds <= self.now()

    def arm(self, used: Iterable[float]) -> None:
        """`used` is when each was last used. An earlier timer is left: it finds nothing over, and is armed again."""
        if self.seconds is None:
            return
        due = min(used, default=inf) + self.seconds
        if due < self._due:
            self.stop()
            self._due = due
            self._timer = self._find_clock().call_at(due, self._ring)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due = None, inf

    def _ring(self) -> None:
        self._timer, self._due = None, inf
        self._on_time()

    def _find_clock(self) -> Clock:
        return asyncio.get_running_loop() if self._clock is None else self._clock
