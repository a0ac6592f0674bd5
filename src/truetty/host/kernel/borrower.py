"""The process that reads our tty for the program in front and is not its relative: a server that has borrowed the tty.

    tmux, screen      the client has handed the tty to its server
    gpg, ssh-add      gpg-agent starts pinentry, and names the tty to it

Rule 1: a borrower has no terminal of its own, and has ours open.
Rule 2: reading the descriptors of a process is slow. Each process is read once for each group in front, and again while
        it is young: pinentry opens the tty between its start and its first question.
Rule 3: once a borrower was found, no process is asked until it is gone.
"""

from __future__ import annotations

import os
import time

from truetty.host.kernel import proc
from truetty.host.kernel.calls import Device, holds_tty

# A program opens its terminal within a second of its start, on a busy machine within some.
_YOUNG = 10 * proc.TICKS


class Borrowers:
    def __init__(self, device: Device) -> None:
        self._device = device
        self._group = 0  # the group in front that the rest is about
        self._asked: set[int] = set()  # processes that have not borrowed it
        self._found = 0  # the process that has

    def find(self, group: int) -> proc.Stat | None:
        """The process that has borrowed the tty from this group."""
        if group != self._group:
            self._group, self._asked, self._found = group, {os.getpid()}, 0
        if self._found and (found := proc.stat(self._found)) is not None and found.state not in proc.DEAD:
            return found
        self._found = 0
        everyone = {int(name) for name in os.listdir("/proc") if name.isdigit()}
        self._asked &= everyone
        young = time.clock_gettime(time.CLOCK_BOOTTIME) * proc.TICKS - _YOUNG
        for pid in everyone - self._asked:
            one = proc.stat(pid)
            if one is None:
                continue
            if one.tty == 0 and holds_tty(one, self._device):
                self._found = pid
                return one
            if one.born < young:
                self._asked.add(pid)
        return None
