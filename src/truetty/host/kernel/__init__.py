"""What the operating system knows of a terminal: which processes hold it, which one reads it, and how."""

from __future__ import annotations

import sys

from truetty.host.kernel.blind import BlindObserver
from truetty.host.kernel.observer import Observer
from truetty.host.kernel.tty import Attributes


def observer_for(master: int, shell: int, first: Attributes | None = None) -> Observer:
    """The best observer this machine allows. `master` stays the caller's; `close()` the observer when done.

    `first`: the tty's modes from before the shell could change them.
    """
    match sys.platform:
        case "linux":
            from truetty.host.kernel.linux import LinuxObserver

            try:
                return LinuxObserver(master, shell, first)
            except OSError:
                return BlindObserver(master, shell, first)
        case platform:
            return BlindObserver(master, shell, first, tells_who_is_in_front=platform == "darwin")
