"""A framework's shell as an agent's script calls it: the drop-in's, and the framework's own where it has one."""

from __future__ import annotations

import asyncio
import re
import tempfile
import threading
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

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


class Verbs(Shell):
    """The eight verbs as a framework's tools: what LangChain, OpenAI Agents, pydantic-ai and the Claude SDK get too."""

    def __init__(self, make: Callable[[Any], list[Any]]) -> None:
        from inspect_ai.tool import ToolDef

        from truetty.service import Registry, Service

        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.service = self._wait(Service(Registry(shell="bash", rc=False)).__aenter__())
        self.tools = {tool.name: tool.tool for tool in map(ToolDef, make(self.service))}
        self.id = ""

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def _call(self, verb: str, **arguments: Any) -> Reply:
        """`exit 3 [t1-1]`, `waiting [t1-2]: …`, `running [t1-3]`; the output stands behind the first empty line."""
        text = self._wait(self.tools[verb](**arguments))
        head, _, output = text.partition("\n\n")
        found = re.search(r"\[(t\d+-\d+)\]", head)
        self.id = found[1] if found else self.id
        code = re.match(r"exit (\d+)", head)
        is_open = head.startswith(("waiting", "running"))
        return Reply(output or ("" if code else text), int(code[1]) if code else None, is_open)

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        return self._call("run", command=command, wait=timeout)

    def type(self, text: str) -> Reply:
        return self._call("send", id=self.id, text=text, enter=True)

    def stop(self) -> Reply:
        return self._call("stop", id=self.id)

    def close(self) -> None:
        self._wait(self.service.__aexit__(None, None, None))


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
    }


def langchain() -> Mapping[str, Callable[[], Shell]]:
    from langchain.agents.middleware import ShellToolMiddleware

    from truetty.adapters.langchain import TruettyShellMiddleware

    return {"truetty": lambda: Chain(TruettyShellMiddleware), "its own": lambda: Chain(ShellToolMiddleware)}


def inspect_ai() -> Mapping[str, Callable[[], Shell]]:
    from inspect_ai.util._sandbox.local import LocalSandboxEnvironment

    from truetty.adapters.inspect_ai import tools

    return {"truetty": lambda: Verbs(tools), "its own": lambda: Inspect(LocalSandboxEnvironment)}


SHELLS: dict[str, Callable[[], Mapping[str, Callable[[], Shell]]]] = {
    "swerex": swerex,
    "minisweagent": minisweagent,
    "openhands": openhands,
    "langchain": langchain,
    "inspect_ai": inspect_ai,
}
PLACES = Path(__file__).resolve().parent / "environments"
