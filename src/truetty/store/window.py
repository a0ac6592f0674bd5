"""The offsets of one command's output in a transcript.

Rule 1: a window holds offsets, never bytes.
Rule 2: our own marks inside it are holes; a mark of which only the beginning has arrived is not shown either.
Rule 3: text on the alternate screen is no text of the window. A command that ended there is an exception: what stood
        there last follows what was printed before (`show_screen`). Its bytes stay as they were.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from typing import ClassVar, Final

from truetty.core import marks
from truetty.core.standing import Stands
from truetty.store.transcript import Range, Transcript, spans_without
from truetty.text.clean import Cleaner

# Where bytes could not be kept: it ends a sequence that was cut, and keeps halves of two lines apart.
_SEAM: Final = b"\x18\r\n[\xe2\x80\xa6 %d bytes were not kept \xe2\x80\xa6]\r\n"
# In the place of the way to the alternate screen: usual modes and an empty screen. A clear keeps what it clears.
_SCREEN: Final = b"\x18\x1b[!p\x1b[H\x1b[2J"
_MOST_HOLES: Final = 1024  # two or three are usual; more marks than this are a program's doing, and its output
PIECE: Final = 1 << 16  # the cleaner is fastest on pieces that stay in the cache


class Window(Stands):
    """Shared by an output and its readers."""

    STANDS: ClassVar = ("start", "end", "holes", "size", "screen")

    def __init__(self, transcript: Transcript, start: int, size: tuple[int, int] = (120, 30)) -> None:
        self.transcript = transcript
        self.start = start
        self.end: int | None = None
        self.holes: list[Range] = []
        self.size = size
        self.screen: Range | None = None  # the way to the screen that is shown: the switch, and what was drawn over

    def begin(self, start: int) -> None:
        """The command's own output begins here, and grows until `end_at` says where it ends."""
        self.start = start
        self.end = self.screen = None
        self.holes = [(max(first, start), last) for first, last in self.holes if last > start]

    def leave_out(self, start: int, end: int) -> None:
        """A mark of ours lies in [start, end)."""
        start = max(start, self.start)
        if start < end and len(self.holes) < _MOST_HOLES:
            insort(self.holes, (start, end))

    def end_at(self, at: int | None) -> None:
        """Nothing from this offset on is of this command; None: it was not the end after all."""
        self.end = None if at is None else max(at, self.start)

    def show_screen(self, switch: int, start: int) -> None:
        """It has ended on the alternate screen, where it went at `switch`. What stands there came from `start` on."""
        self.screen = (switch, start)

    @property
    def is_empty(self) -> bool:
        """It has ended where it began."""
        return self.end == self.start

    def visible(self) -> int:
        """The end, before what may be the beginning of a mark of ours."""
        if self.end is not None:
            return self.end
        size = self.transcript.size
        return size - marks.half_length(self.transcript.read(max(self.start, size - marks.LONGEST)))

    def whole_characters(self) -> int:
        """The same; while the command runs, before a character of which only the first bytes have come."""
        end = self.visible()
        if self.end is not None:
            return end
        return end - _begun_character(self.transcript.read(max(self.start, end - 3), min(3, end - self.start)))

    def whole(self) -> list[Range]:
        """All of it, without its holes."""
        return spans_without(self.holes, self.start, self.visible())

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """The bytes for a cleaner, each piece with the offset after it. What stands for other bytes is `WHOLE`."""
        if self.screen is None or end <= self.screen[0] or start >= self.screen[1]:
            yield from self._stored(start, end)
            return
        switch, shown = self.screen
        yield from self._stored(start, switch)
        yield shown, _SCREEN
        yield from self._stored(shown, end)

    def _stored(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        for first, last in spans_without(self.holes, start, end):
            for gap, after in (*self.transcript.gaps(first, last), (last, last)):
                for at in range(first, gap, PIECE):
                    stop = min(at + PIECE, gap)
                    yield stop, self.transcript.read(at, stop - at)
                if after > gap:
                    yield after, _SEAM % (after - gap)
                first = after

    def texts(self) -> Iterator[str]:
        """The clean text."""
        cleaner = Cleaner(*self.size)
        for _, data in self.pieces(self.start, self.visible()):
            for text, _ in cleaner.portions(data):
                yield text
        yield cleaner.tail()


def _begun_character(last: bytes) -> int:
    """How many of these bytes are the beginning of a UTF-8 character whose rest is to come."""
    for count, byte in enumerate(reversed(last), 1):
        if byte >= 0xC0:
            return count if count < 2 + (byte >= 0xE0) + (byte >= 0xF0) else 0
        if byte < 0x80:
            break
    return 0
