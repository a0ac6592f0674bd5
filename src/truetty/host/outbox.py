"""Bytes for a pty that its tty has not taken yet.

Rule: a write never waits. What the tty does not take is kept here and goes when the tty has room for it.
"""

from __future__ import annotations

import asyncio
import errno
import os
from typing import Final

MOST_AT_ONCE: Final = 64 * 1024


class Outbox:
    """Belongs to the pty whose master side this descriptor is."""

    def __init__(self, master: int) -> None:
        self._master = master
        self._unsent = bytearray()
        self._empty: asyncio.Future[None] | None = None  # what `drained` waits for

    def write(self, data: bytes) -> None:
        if not self._unsent:
            data = data[self._write(data) :]
        if data:
            if not self._unsent:
                asyncio.get_running_loop().add_writer(self._master, self._on_writable)
            self._unsent += data

    def drop(self) -> None:
        """No program will ever read it."""
        self._unsent.clear()
        self._on_empty()

    async def drained(self) -> None:
        """Return when all of it was taken or dropped."""
        if self._unsent:
            if self._empty is None:
                self._empty = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._empty)

    def _on_writable(self) -> None:
        del self._unsent[: self._write(bytes(self._unsent[:MOST_AT_ONCE]))]
        if not self._unsent:
            self._on_empty()

    def _on_empty(self) -> None:
        asyncio.get_running_loop().remove_writer(self._master)
        if self._empty is not None and not self._empty.done():
            self._empty.set_result(None)
        self._empty = None

    def _write(self, data: bytes) -> int:
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return len(data)  # no program will ever read it
