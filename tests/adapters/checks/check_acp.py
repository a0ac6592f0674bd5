"""Agent Client Protocol 0.12.1: an agent and an editor that speak it over pipes; the editor's terminals are ours."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import acp
import pytest
from acp.schema import EnvVariable

from tests.adapters.checks.scripts import example
from truetty.adapters.acp import Terminals

# An agent that asks the editor for terminals at its first prompt, and says what it saw.
AGENT = """
import asyncio, acp
from acp import PromptResponse, InitializeResponse, NewSessionResponse, text_block, update_agent_message

class Agent(acp.Agent):
    def on_connect(self, conn): self.editor = conn
    async def initialize(self, protocol_version, **_): return InitializeResponse(protocol_version=protocol_version)
    async def new_session(self, cwd, **_): return NewSessionResponse(session_id="s")
    async def prompt(self, session_id, **_):
        made = await self.editor.create_terminal(session_id=session_id, command="echo", args=["a b", "$HOME"])
        id = made.terminal_id if hasattr(made, "terminal_id") else made.id
        ended = await self.editor.wait_for_terminal_exit(session_id=session_id, terminal_id=id)
        seen = await self.editor.terminal_output(session_id=session_id, terminal_id=id)
        await self.editor.release_terminal(session_id=session_id, terminal_id=id)
        words = f"{ended.exit_code} {seen.output!r} {seen.truncated}"
        await self.editor.session_update(session_id=session_id, update=update_agent_message(text_block(words)))
        return PromptResponse(stop_reason="end_turn")

asyncio.run(acp.run_agent(Agent()))
"""


class Editor(Terminals, acp.Client):
    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.heard.append(update.content.text)

    async def request_permission(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("nothing is asked here")


def test_the_example() -> None:
    lines = example("acp").splitlines()
    assert lines[0] == "echo one; (exit 3) -> 3 None False 'one\\n'"
    assert lines[1].endswith("True '99998\\n199999\\n200000\\n'") and lines[2].startswith("sleep 600 -> 130 SIGINT")


def test_a_real_agent_over_the_protocol() -> None:
    async def main() -> None:
        editor = Editor()
        async with acp.spawn_agent_process(editor, sys.executable, "-c", AGENT) as (connection, _):
            await connection.initialize(protocol_version=acp.PROTOCOL_VERSION)
            session = await connection.new_session(cwd="/tmp", mcp_servers=[])
            await connection.prompt(session_id=session.session_id, prompt=[acp.text_block("go")])
        assert editor.heard == ["0 'a b $HOME\\n' False"]
        await editor.close_terminals()

    asyncio.run(main())


def test_environment_directory_and_unknown_ids() -> None:
    async def main() -> None:
        editor = Editor()
        variables = [EnvVariable(name="A", value="b c")]
        made = await editor.create_terminal("s", 'echo "$A"; pwd', env=variables, cwd="/")
        await editor.wait_for_terminal_exit("s", made.terminal_id)
        seen = await editor.terminal_output("s", made.terminal_id)
        assert (seen.output, seen.exit_status.exit_code) == ("b c\n/\n", 0)
        running = await editor.create_terminal("s", "echo begun; sleep 600")
        assert (await editor.terminal_output("s", running.terminal_id)).exit_status is None
        await editor.kill_terminal("s", running.terminal_id)
        assert (await editor.terminal_output("s", running.terminal_id)).output.startswith("begun")
        await editor.release_terminal("s", running.terminal_id)
        with pytest.raises(acp.RequestError):
            await editor.terminal_output("s", running.terminal_id)
        await editor.close_terminals()

    asyncio.run(main())
