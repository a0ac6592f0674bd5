"""Where a drop-in's terminals are: in this program, on a server, or in a container.

Rule: the registry is opened when it is first used, and again after a `close`. One that was given stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from truetty import sync

# `None`: in this program. Text or arguments: what `truetty.connect` takes. A registry: that one.
On = str | Sequence[str] | sync.Registry | None
# Terminals of one drop-in; a framework has its own bound on the agents that it runs at once.
MOST: Final = 1000


class Place:
    def __init__(self, on: On = None) -> None:
        self.is_here = on is None
        self._on = on
        self._opened: sync.Registry | None = None

    @property
    def registry(self) -> sync.Registry:
        if isinstance(self._on, sync.Registry):
            return self._on
        if self._opened is None:
            self._opened = sync.Registry(limit=MOST) if self._on is None else sync.connect(self._on)
        return self._opened

    def close(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()
