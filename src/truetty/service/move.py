"""That a task's command runs in another terminal than the task's last one, and why: its variables are not there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from truetty.terminal.terminal import Terminal

# What is true of the terminal before: closed, busy; of the new one: outside of the sandbox or back inside of it, with
# another shell; or both are free, and the registry chose this one.
Why = Literal["closed", "busy", "sandbox", "shell", "free"]


@dataclass(frozen=True, slots=True)
class Move:
    before: str  # ids of terminals
    terminal_id: str
    is_new: bool  # no command of any caller has run there
    cwd: str | None
    why: Why
    busy_with: str | None = None  # the id of the command that runs in the one before


def move(before: Terminal, now: Terminal, *, is_new: bool) -> Move | None:
    if before is now:
        return None
    command = before.command
    busy_with = command.id if command is not None and before.busy and not before.closed else None
    return Move(before.id, now.id, is_new, now.cwd, _why(before, now), busy_with)


def _why(before: Terminal, now: Terminal) -> Why:
    if before.closed:
        return "closed"
    if before.options.sandbox != now.options.sandbox:
        return "sandbox"
    if before.busy:
        return "busy"
    return "shell" if before.shell != now.shell else "free"
