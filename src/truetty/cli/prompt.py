"""A line that a person types.

Rule: Ctrl-C ends the wait at any moment. A signal that comes between Python's last look for one and the sleep of a
      read is seen when the read returns: with the next Enter. So the wait is for a pipe too, into which every signal
      writes, and the read begins when there is a line.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
from collections.abc import Iterator

from truetty.core.errors import Misuse


def read_line(prompt: str) -> str:
    """With its end; "" at Ctrl-D. The prompt is on standard error. For the main thread, and a terminal as input."""
    with _signals() as come:
        print(prompt, end="", file=sys.stderr, flush=True)
        while sys.stdin not in select.select([sys.stdin, come], [], [])[0]:
            os.read(come, 64)  # a signal whose handler has raised nothing
        return sys.stdin.readline()


def read_secret(prompt: str) -> str:
    """The same, and the terminal does not show what is typed."""
    before = termios.tcgetattr(sys.stdin)
    hides = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    # Like `getpass`: what was typed before the question is thrown away, for it was shown.
    termios.tcsetattr(sys.stdin, termios.TCSAFLUSH, hides)
    try:
        return read_line(prompt)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSAFLUSH, before)
        print(file=sys.stderr)


def read_answer(prompt: str, *, is_secret: bool) -> str:
    """The same for an answer, which need not be typed: where standard input is no terminal, it is read from there."""
    if sys.stdin is None:
        raise Misuse("there is no standard input to read the answer from. Nothing was typed.")
    if not sys.stdin.isatty():
        return sys.stdin.readline()
    return read_secret(prompt) if is_secret else read_line(prompt)


@contextlib.contextmanager
def _signals() -> Iterator[int]:
    """A descriptor that can be read when a signal has come."""
    come, into = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        before = signal.set_wakeup_fd(into, warn_on_full_buffer=False)
        try:
            yield come
        finally:
            signal.set_wakeup_fd(before)
    finally:
        os.close(come)
        os.close(into)
