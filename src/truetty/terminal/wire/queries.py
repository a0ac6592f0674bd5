"""What programs ask the terminal (`core/queries.py`), the answers they get, and which program waits for none.

Rule 1: an answer never contains a part of its question: output that returns as input has been used to attack terminals.
        All answers are fixed texts, but for the two numbers of the cursor.
Rule 2: a program is answered only while it reads key by key; anywhere else the answer would be typed text. A read that
        looks like a shell's editor may be one (`read -e`) or `read -s -d R`: it is answered if nothing was printed
        behind the question. Where no look can show a reader, a program in front of the shell is answered.
Rule 3: an answer is true. The colours are those of the terminal's picture. A feature that is not there is answered as
        unknown where there is such an answer, and else not at all, as by terminals without it: kitty's keyboard
        protocol, the clipboard, sizes in pixels.
Rule 4: a program that was not answered waits for the terminal as long as its read is limited in time, it has not run
        since and it has printed no text since it asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from truetty.core.observation import Observation
from truetty.core.signs import Query
from truetty.host.base import Channel
from truetty.shells import table
from truetty.store.transcript import Transcript
from truetty.text.clean import clean
from truetty.text.theme import DARK


def _colours(number: int, colour: str) -> dict[str, bytes]:
    red, green, blue = (colour[at : at + 2] * 2 for at in (1, 3, 5))
    answer = f"\x1b]{number};rgb:{red}/{green}/{blue}".encode()
    return {f"OSC {number} BEL": answer + b"\x07", f"OSC {number} ST": answer + b"\x1b\\"}


FIXED: Final[dict[str, bytes]] = {
    # A VT100 with advanced video, which is what programs expect; and "no malfunction".
    "DA1": b"\x1b[?1;2c",
    "DA2": b"\x1b[>0;0;0c",
    "DSR": b"\x1b[0n",
    "XTVERSION": b"\x1bP>|truetty\x1b\\",
    "XTGETTCAP": b"\x1bP0+r\x1b\\",  # no such capability
    "DECRQSS": b"\x1bP0$r\x1b\\",  # no such setting
    **{f"DECRQM {mode}": b"\x1b[?%d;0$y" % mode for mode in (69, 2026, 2027, 2031, 2048)},  # no such mode
    **_colours(10, DARK.foreground),
    **_colours(11, DARK.background),
}
_PLACES: Final = {"CPR": b"\x1b[%d;%dR", "DECXCPR": b"\x1b[?%d;%dR"}
ANSWERED: Final = FIXED.keys() | _PLACES.keys()
NEVER_ANSWERED: Final = table.where(lambda row: row.never_answered)
# No program waits for more answers at once.
MOST: Final = 16
# How much of what was printed since a question is searched for text.
REACH: Final = 4096


class TerminalQueries:
    """`cursor`: where the cursor is, column and row from 0."""

    def __init__(self, channel: Channel, cursor: Callable[[], tuple[int, int]], transcript: Transcript) -> None:
        self._channel = channel
        self._cursor = cursor
        self._transcript = transcript
        self._open: list[str] = []
        self._asked_to = 0  # where the last question ends
        self._unanswered: Query | None = None  # the last question that has no answer, while a program may wait for it
        self._asker: tuple[int | None, int | None] | None = None  # the program that does, and its count of wake-ups

    def ask(self, query: Query) -> None:
        self._asked_to = query.end
        if query.name not in ANSWERED:
            self._unanswered, self._asker = query, None
        elif len(self._open) < MOST:
            self._open.append(query.name)

    def forget_answered(self) -> None:
        """What was printed to a process before this one was read again: it has answered all but the last question, if
        nothing was printed after that."""
        if self._asked_to != self._transcript.size:
            self.forget(None)

    def answer_at_once(self, query: Query) -> None:
        """For a shell whose own prompt asks and waits."""
        if query.name in ANSWERED and self._reads_keys():
            self._channel.write(self._answer(query.name))

    def answer(self, seen: Observation) -> int:
        """After a look: the program that asked may be reading now. Returns the size of the answer, 0 if it got none."""
        if not self._open:
            return 0
        reads_keys = self._reads_keys()
        unseen = seen.seen == "unknown" and reads_keys and self._channel.tty.shell_in_front() is False
        if seen.seen != "waiting" and not unseen:
            return 0
        if seen.kind == "line" and not (reads_keys and self._asked_to == self._transcript.size):
            return 0
        answered = reads_keys and seen.program not in NEVER_ANSWERED
        answer = b"".join(map(self._answer, self._open)) if answered else b""
        self._open.clear()
        if answer:
            self._channel.write(answer)
        return len(answer)

    def is_awaited(self, seen: Observation) -> bool:
        """Whether the reader that this look shows waits for an answer that never comes (Rule 4)."""
        if self._unanswered is None or seen.seen != "waiting":
            return False
        who = (seen.reader, seen.wakes)
        waits = seen.timed and self._reads_keys() and self._asker in (None, who)
        if not waits or clean(self._transcript.read(self._unanswered.start, REACH)).strip():
            self._unanswered = None
            return False
        self._asker = who
        return True

    def _answer(self, name: str) -> bytes:
        if name in _PLACES:
            column, row = self._cursor()
            return _PLACES[name] % (row + 1, column + 1)
        return FIXED[name]

    def _reads_keys(self) -> bool:
        modes = self._channel.tty.modes()
        return modes is not None and not modes.canonical

    def forget(self, end: int | None) -> None:
        """The command has ended. What was asked after its end is a prompt hook's."""
        if end is None or self._asked_to <= end:
            self._open.clear()
            self._unanswered = None
