"""Frameworks whose agents call tools: OpenAI Agents SDK, pydantic-ai, Claude Agent SDK. Each runs its agent loop."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from tests.adapters.messages_api import MessagesApi
from tests.adapters.script import Script, Scripted, Verbs
from tests.adapters.shell import USUAL, Reply, Shell, readable


async def _service(stack: AsyncExitStack) -> Any:
    from truetty.service import Registry, Service

    return await stack.enter_async_context(Service(Registry(shell="bash", rc=False)))


# OpenAI Agents SDK


async def _openai_run(script: Script, tools: list[Any]) -> None:
    from agents import Agent, ModelResponse, RunConfig, Runner, Usage
    from agents.models.interface import Model
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    class Scripting(Model):
        async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
            last = None if isinstance(input, str) else input[-1]
            result = last["output"] if last and last.get("type") == "function_call_output" else None
            call = await asyncio.to_thread(script.turn, result)
            item: Any = ResponseOutputMessage(
                id="m",
                content=[ResponseOutputText(text="done", type="output_text", annotations=[])],
                role="assistant",
                status="completed",
                type="message",
            )
            if call is not None:
                text = json.dumps(call.arguments)
                item = ResponseFunctionToolCall(call_id=call.id, name=call.name, arguments=text, type="function_call")
            return ModelResponse(output=[item], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    agent = Agent(name="agent", model=Scripting(), tools=tools)
    await Runner.run(agent, "go", max_turns=50, run_config=RunConfig(tracing_disabled=True))


async def _openai_verbs(script: Script) -> None:
    from truetty.adapters.openai_agents import function_tools

    async with AsyncExitStack() as stack:
        await _openai_run(script, list(function_tools(await _service(stack))))


async def _openai_sandbox(script: Script) -> None:
    from agents.sandbox.capabilities.shell import Shell as ShellCapability
    from agents.sandbox.sandboxes.unix_local import UnixLocalSandboxClient

    client = UnixLocalSandboxClient()
    session = await client.create()
    await session.start()
    capability = ShellCapability()
    capability.bind(session)
    try:
        await _openai_run(script, capability.tools())
    finally:
        await session.stop()
        await session.shutdown()
        await client.delete(session)


class OpenAiSandbox(Scripted):
    """`exec_command` with a terminal, so that the model can type and interrupt, and with bash."""

    session_id = 0

    def _reply(self, text: str) -> Reply:
        head, _, output = text.partition("\nOutput:\n")
        code = re.search(r"Process exited with code (-?\d+)", head)
        open_session = re.search(r"Process running with session ID (\d+)", head)
        self.session_id = int(open_session[1]) if open_session else 0
        return Reply(readable(output), int(code[1]) if code else None, bool(open_session))

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        wait = int(timeout * 1000)
        return self._reply(
            self.script.call("exec_command", cmd=command, shell="bash", login=False, tty=True, yield_time_ms=wait)
        )

    def type(self, text: str) -> Reply:
        keys = {"session_id": self.session_id, "chars": f"{text}\n", "yield_time_ms": 5000}
        return self._reply(self.script.call("write_stdin", **keys))

    def stop(self) -> Reply:
        if not self.session_id:
            return Reply("", None)
        keys = {"session_id": self.session_id, "chars": "\x03", "yield_time_ms": 5000}
        return self._reply(self.script.call("write_stdin", **keys))


class ShellToolExecutor(Shell):
    """`ShellTool(executor=Shell(service))`: it can neither type nor stop."""

    def __init__(self) -> None:
        self.script = Script()
        self.script.start(self._serve)

    @staticmethod
    async def _serve(script: Script) -> None:
        from agents import ShellActionRequest, ShellCallData, ShellCommandRequest, ShellTool

        from truetty.adapters.openai_agents import Shell as Executor

        async with AsyncExitStack() as stack:
            tool = ShellTool(executor=Executor(await _service(stack)))
            result: str | None = None
            while (call := await asyncio.to_thread(script.turn, result)) is not None:
                action = ShellActionRequest(**call.arguments)
                one = (await tool.executor(ShellCommandRequest(None, ShellCallData(call.id, action)))).output[0]
                result = json.dumps([one.stdout, one.outcome.exit_code])

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        text, code = json.loads(self.script.call("shell", commands=[command], timeout_ms=int(timeout * 1000)))
        return Reply(text, code)

    def close(self) -> None:
        self.script.end()


def openai_agents() -> Mapping[str, Callable[[], Shell]]:
    return {
        "truetty": lambda: Verbs(_openai_verbs),
        "truetty as ShellTool": ShellToolExecutor,
        "its own": lambda: OpenAiSandbox(_openai_sandbox),
    }


# pydantic-ai


async def _pydantic_run(script: Script, **making: Any) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel

    async def answer(messages: list[Any], info: Any) -> ModelResponse:
        last = messages[-1].parts[-1]
        result = last.content if isinstance(last, ToolReturnPart) else None
        call = await asyncio.to_thread(script.turn, result)
        if call is None:
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart(call.name, call.arguments, call.id)])

    await Agent(FunctionModel(answer), **making).run("go")


async def _pydantic_verbs(script: Script) -> None:
    from truetty.adapters.pydantic_ai import TruettyToolset

    async with AsyncExitStack() as stack:
        await _pydantic_run(script, toolsets=[TruettyToolset(await _service(stack))])


async def _pydantic_workspace(script: Script) -> None:
    """`ctx.workspace.run` in a tool, as its guide has it; this one also gives the exit code and what came before."""
    from pydantic_ai import RunContext, Tool
    from pydantic_ai.capabilities import LocalWorkspace
    from pydantic_ai.workspaces import WorkspaceTimeoutError

    async def execute(ctx: Any, command: str, timeout: float) -> str:
        try:
            done = await ctx.workspace.run(["bash", "-c", command], timeout=timeout)
        except WorkspaceTimeoutError as error:
            return json.dumps([error.stdout + error.stderr, None])
        return json.dumps([done.stdout + done.stderr, done.exit_code])

    execute.__annotations__["ctx"] = RunContext[None]
    await _pydantic_run(script, tools=[Tool(execute)], capabilities=[LocalWorkspace(tempfile.mkdtemp())])


class PydanticWorkspace(Scripted):
    def run(self, command: str, timeout: float = USUAL) -> Reply:
        text, code = json.loads(self.script.call("execute", command=command, timeout=timeout))
        return Reply(text, code)


def pydantic_ai() -> Mapping[str, Callable[[], Shell]]:
    return {
        "truetty": lambda: Verbs(_pydantic_verbs),
        "its own": lambda: PydanticWorkspace(_pydantic_workspace),
    }


# Claude Agent SDK


async def _claude_run(script: Script, **options: Any) -> None:
    """The `claude` program of the SDK's wheel, which takes the script's calls for those of a model."""
    from claude_agent_sdk import ClaudeAgentOptions, query

    with MessagesApi(script) as api, tempfile.TemporaryDirectory() as home:
        making = ClaudeAgentOptions(
            cwd=home, env=api.environment(home), setting_sources=[], max_turns=50, model="claude-sonnet-4-5", **options
        )
        async for _ in query(prompt="go", options=making):
            pass


async def _claude_verbs(script: Script) -> None:
    from truetty.adapters.claude_agent_sdk import names, server

    async with AsyncExitStack() as stack:
        servers = {"truetty": server(await _service(stack))}
        await _claude_run(script, mcp_servers=servers, allowed_tools=names(), disallowed_tools=["Bash"])


async def _claude_bash(script: Script) -> None:
    await _claude_run(script, allowed_tools=["Bash"])


class ClaudeBash(Scripted):
    def run(self, command: str, timeout: float = USUAL) -> Reply:
        text = self.script.call("Bash", command=command, timeout=int(timeout * 1000))
        code = re.match(r"Exit code (\d+)\n?", text)
        if code is not None:
            return Reply(text[code.end() :], int(code[1]))
        is_over = "timed out" not in text and "in the background" not in text
        return Reply("" if text == "(Bash completed with no output)" else text, 0 if is_over else None)


def claude_agent_sdk() -> Mapping[str, Callable[[], Shell]]:
    return {
        "truetty": lambda: Verbs(_claude_verbs, prefix="mcp__truetty__"),
        "its own": lambda: ClaudeBash(_claude_bash),
    }


SHELLS: dict[str, Callable[[], Mapping[str, Callable[[], Shell]]]] = {
    "openai_agents": openai_agents,
    "pydantic_ai": pydantic_ai,
    "claude_agent_sdk": claude_agent_sdk,
}
