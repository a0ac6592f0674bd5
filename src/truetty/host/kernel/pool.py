"""Descriptors that a terminal can do without: opened when they are needed, closed when too many others are.

Rule 1: a process has a limited number of descriptors. A terminal at rest needs two: its pty and its shell's pidfd. What
        makes looks cheap is open for the terminals that are looked at.
Rule 2: a pool belongs to one thread, as every terminal does: no other thread closes what is about to be read.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

# Seven for each terminal that is looked at often.
MOST_OPEN: Final = 96


class _Pools(threading.local):
    def __init__(self) -> None:
        self.open: OrderedDict[Pooled, None] = OrderedDict()


_POOLS: Final = _Pools()


class Pooled:
    """One descriptor. `open` raises OSError when it cannot be opened, and is not called again after `close`."""

    __slots__ = ("_fd", "_open", "_pool")

    def __init__(self, open: Callable[[], int]) -> None:
        self._open: Callable[[], int] | None = open
        self._fd = -1
        self._pool = _POOLS.open

    def get(self) -> int:
        """Valid until the next `get` of another one."""
        pool = self._pool
        if self._fd < 0:
            if self._open is None:
                raise FileNotFoundError
            while len(pool) >= MOST_OPEN:
                pool.popitem(last=False)[0].rest()
            self._fd = self._open()
            pool[self] = None
        else:
            pool.move_to_end(self)
        return self._fd

    def rest(self) -> None:
        """Closed for now."""
        fd, self._fd = self._fd, -1
        self._pool.pop(self, None)
        if fd >= 0:
            os.close(fd)

    def close(self) -> None:
        self._open = None
        self.rest()
