"""What a registry remembers: terminals whose shell has ended, and finished commands with unread output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal

# Terminals whose shell has ended are remembered, with up to a megabyte of output each in memory.
MOST_TERMINALS: Final = 32
# Commands with unread output. They keep their terminal's transcript alive.
MOST_UNREAD: Final = 100


class Past:
    def __init__(self) -> None:
        self._terminals: dict[str, Terminal] = {}
        self._finished: list[Command] = []
        self.forgotten = 0  # terminals that are remembered no longer

    def __iter__(self) -> Iterator[Terminal]:
        """In the order in which they ended."""
        return iter(self._terminals.values())

    @property
    def unread(self) -> tuple[Command, ...]:
        """Oldest first."""
        return tuple(command for command in self._finished if command.unread)

    def get(self, id: str) -> Terminal | None:
        return self._terminals.get(id)

    def add_terminal(self, terminal: Terminal) -> None:
        self._terminals[terminal.id] = terminal
        while len(self._terminals) > MOST_TERMINALS:
            del self._terminals[next(iter(self._terminals))]
            self.forgotten += 1

    def add_command(self, command: Command) -> None:
        self._finished = [*self.unread, command][-MOST_UNREAD:]
