"""The terminal that a person is at: raw while they are attached, and as it was before at any end.

Rule 1: our own screen is the alternate one. So the person's screen comes back with what stood there.
Rule 2: a child waits on a pipe for our end. If we were killed, it puts the modes and the screen back. It has a session
        of its own, so that a signal for our group does not reach it.
Rule 3: the child changes the modes only while they are the ones that we have set: the shell that has started us may
        have set its own already.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import termios
from typing import Any, Final, Self

ENTER: Final = b"\x1b[?1049h\x1b[2J\x1b[H"
# Mouse, focus, paste, cursor keys and keypad as usual; the cursor visible; the person's own screen.
LEAVE: Final = (
    b"\x1b[?2026l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?2004l"
    b"\x1b[?1l\x1b>\x1b[0m\x1b[r\x1b[?25h\x1b[?1049l"
)
DONE: Final = b"d"


class Tty:
    def __init__(self) -> None:
        self.input: Final = sys.stdin.fileno()
        self.output: Final = sys.stdout.fileno()
        self._before = termios.tcgetattr(self.input)
        self._raw = _raw(self._before)
        self._is_raw = False
        self._pipe, self._child = -1, 0

    def __enter__(self) -> Self:
        """The child is made first: later there may be threads."""
        end, self._pipe = os.pipe()
        sys.stdout.flush()
        self._child = os.fork()
        if self._child == 0:
            os.close(self._pipe)
            self._wait_for_end(end)
        os.close(end)
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()
        os.write(self._pipe, DONE)
        os.close(self._pipe)
        os.waitpid(self._child, 0)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows; (80, 24) where the terminal does not say it."""
        columns, rows = os.get_terminal_size(self.output)
        return (columns, rows) if columns > 0 and rows > 0 else (80, 24)

    def enter(self) -> None:
        """Also after a stop, when the shell has set modes of its own."""
        self._is_raw = True
        termios.tcsetattr(self.input, termios.TCSADRAIN, self._raw)
        self.write(ENTER)

    def leave(self) -> None:
        if self._is_raw:
            self._is_raw = False
            with contextlib.suppress(OSError, termios.error):  # the terminal may be gone
                self.write(LEAVE)
                termios.tcsetattr(self.input, termios.TCSADRAIN, self._before)

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.output, data) :]

    def _wait_for_end(self, pipe: int) -> None:
        """In the child, which never comes back."""
        try:
            os.setsid()
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTTOU):
                signal.signal(number, signal.SIG_IGN)
            if os.read(pipe, 1) != DONE and termios.tcgetattr(self.input)[:6] == self._raw[:6]:
                termios.tcsetattr(self.input, termios.TCSANOW, self._before)
                self.write(LEAVE)
        finally:
            os._exit(0)


def _raw(modes: list[Any]) -> list[Any]:
    """As `cfmakeraw` makes it: keys come at once, as they are, and without signals."""
    iflag, oflag, cflag, lflag, ispeed, ospeed, characters = modes
    iflag &= ~(
        termios.IGNBRK | termios.BRKINT | termios.PARMRK | termios.ISTRIP | termios.INLCR | termios.IGNCR
        | termios.ICRNL | termios.IXON
    )  # fmt: skip
    cflag = (cflag & ~(termios.CSIZE | termios.PARENB)) | termios.CS8
    lflag &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
    characters = list(characters)
    characters[termios.VMIN], characters[termios.VTIME] = 1, 0
    return [iflag, oflag & ~termios.OPOST, cflag, lflag, ispeed, ospeed, characters]
