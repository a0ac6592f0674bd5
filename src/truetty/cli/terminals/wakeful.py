"""A socket whose reads are ended by signals, and look at a keyboard meanwhile.

Python runs a signal's handler between two instructions. A signal that comes after the last of them and before the read
has begun leaves the read blocked, and Ctrl-C is not obeyed until the server says something. So the C handler writes a
byte into a pipe, and the read waits for that too.

A keyboard that is listened to is looked at in the same wait. Its listener may ask the server itself: the reads of that
do not look at the keyboard. What is to be done when an answer takes long (`late`) may ask the server too.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from truetty.cli.commands import NO_READER

_pipe: list[int] = []  # its two ends, once there is one
_listeners: dict[int, Callable[[], None]] = {}  # by what they read
_called: set[int] = set()  # those of them that are being called
_late: list[tuple[float, Callable[[int], None]]] = []  # when it is called, and what


class Wakeful(socket.socket):
    """For the main thread."""

    def recv(self, *arguments: Any) -> bytes:
        bell = _bell()
        while True:
            watched, patience = _listeners.keys() - _called, self.gettimeout()
            late = max(_late[-1][0] - time.monotonic(), 0) if _late else None
            bounds = [bound for bound in (patience, late) if bound is not None]
            ready, _, _ = select.select([self.fileno(), bell, *watched], [], [], min(bounds, default=None))
            if bell in ready:
                os.read(bell, 512)  # the handlers have run when this comes back
            for descriptor in _listeners.keys() & watched & set(ready):
                _called.add(descriptor)
                try:
                    _listeners[descriptor]()
                finally:
                    _called.discard(descriptor)
            if self.fileno() in ready:
                return super().recv(*arguments)
            if not ready and late is not None and (patience is None or late <= patience):
                _late.pop()[1](self.fileno())
            elif not ready:
                raise TimeoutError("timed out")


def listen(descriptor: int, listener: Callable[[], None]) -> None:
    """Call it whenever there is something to read, until `ignore`."""
    _listeners[descriptor] = listener


def ignore(descriptor: int) -> None:
    _listeners.pop(descriptor, None)


def end_with_reader() -> None:
    """From now on a read ends us when the reader of our output has gone: `head`, which has seen enough. Without it we
    would live until the next line is printed. `select` calls the end of such a pipe readable."""
    if sys.stdout is None or not stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode):
        return

    def end() -> None:
        raise SystemExit(NO_READER)

    listen(sys.stdout.fileno(), end)


@contextmanager
def late(seconds: float, call: Callable[[int], None]) -> Iterator[None]:
    """Call it once if a read within takes so long, with what is read."""
    entry = (time.monotonic() + seconds, call)
    _late.append(entry)
    try:
        yield
    finally:
        if entry in _late:
            _late.remove(entry)


def _bell() -> int:
    if not _pipe:
        _pipe[:] = os.pipe()
        for end in _pipe:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(_pipe[1], warn_on_full_buffer=False)
    return _pipe[0]
