"""What programs ask the terminal (DA1, DSR, CPR), and the few answers they get.

Rule 1: no part of a question ever comes back, and no answer but these three is ever given: text from the output that
        returns as input is how terminals were broken into. Of what is not fixed there are two numbers, the cursor's.
Rule 2: a program is answered only while it reads key by key; anywhere else the answer would be typed text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from truetty.core.observation import Observation
from truetty.host.base import Channel
from truetty.shells import table

# A VT100 with advanced video, in good order: true of no terminal in particular.
FIXED: Final[dict[str, bytes]] = {"DA1": b"\x1b[?1;2c", "DSR": b"\x1b[0n"}
NEVER_ANSWERED: Final = table.where(lambda row: row.never_answered)
# Nobody waits for more at once.
MOST: Final = 16


class TerminalQueries:
    """`cursor`: where the cursor is, column and row from 0."""

    def __init__(self, channel: Channel, cursor: Callable[[], tuple[int, int]]) -> None:
        self._channel = channel
        self._cursor = cursor
        self._open: list[str] = []

    def ask(self, name: str) -> None:
        if len(self._open) < MOST:
            self._open.append(name)

    def answer_at_once(self, name: str) -> None:
        """For a shell whose own prompt asks and waits."""
        if self._reads_keys():
            self._channel.write(self._answer(name))

    def answer(self, seen: Observation) -> bool:
        """After a look: the program that asked may be reading now. Returns whether it was answered."""
        if not self._open or seen.seen != "waiting" or seen.kind == "line":
            return False
        answered = seen.program not in NEVER_ANSWERED and self._reads_keys()
        if answered:
            self._channel.write(b"".join(map(self._answer, self._open)))
        self._open.clear()
        return answered

    def _answer(self, name: str) -> bytes:
        if name == "CPR":
            column, row = self._cursor()
            return b"\x1b[%d;%dR" % (row + 1, column + 1)
        return FIXED[name]

    def _reads_keys(self) -> bool:
        modes = self._channel.tty.modes()
        return modes is not None and not modes.canonical

    def forget(self) -> None:
        self._open.clear()
