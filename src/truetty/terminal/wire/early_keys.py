"""Keys for a command that has not started yet.

At the prompt or right behind the trigger the shell's editor would take them, so they wait until the start mark C has
come, or until a look shows that a program reads. The interrupt key is the only one that a prompt hook gets in the end.
"""

from __future__ import annotations

from typing import Final

from truetty.shells.row import CTRL_C

# A shell starts a command within milliseconds; after this time the keys go to whatever is there.
LONGEST_WAIT: Final = 0.3


class EarlyKeys:
    def __init__(self) -> None:
        self._data = bytearray()
        self._until = 0.0

    def __len__(self) -> int:
        return len(self._data)

    def add(self, data: bytes, now: float) -> None:
        self._data += data
        self._until = now + LONGEST_WAIT

    def on_trigger(self, now: float) -> None:
        """The command was typed: from now on it may start."""
        self._until = now + LONGEST_WAIT

    def are_due(self, now: float, *, typed: bool) -> bool:
        """`typed`: the command was."""
        return (typed or CTRL_C in self._data) and bool(self._data) and now > self._until

    def take(self) -> bytes:
        data = bytes(self._data)
        self._data.clear()
        return data
