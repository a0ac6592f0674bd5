"""LangChain 1.4.7: the shell middleware in an agent, and the verbs as tools."""

from __future__ import annotations

import asyncio
from pathlib import Path

from langchain.agents.middleware import HostExecutionPolicy
from langchain_core.messages import ToolCall

from tests.adapters.checks.scripts import example
from truetty.adapters.langchain import Session, TruettyShellMiddleware, tools
from truetty.adapters.places import Place
from truetty.service import Registry, Service


def test_the_example() -> None:
    lines = example("langchain").splitlines()
    assert lines[1] == "pwd; (exit 3) -> error '/tmp\\n\\nExit code: 3' '/tmp\\n\\nExit code: 3'"
    assert "observed 200000" in lines[2] and "cannot type" in lines[3] and "timed out" in lines[4]
    assert lines[5].startswith("echo still here -> success 'still here")


def test_a_session(tmp_path: Path) -> None:
    policy = HostExecutionPolicy(command_timeout=60, max_output_lines=3, max_output_bytes=20)
    session = Session(Place(), tmp_path, policy, {"A": "b"})
    session.start()
    seen = session.execute("pwd >&2; echo $A", timeout=60)
    assert (seen.output.encode(), seen.exit_code) == (f"{tmp_path}\nb\n".encode()[:20], 0) and seen.truncated_by_bytes
    seen = session.execute("seq 5", timeout=60)
    assert (seen.output, seen.truncated_by_lines, seen.total_lines) == ("1\n2\n3\n", True, 5)
    late = session.execute("x=1; sleep 600", timeout=0.5)
    assert late.timed_out and session.execute("echo $x", timeout=60).output == "1\n"
    session.restart()
    assert session.execute("echo [$x]", timeout=60).output == "[]\n"
    session.stop(1)


def test_the_middleware_has_startup_commands(tmp_path: Path) -> None:
    middleware = TruettyShellMiddleware(workspace_root=tmp_path, startup_commands=["touch begun"])
    assert [tool.name for tool in middleware.tools] == ["shell"]
    updates = middleware.before_agent({"messages": []}, None)
    assert (tmp_path / "begun").exists()
    middleware.after_agent(updates, None)


def test_the_verbs_are_tools_and_a_call_runs_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with Service(Registry(shell="bash", rc=False, cwd=str(tmp_path))) as service:
            run = next(tool for tool in tools(service) if tool.name == "run")
            assert "command" in run.args
            for _ in range(2):
                call = ToolCall(name="run", args={"command": "echo x >> ran"}, id="call_1", type="tool_call")
                assert "exit 0" in (await run.ainvoke(call)).content

    asyncio.run(main())
    assert (tmp_path / "ran").read_text() == "x\n"
