"""Claude Agent SDK 0.2.182: the server is asked as the SDK's client asks it, by MCP messages in this process."""

from __future__ import annotations

import asyncio

from claude_agent_sdk._internal.query import Query

from tests.adapters.checks.scripts import example
from truetty.adapters.claude_agent_sdk import names, server
from truetty.functions import VERBS
from truetty.service import Registry, Service


def test_the_example() -> None:
    lines = example("claude_agent_sdk").splitlines()
    assert lines[0] == "['mcp__truetty__run', 'mcp__truetty__read']"
    assert 'waiting [t1-2]: text "name? "' in lines[2] and "hi Ann" in lines[3]


class Pipe:
    """In the place of the `claude` program, of which nothing is asked here."""

    async def write(self, data: str) -> None:
        raise AssertionError(data)


def test_the_tools_by_the_sdks_own_messages() -> None:
    async def main() -> None:
        async with Service(Registry(shell="bash", rc=False)) as service:
            config = server(service)
            query = Query(transport=Pipe(), is_streaming_mode=True, sdk_mcp_servers={"truetty": config["instance"]})

            async def ask(method: str, **parameters):
                message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
                answer = await query._handle_sdk_mcp_request("truetty", message)
                assert "result" in answer, answer
                return answer["result"]

            about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            await ask("initialize", **about)
            await query._handle_sdk_mcp_request("truetty", {"jsonrpc": "2.0", "method": "notifications/initialized"})
            listed = await ask("tools/list")
            assert [f"mcp__truetty__{tool['name']}" for tool in listed["tools"]] == names()
            assert len(listed["tools"]) == len(VERBS)
            done = await ask("tools/call", name="run", arguments={"command": "echo one; (exit 3)"})
            assert done["content"][0]["text"].startswith("exit 3") and not done.get("isError")
            unknown = await ask("tools/call", name="read", arguments={"id": "t99-1"})
            assert unknown["isError"] and "t99-1" in unknown["content"][0]["text"]

    asyncio.run(main())
