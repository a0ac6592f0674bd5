"""What was seen of one command, and when: `Command.explain()` says it in words.

Rule: it is bounded. Of a command with more events the first ones are kept, and the others are counted.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from truetty.core.life import Fact
from truetty.core.reader_watch import KeyboardReader

MOST_ENTRIES: Final = 200


class Sent(NamedTuple):
    by_editor: bool  # False: by a trigger line, which evaluates the text


class Waits(NamedTuple):
    reader: KeyboardReader


class GoesOn(NamedTuple):
    """It no longer waits for input."""


class Keys(NamedTuple):
    """Keys were sent to it."""


class Ends(NamedTuple):
    code: int | None


Event = Sent | Waits | GoesOn | Keys | Ends | Fact


class Journal:
    __slots__ = ("_reader", "entries", "left_out")

    def __init__(self) -> None:
        self.entries: list[tuple[float, Event]] = []
        self.left_out = 0
        self._reader: KeyboardReader | None = None

    def note(self, now: float, event: Event) -> None:
        if len(self.entries) < MOST_ENTRIES:
            self.entries.append((now, event))
        else:
            self.left_out += 1

    def note_reader(self, now: float, reader: KeyboardReader | None) -> None:
        """The program that reads the keyboard now: noted when it is another one."""
        if reader != self._reader:
            self._reader = reader
            self.note(now, GoesOn() if reader is None else Waits(reader))
