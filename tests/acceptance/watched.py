"""`truetty` while it runs: on a pty, as a person has it, or into a pipe. No wait is without end."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from typing import Self

from tests.patience import PATIENCE as PATIENCE

TRUETTY = [sys.executable, "-m", "truetty"]


class Watched:
    def __init__(self, *words: object, person: bool = True, size: tuple[int, int] | None = None) -> None:
        self.seen = b""
        self.status: int | None = None
        if person:
            self.pid, self.tty = pty.fork()
        else:
            self.tty, end = os.pipe()
            self.pid = os.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # it may be ignored where a suite runs in the background
            if not person:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(end, 1)
            os.execv(TRUETTY[0], [*TRUETTY, *map(str, words)])
        if not person:
            os.close(end)
        if size is not None:
            fcntl.ioctl(self.tty, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    def until(self, what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while re.search(what.encode(), self.seen) is None:
            assert time.monotonic() < deadline, f"{what!r} is not in {self.seen!r}"
            assert self._read(), f"ended, and {what!r} is not in {self.seen!r}"

    def type(self, text: str) -> None:
        os.write(self.tty, text.encode())

    def ends(self) -> int:
        deadline = time.monotonic() + PATIENCE
        while self._read():
            assert time.monotonic() < deadline, f"does not end: {self.seen!r}"
        if self.status is None:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status

    def _read(self) -> bool:
        """False at the end of the file."""
        if not select.select([self.tty], [], [], 0.2)[0]:
            return True
        try:
            data = os.read(self.tty, 65536)
        except OSError:
            return False
        self.seen += data
        return bool(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.tty)
