"""A socket whose reads are ended by signals, and look at a keyboard meanwhile.

Python runs a signal's handler between two instructions. A signal that comes after the last of them and before the read
has begun leaves the read blocked, and Ctrl-C is not obeyed until the server says something. So the C handler writes a
byte into a pipe, and the read waits for that too.

A keyboard that is listened to is looked at in the same wait. Its listener may ask the server itself: the reads of that
do not look at the keyboard.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from collections.abc import Callable
from typing import Any

_pipe: list[int] = []  # its two ends, once there is one
_listeners: dict[int, Callable[[], None]] = {}  # by what they read
_called: set[int] = set()  # those of them that are being called


class Wakeful(socket.socket):
    """For the main thread."""

    def recv(self, *arguments: Any) -> bytes:
        bell = _bell()
        while True:
            watched = _listeners.keys() - _called
            ready, _, _ = select.select([self.fileno(), bell, *watched], [], [], self.gettimeout())
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
            if not ready:
                raise TimeoutError("timed out")


def listen(descriptor: int, listener: Callable[[], None]) -> None:
    """Call it whenever there is something to read, until `ignore`."""
    _listeners[descriptor] = listener


def ignore(descriptor: int) -> None:
    _listeners.pop(descriptor, None)


def _bell() -> int:
    if not _pipe:
        _pipe[:] = os.pipe()
        for end in _pipe:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(_pipe[1], warn_on_full_buffer=False)
    return _pipe[0]
