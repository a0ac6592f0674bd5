"""What viewers need beside the bytes: when they came, how large the screen was, and which bytes are not shown.

Rule 1: the transcript keeps what was printed. The timeline says which of it is the echo of our own typing, and what a
        person would have typed instead. No viewer is shown our marks.
Rule 2: all of it is bounded: a timeline that grows too long gets coarser; of the oldest commands our own line shows.
Rule 3: noting an arrival costs one comparison, since it is done for every piece read.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from truetty.core import lazy, marks
from truetty.store.transcript import Transcript

# A person does not see a difference under a hundredth of a second.
FINEST: Final = 0.01
# 128 kB of a terminal's memory. After a day of steady output, times are then exact to about ten seconds.
MOST_TIMES: Final = 8192
# Of so many commands the echo of our line is known, about 200 bytes each.
MOST_LINES: Final = 2048
MOST_SIZES: Final = 256
PIECE: Final = 1 << 16
PASTE: Final = b"\x1b[200~"

# A title set before the command runs may hold our line too, so strings are passed over whole.
_SEQUENCE_OR_BYTE: Final = lazy.pattern(
    rb"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|\[[0-?]*[ -/]*[@-~]|[ -/]+[0-~]|[0-~])|.", re.DOTALL
)
# So much of what was typed is looked for in what came back: an editor may break a longer piece at the margin.
_TELLING: Final = 6


class Echo(NamedTuple):
    """[start, end) of the transcript has come since our line was typed; its echo is somewhere in it.

    Without a line all of it is the echo of a newline that has ended a pause.
    """

    start: int
    end: int
    line: bytes
    text: str


class Line(NamedTuple):
    """[start, end) of the transcript is the echo of our line; `replacement` is what a person would have typed."""

    start: int
    end: int
    replacement: bytes


class Timeline:
    """Belongs to one transcript; `now` is the loop's time, `began` the time the terminal was opened."""

    def __init__(self, transcript: Transcript, size: tuple[int, int], began: float) -> None:
        self.began = began
        self.heard_at = began  # when the last byte came
        self._transcript = transcript
        self._offsets = array("Q", [0])
        self._times = array("d", [began])
        self._step = FINEST
        self._next = began  # the next arrival from then on is noted
        self._echoes: deque[Echo] = deque(maxlen=MOST_LINES)  # looked into when a viewer asks
        self._unwritten = 0  # so many of the newest were not given by `new_echoes` yet
        self._texts: deque[tuple[int, str]] = deque(maxlen=MOST_LINES)  # which an editor has shown, and where
        self._hiding: int | None = None  # our line is being echoed from here on
        self._echo = b""
        self._sizes: deque[tuple[int, float, tuple[int, int]]] = deque([(0, began, size)], maxlen=MOST_SIZES)

    # -- what happens

    def on_bytes(self, at: int, now: float) -> None:
        """Bytes from this offset on have come."""
        self.heard_at = now
        if now < self._next:
            return
        self._offsets.append(at)
        self._times.append(now)
        if len(self._times) > MOST_TIMES:
            del self._offsets[1::2], self._times[1::2]
            self._step *= 2
        self._next = now + self._step

    def on_resize(self, size: tuple[int, int], now: float) -> None:
        self._sizes.append((self._transcript.size, now, size))

    def take_over(
        self,
        sizes: Sequence[tuple[int, tuple[int, int]]],
        commands: Sequence[tuple[int, str, float]] = (),
        echoes: Sequence[Echo] = (),
    ) -> None:
        """What a process before this one has noted: from which offset on the terminal had each size; where the output
        of each command begins, its text, and when it was started; and what `new_echoes` has given."""
        self._echoes.extend(echoes)
        if commands:
            self._times[0] = self.began = min(self.began, commands[0][2])
            at, _, size = self._sizes[0]
            self._sizes[0] = (at, self.began, size)
        replacements = {echo.end for echo in echoes if echo.line and echo.text}  # these name their commands themselves
        for at, text, moment in commands:
            if at not in replacements:
                self._texts.append((at, text))
            if at > self._offsets[-1] and moment > self._times[-1]:
                self._offsets.append(at)
                self._times.append(moment)
        self._sizes.extend((at, self.time_of(at), size) for at, size in sizes)

    def on_command(self, text: str) -> None:
        """The shell's own editor gets this text, and shows it."""
        self._texts.append((self._transcript.size, text))

    def hide_echo(self, line: bytes) -> None:
        """A line of ours is typed: what comes back of it is not shown until `end_echo` says where it ends."""
        self._hiding, self._echo = self._transcript.size, line

    def on_pause(self, at: int) -> None:
        """The shell reads a line of ours before it runs the text: what the tty echoes of it is not shown either."""
        if self._hiding is None:
            self._hiding, self._echo = at, b""

    def end_echo(self, at: int, text: str = "") -> None:
        """Our line has done its work at this offset; people see `text` in its place."""
        if self._hiding is None:
            return
        self._echoes.append(Echo(self._hiding, at, self._echo, text))
        self._unwritten += 1
        self._hiding = None

    def new_echoes(self) -> list[Echo]:
        """Those that have come since this was last asked, for the process that takes the terminal over."""
        count, self._unwritten = min(self._unwritten, len(self._echoes)), 0
        return list(islice(self._echoes, len(self._echoes) - count, None))

    # -- what viewers ask

    @property
    def end(self) -> int:
        """Up to where viewers may see: not our own line while it is echoed, nor half a mark, whose secret is in it."""
        return self.whole(self._transcript.size if self._hiding is None else self._hiding)

    def whole(self, offset: int) -> int:
        """The nearest place, at or before this one, that is not inside a mark of ours."""
        start = max(0, offset - marks.LONGEST)
        return offset - marks.half_length(self._transcript.read(start, offset - start))

    def commands(self, start: int, end: int) -> list[tuple[int, str]]:
        """Those whose line begins in [start, end): where, and their text."""
        replaced = [
            (line.start, line.replacement.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n"))
            for line in self._lines_in(start, end)
            if line.replacement and start <= line.start < end
        ]
        return sorted(replaced + [(at, text) for at, text in self._texts if start <= at < end])

    def time_of(self, offset: int) -> float:
        """When the byte at this offset came."""
        return self._times[bisect_right(self._offsets, offset) - 1]

    def turns(self, start: int, end: int) -> Iterator[tuple[int, float]]:
        """Where, between two offsets, a new moment begins, and which."""
        for number in range(bisect_right(self._offsets, start), bisect_right(self._offsets, end - 1)):
            yield self._offsets[number], self._times[number]

    def size_at(self, offset: int) -> tuple[int, int]:
        offset = max(offset, self._sizes[0][0])  # of older ones the size is forgotten
        return next(size for at, _, size in reversed(self._sizes) if at <= offset)

    def resizes(self, start: int, end: int) -> list[tuple[int, float, tuple[int, int]]]:
        """Changes of size after `start` and up to `end`: offset, time, size."""
        return [change for change in self._sizes if start < change[0] <= end]

    def can_resume(self, since: int) -> bool:
        """Whether a viewer that was shown all up to there can be given the bytes behind it: it is no place inside a
        mark of ours, nor one that is still to come."""
        return since <= self.end and self.whole(since) == since

    def shown(self, since: int, most: int) -> tuple[int, bytes]:
        """What viewers see from this place on, of so many bytes at most, and the place where the next of it begins."""
        end = self.whole(since + most) if self.end - since > most else self.end
        return end, b"".join([data for _, data in self.pieces(since, end)])

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """What viewers see of [start, end): bytes, each piece with the offset it begins at."""
        end = min(end, self.end)
        for line in self._lines_in(start, end):
            yield from self._plain(start, line.start)
            if start <= line.start:
                yield line.start, line.replacement
            start = max(start, line.end)
        yield from self._plain(start, end)

    def _lines_in(self, start: int, end: int) -> list[Line]:
        """Our lines in [start, end)."""
        echoes = [echo for echo in self._echoes if echo.end > start and echo.start < end]
        return [line for echo in echoes for line in self._look(echo) if line.end > start and line.start < end]

    def _look(self, of: Echo) -> Iterator[Line]:
        """Our line, and each earlier echo of it.

        We may type before the shell's editor reads: before its P mark, or between the mark and the prompt. Then the tty
        echoes the line, the prompt is drawn below that, and the editor prints the line again behind it.
        """
        start = of.start
        if not of.line:
            yield Line(start, of.end, b"")
            return
        echo = self._transcript.read(start, min(of.end - start, PIECE))
        prompt = echo.rfind(marks.opening("P"))
        while (found := _find_line(echo, of.line)) >= 0:
            end = echo.find(b"\n", found) + 1
            if found < prompt:
                end = end if 0 < end <= prompt else prompt
            elif not end or _find_line(echo[end:], of.line) < 0:
                break
            yield Line(start + found, start + end, b"")
            start, prompt, echo = start + end, prompt - end, echo[end:]
        shown = "".join(f"{line}\r\n" for line in of.text.split("\n")) if of.text else ""
        begin = found if found >= 0 else max(prompt, 0)
        yield Line(start + begin, of.end, shown.encode("utf-8", "surrogateescape"))

    def _plain(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        while start < end:
            stop = min(end, start + PIECE)
            data = self._transcript.read(start, stop - start)
            if stop < end and (begun := marks.half_length(data)) and begun < len(data):
                data, stop = data[:-begun], stop - begun
            yield start, marks.strip(data)
            start = stop


def _find_line(echo: bytes, typed: bytes) -> int:
    """Where our line begins in what came back, whatever colours an editor put into it; -1 if it is not to be found."""
    letters = [(found.start(), found[0]) for found in _SEQUENCE_OR_BYTE.finditer(echo) if len(found[0]) == 1]
    at = b"".join([letter for _, letter in letters]).find(typed.removeprefix(PASTE).strip()[:_TELLING])
    if at < 0:
        return -1
    begin = letters[at][0]
    return begin - 1 if typed.startswith(b" ") and echo[begin - 1 : begin] == b" " else begin
