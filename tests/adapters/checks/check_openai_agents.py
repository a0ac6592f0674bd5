"""OpenAI Agents SDK 0.24.0: the shell tool's executor, and function tools in a run."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agents import ShellActionRequest, ShellCallData, ShellCommandRequest, ShellResult, ShellTool

from tests.adapters.checks.scripts import example
from truetty.adapters.openai_agents import Shell
from truetty.service import Registry, Service


def test_the_example() -> None:
    lines = example("openai_agents").splitlines()
    assert 'waiting [t1-2]: text "name? "' in lines[1] and "hi Ann" in lines[2] and "exit 3" in lines[3]


def test_the_shell_tool(tmp_path: Path) -> None:
    async def main() -> None:
        async with Service(Registry(shell="bash", rc=False, cwd=str(tmp_path))) as service:
            tool = ShellTool(executor=Shell(service))

            async def call(id: str, *commands: str, timeout_ms: int = 60_000) -> ShellResult:
                action = ShellActionRequest(commands=[*commands], timeout_ms=timeout_ms)
                return await tool.executor(ShellCommandRequest(None, ShellCallData(id, action)))

            first = (await call("1", "cd /; echo x >> $OLDPWD/ran", "pwd; (exit 3)")).output
            assert [(one.stdout, one.outcome.exit_code) for one in first] == [("", 0), ("/\n", 3)]
            await call("1", "cd /; echo x >> $OLDPWD/ran", "pwd; (exit 3)")
            assert (tmp_path / "ran").read_text() == "x\n"
            late = (await call("2", "sleep 600", "echo not yet", timeout_ms=500)).output
            assert len(late) == 1 and late[0].outcome.type == "timeout"
            await service.stop(late[0].provider_data["command_id"])
            asked = (await call("3", "read -p 'sure? ' x")).output[0]
            assert (asked.outcome.type, asked.provider_data["question"]) == ("timeout", "sure? ")

    asyncio.run(main())
