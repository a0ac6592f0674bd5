"""A move: a task's command runs in another terminal than the task's last one, where its variables are not set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from truetty.terminal.terminal import Terminal
from truetty.text.quoting import excerpt

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
    busy_with: str | None = None  # the id of the command that runs in the one before,
    busy_text: str = ""  # and its text: a client may have cut off its call, and does not know the id


def move(before: Terminal, now: Terminal, *, is_new: bool) -> Move | None:
    if before is now:
        return None
    found = Move(before.id, now.id, is_new, now.cwd, _why(before, now))
    command = before.command
    if found.why != "busy" or command is None:
        return found
    return replace(found, busy_with=command.id, busy_text=excerpt(command.text))


def _why(before: Terminal, now: Terminal) -> Why:
    if before.closed:
        return "closed"
    if before.options.sandbox != now.options.sandbox:
        return "sandbox"
    if before.busy:
        return "busy"
    return "shell" if before.shell != now.shell else "free"
