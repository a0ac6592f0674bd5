"""Keys for a command that has not started yet.

Right behind the trigger the shell's editor would take them, so they wait until the start mark C has come, or until a
look shows that somebody else reads.
"""

from __future__ import annotations

from typing import Final

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

    def are_due(self, now: float) -> bool:
        return bool(self._data) and now > self._until

    def take(self) -> bytes:
        data = bytes(self._data)
        self._data.clear()
        return data
