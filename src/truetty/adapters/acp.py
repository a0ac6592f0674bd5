"""Agent Client Protocol: the client's five `terminal/*` methods, for editors. Mix `Terminals` into your `acp.Client`.

Rule 1: a terminal there is one command. It ends with its command, and its output stays until `release_terminal`.
Rule 2: what exceeds `output_byte_limit` is cut from the beginning, at a whole character.
Rule 3: announce it: `ClientCapabilities(terminal=True)`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from acp import RequestError
from acp.schema import (
    CreateTerminalResponse,
    EnvVariable,
    KillTerminalResponse,
    ReleaseTerminalResponse,
    TerminalExitStatus,
    TerminalOutputResponse,
    WaitForTerminalExitResponse,
)

from truetty import Command, Registry, Terminal


@dataclass(frozen=True, slots=True)
class _Shown:
    terminal: Terminal
    command: Command
    limit: int | None  # bytes of output


class Terminals:
    def __init__(self, registry: Registry | None = None) -> None:
        self._registry = registry or Registry()
        self._shown: dict[str, _Shown] = {}

    async def create_terminal(
        self,
        session_id: str,
        command: str,
        args: list[str] | None = None,
        env: list[EnvVariable] | None = None,
        cwd: str | None = None,
        output_byte_limit: int | None = None,
        **_: Any,
    ) -> CreateTerminalResponse:
        variables = {one.name: one.value for one in env or ()}
        terminal = await self._registry.open("bash", cwd=cwd, env=variables, rc=False, task=session_id)
        # With `args` it is a program and its arguments. Without, agents send a whole command line.
        started = await terminal.start(shlex.join([command, *args]) if args else command)
        self._shown[terminal.id] = _Shown(terminal, started, output_byte_limit)
        return CreateTerminalResponse(terminal_id=terminal.id)

    async def terminal_output(self, session_id: str, terminal_id: str, **_: Any) -> TerminalOutputResponse:
        shown = self._find(terminal_id)
        whole = shown.command.output.text().encode()
        kept = whole if shown.limit is None else whole[max(0, len(whole) - shown.limit) :]
        outcome = shown.command.outcome
        status = None if outcome is None else TerminalExitStatus(exit_code=outcome.exit_code, signal=outcome.signal)
        return TerminalOutputResponse(
            output=kept.decode(errors="ignore"), truncated=len(kept) < len(whole), exit_status=status
        )

    async def wait_for_terminal_exit(self, session_id: str, terminal_id: str, **_: Any) -> WaitForTerminalExitResponse:
        outcome = await self._find(terminal_id).command.wait(until="finished")
        return WaitForTerminalExitResponse(exit_code=outcome.exit_code, signal=outcome.signal)

    async def kill_terminal(self, session_id: str, terminal_id: str, **_: Any) -> KillTerminalResponse:
        await self._find(terminal_id).command.stop()
        return KillTerminalResponse()

    async def release_terminal(self, session_id: str, terminal_id: str, **_: Any) -> ReleaseTerminalResponse:
        shown = self._find(terminal_id)
        del self._shown[terminal_id]
        await shown.terminal.close()
        return ReleaseTerminalResponse()

    async def close_terminals(self) -> None:
        """At the client's end: all that were not released."""
        self._shown.clear()
        await self._registry.close()

    def _find(self, terminal_id: str) -> _Shown:
        if terminal_id not in self._shown:
            raise RequestError.resource_not_found(terminal_id)
        return self._shown[terminal_id]
