"""Claude Agent SDK on truetty: options for `ClaudeSDKClient`, and the tools called as its client would call them."""

import asyncio
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions

from truetty.adapters.claude_agent_sdk import names, server, tools
from truetty.service import Registry, Service

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("run", {"command": "cd /tmp; pwd"}),
    ("run", {"command": "read -p 'name? ' x; echo hi $x"}),
    ("send", {"id": "t1-2", "text": "Ann", "enter": True}),
    ("run", {"command": "sleep 600", "kill_after": 1}),
]


async def main() -> None:
    async with Service(Registry(shell="bash", rc=False)) as service:
        options = ClaudeAgentOptions(
            mcp_servers={"truetty": server(service)}, allowed_tools=names(), disallowed_tools=["Bash"]
        )
        print(options.allowed_tools[:2])
        verbs = {tool.name: tool.handler for tool in tools(service)}
        for name, arguments in CALLS:  # in the place of a model
            result = await verbs[name](arguments)
            print(result["is_error"], repr(result["content"][0]["text"]))


if __name__ == "__main__":
    asyncio.run(main())
