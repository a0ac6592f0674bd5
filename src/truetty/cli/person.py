"""The person at the terminal that a command was started from: whether there is one, and how we stop with their job."""

from __future__ import annotations

import os
import signal
import sys


def has_person() -> bool:
    """Whether a person sees what we print, and types what we read."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def stop_ourselves() -> None:
    """With all of our job, as the terminal does it. Comes back when it is continued; at once where no shell could."""
    handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.kill(0, signal.SIGTSTP)
    signal.signal(signal.SIGTSTP, handler)
