"""What the operating system knows of a terminal: who holds it, who reads it, how."""

from __future__ import annotations

import sys
from typing import Any

from truetty.host.kernel.blind import BlindObserver
from truetty.host.kernel.observation import Observer


def observer_for(master: int, shell: int, given: list[Any] | None = None) -> Observer:
    """The best observer this machine allows. `master` stays the caller's; `close()` the observer when done.

    `given`: the tty's modes from before the shell could change them, as termios.tcgetattr has them.
    """
    match sys.platform:
        case "linux":
            from truetty.host.kernel.linux import LinuxObserver

            try:
                return LinuxObserver(master, shell, given)
            except OSError:
                return BlindObserver(master, shell, given)
        case "darwin":
            from truetty.host.kernel.darwin import DarwinObserver

            return DarwinObserver(master, shell, given)
        case _:
            return BlindObserver(master, shell, given)
