"""Standard output, for bytes that a terminal of the server has printed.

Rule 1: into a pipe and into a file they go as they are.
Rule 2: a tty puts a CR before each LF, and that of the server's terminal has done so already. Ours gets LF for CR LF,
        so that one CR stands there. A CR at the end waits for what follows it.
Rule 3: a tty that echoes shows ^C when it is pressed, and so does that of the server's terminal. The second one is left
        out.
"""

from __future__ import annotations

import sys
import termios
from typing import Final

INTERRUPT: Final = b"^C"


class Screen:
    def __init__(self) -> None:
        self._cooked = bool(_modes()[1] & termios.OPOST and _modes()[1] & termios.ONLCR)
        self._rest = b""  # a CR that may be followed by LF, or the beginning of a ^C
        self._echoed = 0  # times that our tty has shown ^C, and that of the terminal has not yet

    def on_interrupt(self) -> None:
        """Ctrl-C was pressed, and goes to the terminal."""
        self._echoed += bool(_modes()[3] & termios.ECHO and _modes()[3] & termios.ECHOCTL)

    def write(self, data: bytes) -> None:
        if self._cooked:
            data = (self._rest + data).replace(b"\r\n", b"\n")
            while self._echoed and INTERRUPT in data:
                data, self._echoed = data.replace(INTERRUPT, b"", 1), self._echoed - 1
            kept = data.endswith(b"\r") or (self._echoed and data.endswith(INTERRUPT[:1]))
            data, self._rest = (data[:-1], data[-1:]) if kept else (data, b"")
        self._print(data)

    def end(self) -> None:
        """What still waits is printed."""
        self._print(self._rest)
        self._rest = b""

    def _print(self, data: bytes) -> None:
        if data:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


def _modes() -> list[int]:
    """Input, output, control and local modes of standard output; all off where it is no tty."""
    try:
        return [mode for mode in termios.tcgetattr(sys.stdout.fileno())[:4] if isinstance(mode, int)]
    except (termios.error, OSError):
        return [0, 0, 0, 0]
