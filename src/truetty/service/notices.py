"""What happened to commands nobody was waiting for: told once, with the next answer, and at once to whoever listens.

Rule 1: an end or a waiting that was in somebody's report is no news.
Rule 2: listening costs nothing while nothing happens: one task for each command that runs unwatched.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Final, Literal

from truetty.terminal.command import Command

# Of so many commands it is remembered what was told.
MOST: Final = 1000


@dataclass(frozen=True, slots=True)
class Notice:
    """A command that was left to itself has finished, or waits for input."""

    command_id: str
    terminal_id: str
    what: Literal["finished", "waiting", "lost"]
    exit_code: int | None
    prompt: str | None


Listener = Callable[[Notice], Coroutine[object, object, None]]


class Notices:
    def __init__(self) -> None:
        self._told: dict[str, tuple[Command, bool, int]] = {}  # whether its end was told, and which waiting
        self._listeners: list[Listener] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell this one at once; returns how to stop it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def told(self, command: Command) -> None:
        """Somebody was given a report of it as it stands now."""
        self._told.pop(command.id, None)
        self._told[command.id] = (command, command.finished, command.open_waiting or 0)
        if len(self._told) > MOST:
            del self._told[next(iter(self._told))]

    def left(self, command: Command) -> None:
        """It goes on by itself: follow it for those who listen."""
        self._told.setdefault(command.id, (command, False, 0))
        if not command.finished and command.id not in self._tasks:
            task = asyncio.ensure_future(self._follow(command))
            self._tasks[command.id] = task
            task.add_done_callback(lambda _: self._tasks.pop(command.id, None))

    def news(self) -> tuple[Notice, ...]:
        """What was not told yet; now it is."""
        found = []
        for command, *_ in list(self._told.values()):
            if (notice := self._notice(command)) is not None:
                found.append(notice)
                self.told(command)
        return tuple(found)

    async def close(self) -> None:
        for task in list(self._tasks.values()):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _notice(self, command: Command) -> Notice | None:
        _, end_told, told = self._told.get(command.id, (command, False, 0))
        if command.finished:
            if end_told:
                return None
            what: Literal["finished", "lost"] = "lost" if command.state == "lost" else "finished"
            return Notice(command.id, command.terminal_id, what, command.exit_code, None)
        if (command.open_waiting or 0) > told:
            waiting = command.waiting
            return Notice(command.id, command.terminal_id, "waiting", None, waiting.prompt if waiting else "")
        return None

    async def _follow(self, command: Command) -> None:
        last = command.open_waiting or 0
        while not command.finished:
            await command.changes.until(lambda: command.finished or (command.open_waiting or 0) > last, None)  # noqa: B023
            last = command.open_waiting or last
            if (notice := self._notice(command)) is not None:
                for listener in list(self._listeners):
                    with contextlib.suppress(Exception):  # who listens badly must not keep the others from hearing
                        await listener(notice)
