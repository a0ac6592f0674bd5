"""A framework's shell as an agent's script calls it: the drop-in's, and the framework's own where it has one."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.adapters import session_shells, tool_shells
from tests.adapters.script import Script, Verbs
from tests.adapters.shell import USUAL, Reply, Shell, readable


class Rex(Shell):
    def __init__(self, runtime: Any) -> None:
        from swerex.runtime.abstract import CreateBashSessionRequest

        self.runtime = runtime
        asyncio.run(runtime.create_session(CreateBashSessionRequest(startup_timeout=20)))

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        from swerex.exceptions import CommandTimeoutError
        from swerex.runtime.abstract import BashAction

        try:
            seen = asyncio.run(
                self.runtime.run_in_session(BashAction(command=command, timeout=timeout, check="silent"))
            )
        except CommandTimeoutError:
            return Reply(self.stop().text, None)
        return Reply(readable(seen.output), seen.exit_code)

    def stop(self) -> Reply:
        from swerex.runtime.abstract import BashInterruptAction

        return Reply(asyncio.run(self.runtime.run_in_session(BashInterruptAction())).output, None)

    def close(self) -> None:
        asyncio.run(self.runtime.close())


class Mini(Shell):
    def __init__(self, environment: Any) -> None:
        self.environment = environment

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        seen = self.environment.execute({"command": command}, timeout=int(timeout))
        code = None if seen["returncode"] == -1 else seen["returncode"]
        return Reply(seen["output"] + seen["exception_info"], code)

    def close(self) -> None:
        if hasattr(self.environment, "close"):
            self.environment.close()


class Hands(Shell):
    def __init__(self, executor: Any) -> None:
        self.executor = executor

    def _act(self, command: str, **more: Any) -> Reply:
        from openhands.tools.terminal.definition import TerminalAction

        seen = self.executor(TerminalAction(command=command, **more))
        is_open = seen.exit_code == -1
        return Reply(readable(seen.text), None if is_open else seen.exit_code, is_open)

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        return self._act(command, timeout=timeout)

    def type(self, text: str) -> Reply:
        return self._act(text, is_input=True, timeout=USUAL)

    def stop(self) -> Reply:
        return self._act("C-c", is_input=True, timeout=USUAL)

    def close(self) -> None:
        self.executor.close()


class Chain(Shell):
    def __init__(self, kind: Any) -> None:
        from langchain.agents.middleware import HostExecutionPolicy

        self.middleware = kind(execution_policy=HostExecutionPolicy(command_timeout=USUAL))
        self.state = self.middleware.before_agent({"messages": []}, None) or {}
        self.resources = self.middleware._get_or_create_resources(self.state)

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        policy = self.middleware._execution_policy
        object.__setattr__(policy, "command_timeout", timeout)
        try:
            seen = self.middleware._run_shell_tool(self.resources, {"command": command}, tool_call_id="1")
        except RuntimeError:  # as its description tells the model: restart it
            self.middleware._run_shell_tool(self.resources, {"restart": True}, tool_call_id="2")
            return self.run(command, timeout)
        return Reply("" if seen.content == "<no output>" else seen.content, seen.artifact["exit_code"])

    def close(self) -> None:
        self.middleware.after_agent({"messages": [], "shell_session_resources": self.resources}, None)


class Inspect(Shell):
    """`bash -c` in the sandbox, as their `bash()` tool does."""

    def __init__(self, kind: Any) -> None:
        self.box = asyncio.run(kind.sample_init("t", None, {}))["default"]

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        try:
            seen = asyncio.run(self.box.exec(["bash", "--login", "-c", command], timeout=int(timeout)))
        except TimeoutError:
            return Reply("", None)
        return Reply(seen.stdout + seen.stderr, seen.returncode)


async def inspect_tools(script: Script) -> None:
    """The eight verbs, called as inspect_ai calls a tool."""
    from inspect_ai.tool import ToolDef

    from truetty.adapters.inspect_ai import tools
    from truetty.service import Registry, Service

    async with Service(Registry(shell="bash", rc=False)) as service:
        verbs = {tool.name: tool.tool for tool in map(ToolDef, tools(service))}
        result: Any = None
        while (call := await asyncio.to_thread(script.turn, result)) is not None:
            result = await verbs[call.name](**call.arguments)


def swerex() -> Mapping[str, Callable[[], Shell]]:
    from swerex.runtime.local import LocalRuntime

    from truetty.adapters.swerex import TruettyRuntime

    return {"truetty": lambda: Rex(TruettyRuntime(rc=False)), "its own": lambda: Rex(LocalRuntime())}


def minisweagent() -> Mapping[str, Callable[[], Shell]]:
    from minisweagent.environments.local import LocalEnvironment

    from truetty.adapters.minisweagent import TruettyEnvironment

    return {"truetty": lambda: Mini(TruettyEnvironment()), "its own": lambda: Mini(LocalEnvironment())}


def openhands() -> Mapping[str, Callable[[], Shell]]:
    from openhands.tools.terminal.impl import TerminalExecutor

    from truetty.adapters.openhands import TruettyExecutor

    folder = tempfile.mkdtemp()
    return {
        "truetty": lambda: Hands(TruettyExecutor(folder)),
        "its own": lambda: Hands(TerminalExecutor(folder, terminal_type="subprocess")),
        "its own, tmux": lambda: Hands(TerminalExecutor(folder, terminal_type="tmux")),
    }


def langchain() -> Mapping[str, Callable[[], Shell]]:
    from langchain.agents.middleware import ShellToolMiddleware

    from truetty.adapters.langchain import TruettyShellMiddleware

    return {"truetty": lambda: Chain(TruettyShellMiddleware), "its own": lambda: Chain(ShellToolMiddleware)}


def inspect_ai() -> Mapping[str, Callable[[], Shell]]:
    from inspect_ai.util._sandbox.local import LocalSandboxEnvironment

    return {"truetty": lambda: Verbs(inspect_tools), "its own": lambda: Inspect(LocalSandboxEnvironment)}


SHELLS: dict[str, Callable[[], Mapping[str, Callable[[], Shell]]]] = {
    **tool_shells.SHELLS,
    **session_shells.SHELLS,
    "swerex": swerex,
    "minisweagent": minisweagent,
    "openhands": openhands,
    "langchain": langchain,
    "inspect_ai": inspect_ai,
}
PLACES = Path(__file__).resolve().parent / "environments"
