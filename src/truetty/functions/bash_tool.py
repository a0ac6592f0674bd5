"""Anthropic's `bash` tool, answered by a terminal: `command` runs in one bash that stays, `restart` gives a new one.

Rule 1: one bash. Calls that come at once are done one after another; a command is never typed into a running one.
Rule 2: a bash that has ended is not replaced by itself, because its variables are gone: the model must say `restart`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
from collections.abc import Mapping
from typing import Final

from truetty.core import checks
from truetty.core.errors import Misuse, TruettyError, UnknownTerminal
from truetty.core.outcome import State
from truetty.functions import words
from truetty.functions.arguments import read_arguments
from truetty.functions.result import Report, Result
from truetty.functions.table import BASH
from truetty.functions.verbs import REFUSALS, as_result, model_budget, new_output
from truetty.service.service import Service

# Models take this tool for one that answers when the command is done.
BASH_WAIT: Final = 120.0
# What can be done with this tool alone, by how the command stands.
ADVICE: Final[Mapping[State, str]] = {
    "running": "call bash with an empty command to wait for it, or with restart to end it",
    "waiting": "nothing else can run here until it is answered; call bash with restart to end it",
}
AFTER_ERROR: Final[Mapping[str, str]] = {"busy": ADVICE["running"], "closed": "call bash with restart for a new one"}
_numbers = itertools.count(1)


class Bash:
    """`result = await bash.call({"command": "make"})`; `result.text` is the content of the tool's result."""

    def __init__(
        self,
        service: Service,
        *,
        cwd: str | os.PathLike[str] | None = None,
        wait: float | None = BASH_WAIT,
        timeout: float | None = None,
    ) -> None:
        """`wait` bounds how long a call takes; only `timeout` ends a command."""
        self._task = f"bash tool {next(_numbers)}"
        self._service = service.for_agent(self._task)
        self._cwd = cwd
        self._wait = wait
        self._timeout = timeout
        self._terminal: str | None = None
        self._turn = asyncio.Lock()

    async def call(self, call: object) -> Result:
        """What the model sent: `command`, `restart`, or both."""
        async with self._turn:
            return await as_result(self._call(call), self._refuse)

    async def close(self) -> None:
        """End this bash and all that runs in it."""
        async with self._turn:
            await self._end()

    async def _call(self, call: object) -> Report:
        arguments = read_arguments(BASH, call)
        command, restart = arguments.text("command"), arguments.flag("restart")
        if command is None and not restart:
            raise Misuse("bash needs command, or restart: true", known=["command", "restart"])
        if restart:
            if command is not None:
                checks.check_text(command)
            await self._end()
        if command is None:
            return Report(headline="restarted: the next command runs in a new bash", notes=arguments.notes)
        started = self._service.command(await self._start(command))
        answer = await self._service.wait(started.id, timeout=self._wait)
        answer = await new_output(started, answer, model_budget())
        place, advice = self._service.place(answer), ADVICE.get(answer.outcome.state)
        return Report(answer, notes=arguments.notes, place=place, next=advice)

    def _refuse(self, error: TruettyError) -> Report:
        undone = words.UNDONE["bash"] if isinstance(error, REFUSALS) else None
        return Report(error=error, undone=undone, next=AFTER_ERROR.get(error.code), notices=self._service.news())

    async def _start(self, command: str) -> str:
        """The id of what is to be waited for."""
        if self._terminal is None:
            started = await self._service.start(
                command, cwd=self._cwd, task=self._task, shell="bash", timeout=self._timeout
            )
            self._terminal = started.terminal_id
        elif not command.strip() and self._service.registry.get(self._terminal).busy:
            return self._terminal
        else:
            started = await self._service.start(command, terminal=self._terminal, timeout=self._timeout)
        return started.id

    async def _end(self) -> None:
        terminal, self._terminal = self._terminal, None
        if terminal is not None:
            with contextlib.suppress(UnknownTerminal):  # it has ended so long ago that the registry has forgotten it
                await self._service.stop(terminal, close=True)
