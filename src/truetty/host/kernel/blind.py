"""Watches a shell where the kernel cannot be asked: it knows nothing, and says so.

Rule 1: what it does not know is `unknown` or `None`. It never says `ready`, and never anything hard but `exited`.
Rule 2: if the terminal is a descriptor of this machine, its foreground group and its modes still speak: line mode
        without echo is a question for a secret.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

from truetty.host.kernel.observation import Modes, Observation, Process
from truetty.host.kernel.tty import Tty, is_secret, open_slave


class BlindObserver:
    """`master` may be -1, or no terminal at all."""

    def __init__(self, master: int, shell: int, given: list[Any] | None = None) -> None:
        self._shell = shell
        self._tty = Tty(master, open_slave(master) if master >= 0 else None, given)

    @property
    def sees(self) -> bool:
        return False

    def observe(self) -> Observation:
        if self._gone():
            return Observation("exited")
        if self._asks_secret():
            return Observation("waiting", hard=False, kind="secret")
        return Observation("unknown", hard=False)

    def _asks_secret(self) -> bool:
        try:
            return is_secret(self._tty.local_flags()) and not self._tty.unread()
        except OSError:
            return False

    def _gone(self) -> bool:
        with contextlib.suppress(OSError):
            # A child that ended but was not yet waited for still takes signals; ask without taking its status away.
            return os.waitid(os.P_PID, self._shell, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        try:
            os.kill(self._shell, 0)
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False

    def learn(self) -> bool:
        return False

    @property
    def knows_prompt(self) -> bool:
        return False

    def consumed(self) -> int | None:
        return None

    def shell_in_front(self) -> bool | None:
        front = self._tty.front()
        if front is None:
            return None
        try:
            return os.getpgid(self._shell) == front
        except OSError:
            return None

    def foreground(self) -> int | None:
        return self._tty.front()

    def modes(self) -> Modes:
        return self._tty.modes()

    def adopt_modes(self) -> None:
        self._tty.adopt_modes()

    def command_line(self) -> tuple[str, ...] | None:
        return None

    def unread(self) -> int | None:
        return self._tty.unread()

    def mentions(self, text: str) -> bool | None:
        return None

    def reaped(self) -> int | None:
        return None

    def image(self) -> object:
        return None

    def flow(self) -> None:
        self._tty.flow()

    def mend(self) -> None:
        self._tty.mend()

    def cwd(self) -> str | None:
        return None

    def program(self) -> str | None:
        return None

    def cpu(self) -> float | None:
        return None

    def children(self) -> list[Process] | None:
        return None

    def everyone(self) -> list[Process] | None:
        return None

    def close(self) -> None:
        self._tty.close()
