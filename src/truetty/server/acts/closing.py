"""Terminals that are there for one command: each is closed when its first command has ended.

Rule: the command's report is made before its terminal is closed. It names what is left in the background, which ends
      with the terminal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from truetty.terminal.changes import Rank
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal


class Closing:
    def __init__(self) -> None:
        self._marked: dict[str, Callable[[], None]] = {}  # by terminal, until it is closed: what ends the look-out
        self._tasks: set[asyncio.Task[None]] = set()

    def mark(self, terminal: Terminal) -> None:
        self._marked[terminal.id] = terminal.changes.subscribe(partial(self._on_change, terminal), Rank.OWNERS)
        self._on_change(terminal)

    def is_marked(self, terminal: Terminal) -> bool:
        return terminal.id in self._marked

    async def close(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _on_change(self, terminal: Terminal) -> None:
        command = terminal.command
        if not terminal.closed and (command is None or not command.finished):
            return
        self._marked[terminal.id]()
        if terminal.closed or command is None:
            del self._marked[terminal.id]
            return
        task = asyncio.ensure_future(self._end(terminal, command))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end(self, terminal: Terminal, command: Command) -> None:
        await command.report()
        await terminal.close()
        del self._marked[terminal.id]
