"""What programs ask the terminal (DA1, DSR, CPR), and the few fixed answers they get.

Rule 1: no part of a question ever comes back, and no answer but these three is ever given: text from the output that
        returns as input is how terminals were broken into.
Rule 2: a program is answered only while it reads key by key; anywhere else the answer would be typed text.
"""

from __future__ import annotations

from typing import Final

from truetty.core.observation import Observation
from truetty.host.base import Channel
from truetty.shells import table

# A VT100 with advanced video, in good order, its cursor at home: true of no terminal in particular.
ANSWERS: Final[dict[str, bytes]] = {"DA1": b"\x1b[?1;2c", "DSR": b"\x1b[0n", "CPR": b"\x1b[1;1R"}
NEVER_ANSWERED: Final = table.where(lambda row: row.never_answered)
# Nobody waits for more at once.
MOST: Final = 16


class TerminalQueries:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._open: list[str] = []

    def ask(self, name: str) -> None:
        if len(self._open) < MOST:
            self._open.append(name)

    def answer_at_once(self, name: str) -> None:
        """For a shell whose own prompt asks and waits."""
        if self._reads_keys():
            self._channel.write(ANSWERS[name])

    def answer(self, seen: Observation) -> None:
        """After a look: whoever asked may be reading now."""
        if not self._open or seen.seen != "waiting" or seen.kind == "line":
            return
        if seen.program not in NEVER_ANSWERED and self._reads_keys():
            for name in self._open:
                self._channel.write(ANSWERS[name])
        self._open.clear()

    def _reads_keys(self) -> bool:
        modes = self._channel.tty.modes()
        return modes is not None and not modes.canonical

    def forget(self) -> None:
        self._open.clear()
