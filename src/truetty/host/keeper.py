"""Our side of the keeper: a process of its own that ends what our terminals have left running once we are gone.

Rule 1: it is started before the first shell, and only in a process that has asked for it: a server, whose client may
        kill it.
Rule 2: every shell has our mark among its variables, and so has what is started from it, detached or not.
Rule 3: terminals do not need it. Where it cannot be started (no /proc, no pidfds), or has died, they work without it.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

from truetty.host.census import Pty
from truetty.host.environment import KEEPER_MARKS

PROGRAM: Final = os.path.join(os.path.dirname(__file__), "keeper_program.py")
# How long it may take to end what is left. It takes less, unless something hangs in the kernel.
LAST_LIMIT: Final = 10.0


class Keeper:
    def __init__(self) -> None:
        self.mark: Final = os.urandom(8).hex()
        self._socket, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            self._process = subprocess.Popen(
                [sys.executable, "-S", "-I", PROGRAM, "watch", KEEPER_MARKS, self.mark, str(its.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                pass_fds=[its.fileno()],
                start_new_session=True,
            )

    def put(self, pty: Pty) -> None:
        self._say(f"put {pty.shell} {pty.shell} {pty.born} {pty.child}")

    def drop(self, pty: Pty) -> None:
        self._say(f"drop {pty.shell}")

    def finish(self) -> None:
        """Let it end what is left, now; return when nothing is."""
        with self._socket as server, contextlib.suppress(OSError):
            server.settimeout(LAST_LIMIT)
            server.shutdown(socket.SHUT_WR)
            server.recv(1)  # the end of it is the end of the keeper
        self._process.wait()

    def _say(self, message: str) -> None:
        self._process.poll()  # it has left its first process behind
        with contextlib.suppress(OSError):  # it is gone, or does not read: then it finds the shell by the mark
            self._socket.send(message.encode(), socket.MSG_DONTWAIT)


class Kept:
    """Whether this process has one."""

    def __init__(self) -> None:
        self._wanted = False
        self._keeper: Keeper | None = None

    def begin(self) -> None:
        """From now on this process's terminals are kept."""
        self._wanted = hasattr(os, "pidfd_open") and os.path.exists("/proc/self/environ")

    def finish(self) -> None:
        """Nothing of this process's terminals is left running."""
        self._wanted = False
        if self._keeper is not None:
            self._keeper.finish()
            self._keeper = None

    def variables(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """For the next shell, beside those that it inherits."""
        if self._wanted and self._keeper is None:
            with contextlib.suppress(OSError):
                self._keeper = Keeper()
        if self._keeper is None:
            return {}
        marks = inherited.get(KEEPER_MARKS)
        return {KEEPER_MARKS: f"{marks}:{self._keeper.mark}" if marks else self._keeper.mark}

    def put(self, pty: Pty | None) -> None:
        if self._keeper is not None and pty is not None:
            self._keeper.put(pty)

    def drop(self, pty: Pty | None) -> None:
        if self._keeper is not None and pty is not None:
            self._keeper.drop(pty)


kept: Final = Kept()
