"""A socket whose reads are ended by signals.

Python runs a signal's handler between two instructions. A signal that comes after the last of them and before the read
has begun leaves the read blocked, and Ctrl-C is not obeyed until the server says something. So the C handler writes a
byte into a pipe, and the read waits for that too.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from typing import Any

_pipe: list[int] = []  # its two ends, once there is one


class Wakeful(socket.socket):
    """For the main thread."""

    def recv(self, *arguments: Any) -> bytes:
        bell = _bell()
        while True:
            ready, _, _ = select.select([self.fileno(), bell], [], [], self.gettimeout())
            if bell in ready:
                os.read(bell, 512)  # the handlers have run when this comes back
            if self.fileno() in ready:
                return super().recv(*arguments)
            if not ready:
                raise TimeoutError("timed out")


def _bell() -> int:
    if not _pipe:
        _pipe[:] = os.pipe()
        for end in _pipe:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(_pipe[1], warn_on_full_buffer=False)
    return _pipe[0]
