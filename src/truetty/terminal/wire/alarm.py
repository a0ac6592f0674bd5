"""The one timer of a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf


class Alarm:
    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def set(self, at: float) -> None:
        """An earlier timer is left alone: it finds that it came too early, and is set anew."""
        if at == inf:
            return
        if self._timer is not None:
            if self._timer.when() <= at:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(at, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        self._ring()
