"""Watches a shell where the kernel cannot be asked: it knows nothing, and says so.

Rule 1: what it does not know is `unknown` or `None`. It never says `ready`, and never anything conclusive but `exited`.
Rule 2: if the terminal is a descriptor of this machine, its foreground group and its modes are still known: line mode
        without echo is a question for a secret.
Rule 3: macOS does not say what a process is blocked on without special rights, so it has this observer too, with one
        fact more: another group in front and no question for a secret is `running`, suggestive: it may wait.
        **Untested**: written from the manuals, never run on a Mac.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace

from truetty.core.observation import Observation
from truetty.host.base import Family, ShellProcess
from truetty.host.kernel import ports
from truetty.host.kernel.tty import Attributes, LocalTty, seen_by_modes


class BlindObserver:
    """`master` may be -1, or no terminal at all."""

    def __init__(
        self, master: int, shell: int, first: Attributes | None = None, *, tells_who_is_in_front: bool = False
    ) -> None:
        self.tty = LocalTty(master, first, shell)
        self.look = BlindLook(self.tty, shell, tells_who_is_in_front)
        self.process = ShellProcess()
        self.family = BlindFamily()

    def forget(self) -> None:
        pass

    def close(self) -> None:
        self.tty.close()


class BlindFamily(Family):
    def port_is_open(self, number: int) -> bool | None:
        return ports.is_open(number)


class BlindLook:
    sees = False
    knows_prompt = False

    def __init__(self, tty: LocalTty, shell: int, tells_who_is_in_front: bool) -> None:
        self._tty = tty
        self._shell = shell
        self._tells = tells_who_is_in_front

    def observe(self) -> Observation:
        if self._gone():
            return Observation("exited")
        seen, in_front = seen_by_modes(self._tty), self._tty.shell_in_front()
        if seen.seen == "unknown" and self._tells and in_front is False:
            return Observation("running", conclusive=False)
        return replace(seen, in_front=in_front)

    def learn(self) -> bool:
        return False

    def learn_hook(self, place: object) -> None:
        return

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
