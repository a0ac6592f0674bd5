"""The whole clean text of an output as a file, for clients that read files.

Rule 1: the folder is the service's alone, 0700, and its files are 0600; both are gone when the service closes. Those
        of a service that was killed are swept by the next one (`host.folder`).
Rule 2: a file is made where an answer leaves something out, once the command has ended: it does not change any more.
Rule 3: what cannot be written, or is too large, has no file; nothing fails for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from typing import Final

from truetty.host.folder import Folder
from truetty.terminal.command import Command

LARGEST: Final = 20 << 20  # bytes of an output
MOST_FILES: Final = 200  # the oldest goes first


class TextFiles:
    def __init__(self) -> None:
        self._folder: Folder | None = None
        self._files: dict[str, str] = {}  # by command, oldest first

    async def save(self, command: Command) -> str | None:
        """The path of the file; None: there is none."""
        if command.id in self._files:
            return self._files[command.id]
        if not command.finished or command.output.bytes > LARGEST:
            return None
        text = await command.output.slices.text()
        try:
            path = await asyncio.to_thread(self._write, command.id, text)
        except OSError:
            return None
        self._files[command.id] = path
        while len(self._files) > MOST_FILES:
            with contextlib.suppress(OSError):
                os.unlink(self._files.pop(next(iter(self._files))))
        return path

    def _write(self, command_id: str, text: str) -> str:
        if self._folder is None:
            self._folder = Folder([tempfile.gettempdir()])  # on a disk: texts are large, and stay
        name = f"{command_id}.txt"
        self._folder.write({name: text.encode("utf-8", "surrogateescape")})
        return f"{self._folder.path}/{name}"

    def close(self) -> None:
        folder, self._folder = self._folder, None
        self._files.clear()
        if folder is not None:
            folder.remove()
