"""smolagents: `TerminalTool()`, one shell that stays between an agent's steps.

Rule 1: while a program waits for input, `command` is typed into it, and Enter pressed. The result says which it was.
Rule 2: a program that asks for a secret is not answered: the tool refuses, and says so.
Rule 3: smolagents writes a tool down as the source of its class (`save`, `to_dict`, agents whose code runs elsewhere).
        So the class names nothing of this module, and imports inside its methods.
"""

from __future__ import annotations

from typing import Final

from smolagents import Tool

from truetty import Outcome, sync
from truetty.adapters.places import On, Place

WAIT: Final = 60.0


class TerminalTool(Tool):
    name = "terminal"
    description = (
        "Runs a command in a shell that keeps its directory and variables, and says how it stands: finished with an "
        "exit code, running, or waiting for input. While it waits, `command` is the line to type into it. "
        "An empty `command` waits for one that still runs; `C-c` ends it."
    )
    inputs = {  # noqa: RUF012  # theirs
        "command": {"type": "string", "description": "what to run, or the line to type"},
        "wait": {"type": "number", "description": "seconds to wait; it goes on afterwards", "nullable": True},
    }
    output_type = "string"

    def __init__(self, on: str | list[str] | None = None, cwd: str | None = None) -> None:
        from truetty.adapters.smolagents import Line

        super().__init__()
        self.line = Line(on, cwd)

    def setup(self) -> None:
        self.line.open()
        self.is_initialized = True

    def forward(self, command: str, wait: float | None = None) -> str:
        return self.line.take(command, wait)

    def close(self) -> None:
        self.line.close()


class Line:
    """The tool's shell: opened by the first command, and anew after it has ended."""

    def __init__(self, on: On, cwd: str | None) -> None:
        self._place, self._cwd = Place(on), cwd
        self._terminal: sync.Terminal | None = None

    def open(self) -> sync.Terminal:
        self._terminal = self._place.registry.open("bash", cwd=self._cwd, rc=False)
        return self._terminal

    def take(self, command: str, wait: float | None) -> str:
        terminal = self.open() if self._terminal is None or self._terminal.closed else self._terminal
        current, patience = terminal.command, WAIT if wait is None else wait
        if current is None or not terminal.busy:
            if not command.strip() or command == "C-c":
                return "[nothing runs]"
            return _text(terminal.start(command), patience)
        if command == "C-c":
            return _report(current.stop(), current)
        if command and current.hides_typing:
            return "[refused: it asks for a secret. Nothing was typed.]"
        if command and current.waiting is None:
            return f"[refused: {current.text!r} still runs and does not wait for input. Nothing was typed.]"
        if command:
            current.send(command + "\n")
        return _text(current, patience)

    def close(self) -> None:
        if self._terminal is not None:
            self._terminal.close()
        self._place.close()


def _text(command: sync.Command, patience: float) -> str:
    return _report(command.wait(patience), command)


def _report(outcome: Outcome, command: sync.Command) -> str:
    """What was printed since the last result, and how the command stands."""
    if outcome.state == "finished":
        standing = f"finished, exit code {outcome.exit_code}"
    elif outcome.waiting is not None:
        standing = f"waiting for input: {outcome.waiting.prompt!r}"
    else:
        standing = outcome.state
    return f"{command.output.unread(30_000)}\n[{standing}]"
