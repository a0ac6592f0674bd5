"""LangChain and LangGraph: the verbs as tools, and `TruettyShellMiddleware` in place of `ShellToolMiddleware`.

Rule 1: a command that exceeds the policy's time-out is ended, and their middleware reports the time-out as ever. The
        shell stays, with its directory and variables.
Rule 2: their shell tool cannot type. A command that waits for input is ended at once, and the model reads the question.
        With `tools(service)` it can answer.
"""

from __future__ import annotations

import tempfile
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from langchain.agents.middleware import ShellToolMiddleware
from langchain.agents.middleware.shell_tool import CommandExecutionResult, _SessionResources
from langchain_core.tools import BaseTool, StructuredTool

from truetty import Outcome, sync
from truetty.adapters.places import On, Place
from truetty.functions import VERBS, Verb, call, parameters
from truetty.service import Service

_CALL_ID: Final[ContextVar[str | None]] = ContextVar("call_id", default=None)  # of the tool call under way


class TruettyShellMiddleware(ShellToolMiddleware):
    """As theirs, with `on=` for where the shell is; `shell_command` is not used."""

    def __init__(self, *arguments: Any, on: On = None, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._on = on

    def _create_resources(self) -> _SessionResources:
        kept = None if self._workspace_root is not None else tempfile.TemporaryDirectory(prefix="truetty-langchain-")
        workspace = self._workspace_root if kept is None else Path(kept.name)
        workspace.mkdir(parents=True, exist_ok=True)
        session = Session(Place(self._on), workspace, self._execution_policy, self._environment or {})
        try:
            session.start()
            self._run_startup_commands(session)
        except BaseException:
            session.stop(self._execution_policy.termination_timeout)
            if kept is not None:
                kept.cleanup()
            raise
        return _SessionResources(session=session, tempdir=kept, policy=self._execution_policy)


class Session:
    """What their middleware calls: `start`, `restart`, `stop`, `execute`."""

    def __init__(self, place: Place, workspace: Path, policy: Any, variables: dict[str, str]) -> None:
        self._place, self._workspace, self._policy, self._variables = place, workspace, policy, variables
        self._terminal: sync.Terminal | None = None

    def start(self) -> None:
        if self._terminal is None or self._terminal.closed:
            where = str(self._workspace)
            self._terminal = self._place.registry.open("bash", cwd=where, env=self._variables, rc=False, budget=None)

    def restart(self) -> None:
        self.stop(self._policy.termination_timeout)
        self.start()

    def stop(self, timeout: float) -> None:
        if self._terminal is not None:
            self._terminal.close()
        self._place.close()

    def execute(self, command: str, *, timeout: float) -> CommandExecutionResult:
        if self._terminal is None:
            raise RuntimeError("Shell session is not running.")
        if self._terminal.closed:
            raise RuntimeError(f"the shell has ended (exit code {self._terminal.exit_code}): restart it")
        started = self._terminal.start(command)
        outcome = started.wait(timeout)
        if outcome.state == "finished":
            return self._result(outcome)
        asked, outcome = outcome.waiting, started.stop()
        if asked is None:
            return self._result(outcome, timed_out=True)
        note = f"\n[The command waited for input ({asked.prompt!r}), which this tool cannot type. It was ended.]\n"
        return self._result(outcome, note)

    def _result(self, outcome: Outcome, note: str = "", *, timed_out: bool = False) -> CommandExecutionResult:
        """Cut as theirs is: the first lines and bytes, with the size of the whole."""
        lines = outcome.output.splitlines(keepends=True)
        most, limit = self._policy.max_output_lines, self._policy.max_output_bytes
        shown = "".join(lines[:most]).encode()
        size = len(outcome.output.encode())
        is_cut = limit is not None and size > limit
        return CommandExecutionResult(
            output=(shown[:limit] if is_cut else shown).decode(errors="ignore") + note,
            exit_code=None if timed_out else outcome.exit_code,
            timed_out=timed_out,
            truncated_by_lines=len(lines) > most,
            truncated_by_bytes=is_cut,
            total_lines=len(lines),
            total_bytes=size,
        )


def tools(service: Service, *, task: str = "agent") -> list[BaseTool]:
    """The eight verbs, for `create_agent(tools=…)` or a `ToolNode`."""
    return [_tool(service, verb, task) for verb in VERBS]


class _VerbTool(StructuredTool):
    """A tool whose call's id is the key of what it runs. LangChain injects the id only into pydantic schemas."""

    async def arun(self, *arguments: Any, tool_call_id: str | None = None, **more: Any) -> Any:
        token = _CALL_ID.set(tool_call_id)
        try:
            return await super().arun(*arguments, tool_call_id=tool_call_id, **more)
        finally:
            _CALL_ID.reset(token)


def _tool(service: Service, verb: Verb, task: str) -> BaseTool:
    async def run(**arguments: Any) -> str:
        id = _CALL_ID.get()
        key = None if id is None else f"{task}/{id}"
        return (await call(service, verb.name, arguments, task=task, key=key)).text

    return _VerbTool(name=verb.name, description=verb.description, args_schema=parameters(verb), coroutine=run)
