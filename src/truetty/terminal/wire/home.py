"""The process and the event loop in which a terminal was opened: it works there and nowhere else.

A forked child has a copy of the terminal's descriptor: what it typed would go to the parent's shell. On another event
loop no byte of the terminal is ever read: a wait would not end.
"""

from __future__ import annotations

import asyncio
import os

from truetty.core.errors import Misuse


class Home:
    def __init__(self, terminal_id: str) -> None:
        self._terminal_id = terminal_id
        self._process = os.getpid()
        self.loop = asyncio.get_running_loop()

    @property
    def is_this_process(self) -> bool:
        return os.getpid() == self._process

    def require(self) -> None:
        """Raises `Misuse` in any other process, and on any other event loop."""
        if not self.is_this_process:
            where = f"in process {self._process}, and this is process {os.getpid()}, a fork of it"
            raise self._misuse(f"was opened {where}. Open a new terminal here")
        if self.loop.is_closed():
            raise self._misuse("belongs to an event loop that is closed. Open it in the loop that uses it")
        if asyncio.get_running_loop() is not self.loop:
            raise self._misuse("belongs to another event loop. Use it in the loop that has opened it")

    def _misuse(self, what: str) -> Misuse:
        hint = "truetty.sync works from every thread"
        return Misuse(f"terminal {self._terminal_id} {what}; {hint}. Nothing was done.", terminal_id=self._terminal_id)
