"""Keys for a command that has not started yet, or has started just now.

At the prompt or right behind the trigger the shell's editor would take them, so they wait until the start mark C has
come, or until a look shows that a program reads.

The interrupt key waits longer. Between C and the start of the command's first program the shell itself is in front, and
would drop its SIGINT: the key is sent when a program is in front, or when none has come in time. It is also the only
key that a prompt hook gets in the end.
"""

from __future__ import annotations

from typing import Final

# A shell starts a command within milliseconds; after this time the keys go to whatever is there.
LONGEST_WAIT: Final = 0.3
# After C a shell starts a program within milliseconds; after this time the command is the shell's own work.
PROGRAM_START: Final = 0.05


class EarlyKeys:
    def __init__(self) -> None:
        self._data = bytearray()
        self._until = 0.0
        self._start_until = 0.0
        self.interrupt = False  # the interrupt key is among them

    def __len__(self) -> int:
        return len(self._data)

    def add(self, data: bytes, now: float, *, interrupt: bool = False) -> None:
        self._data += data
        if not self.is_starting(now):
            self._until = now + LONGEST_WAIT
        self.interrupt = self.interrupt or interrupt

    def on_trigger(self, now: float) -> None:
        """The command was typed: from now on it may start."""
        self._until = now + LONGEST_WAIT

    def on_start(self, now: float) -> None:
        """C has come: the first program may start."""
        self._until = self._start_until = now + PROGRAM_START

    def is_starting(self, now: float) -> bool:
        """Whether its first program may still be about to start."""
        return now < self._start_until

    def are_due(self, now: float, *, typed: bool) -> bool:
        """`typed`: the command was."""
        return (typed or self.interrupt) and bool(self._data) and now > self._until

    def take(self) -> bytes:
        data = bytes(self._data)
        self._data.clear()
        self.interrupt = False
        return data
