"""Soft looks prove nothing one by one; some that agree, over some time, prove that somebody waits."""

from __future__ import annotations

from typing import Final

from truetty.core.observation import Observation

# How many must agree, and how far apart the first and the last: longer than any program rests by chance.
LOOKS: Final = 3
SPAN: Final = 0.15


class Agreement:
    __slots__ = ("_count", "_seen", "_since")

    def __init__(self) -> None:
        self._count = 0
        self._seen: tuple[object, ...] = ()
        self._since = 0.0

    def holds(self, look: Observation, now: float) -> bool:
        """Whether this look and those before it are enough. A reader that works meanwhile counts for nothing."""
        seen = (look.reader, look.wakes, look.kind)
        if look.busy and not look.hard:
            self._count = 0
        elif self._count == 0 or seen != self._seen:
            self._count, self._seen, self._since = 1, seen, now
        else:
            self._count += 1
        return self._count >= LOOKS and now >= self._since + SPAN

    def forget(self) -> None:
        self._count = 0
