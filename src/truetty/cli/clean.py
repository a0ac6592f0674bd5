"""`truetty clean`: what was printed, as the text a person would have read; as it comes, in bounded memory.

Rule 1: a terminal's own lines end in CR and LF, and an LF alone goes straight down. In what comes from a pipe there is
        no terminal yet, and an LF alone ends a line. The first line end tells which of the two it is.
Rule 2: text is written when it can no longer change. While nothing comes, whole lines are written as they stand; one
        that is redrawn after that comes again, whole.
"""

from __future__ import annotations

import os
import select
import sys
from typing import Final

from truetty.core import lazy
from truetty.core.checks import check_size
from truetty.core.errors import HostError, Misuse
from truetty.text.clean import Cleaner
from truetty.text.lines import repetition

READ_SIZE: Final = 1 << 16
# Programs that redraw a line do it more often than this, and a person who watches does not notice the delay.
PAUSE_BEFORE_TAIL: Final = 0.2
_LONE: Final = lazy.pattern(rb"(?<!\r)\n")


def clean(file: str | None, columns: int, rows: int) -> int:
    check_size(columns, rows)
    name = None if file == "-" else file
    if name is None and sys.stdin is not None and sys.stdin.isatty():
        print("truetty clean: reads what you type or paste here; Ctrl-D ends it", file=sys.stderr)
    try:
        descriptor = 0 if name is None else os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        _clean(descriptor, Cleaner(columns, rows))
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Misuse(f"{name or 'standard input'}: {reason}", path=name, reason=reason) from error
    return 0


def _clean(descriptor: int, cleaner: Cleaner) -> None:
    ends, draft = _LineEnds(), _Draft()
    while True:
        if not select.select([descriptor], [], [], PAUSE_BEFORE_TAIL)[0]:
            write_text(draft.as_it_stands(cleaner.tail()))
            select.select([descriptor], [], [])
        data = os.read(descriptor, READ_SIZE)
        if not data:
            break
        write_text(draft.final(cleaner.feed(ends.on_terminal(data))))
    write_text(draft.end(cleaner.tail()))


class _LineEnds:
    """Gives every line the end it has on a terminal."""

    def __init__(self) -> None:
        self._from_pipe: bool | None = None  # not known before the first line end
        self._last = b""

    def on_terminal(self, data: bytes) -> bytes:
        last, self._last = self._last, data[-1:]
        if self._from_pipe is None and (at := data.find(b"\n")) >= 0:
            self._from_pipe = (data[at - 1 : at] if at else last) != b"\r"
        if not self._from_pipe:
            return data
        if last == b"\r" and data[:1] == b"\n":
            return b"\n" + _LONE.sub(b"\r\n", data[1:])
        return _LONE.sub(b"\r\n", data)


class _Draft:
    """What is to be written of a text whose end may still change."""

    def __init__(self) -> None:
        self._early = ""  # lines that were written before they were final
        self._final = ""  # what is final by now of the text that they stand for

    def final(self, text: str) -> str:
        self._final += text
        return self._rest() if len(self._final) > len(self._early) else ""

    def as_it_stands(self, tail: str) -> str:
        now = self._final + tail[: tail.rfind("\n") + 1]
        rest = now[repetition(now, self._early) :]
        self._early = now
        return rest

    def end(self, tail: str) -> str:
        self._final += tail
        return self._rest()

    def _rest(self) -> str:
        rest = self._final[repetition(self._final, self._early) :]
        self._early = self._final = ""
        return rest


def write_text(text: str) -> None:
    """As UTF-8 whatever the locale."""
    write(text.encode("utf-8", "replace"))


def write(data: bytes) -> None:
    """To standard output, at once: a person or a program may be reading along. An error names standard output."""
    if sys.stdout is None:
        raise HostError("standard output is closed", reason="closed")
    try:
        sys.stdout.flush()
        with memoryview(data) as view:
            count = 0
            while count < len(data):
                # Not through the buffer: what it could not write it would try again at our end.
                count += os.write(sys.stdout.fileno(), view[count:])
    except BrokenPipeError:
        raise
    except OSError as error:
        raise HostError(f"standard output: {error.strerror}", reason=error.strerror) from error
