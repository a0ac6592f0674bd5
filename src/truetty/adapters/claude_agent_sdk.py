"""Claude Agent SDK: the verbs as an MCP server in this process.

`ClaudeAgentOptions(mcp_servers={"truetty": server(service)}, allowed_tools=names(), disallowed_tools=["Bash"])`.
"""

from __future__ import annotations

from typing import Any

from claude_agent_sdk import McpSdkServerConfig, SdkMcpTool, create_sdk_mcp_server

from truetty.core.version import VERSION
from truetty.functions import VERBS, Verb, call, parameters
from truetty.functions.calls import AGENT_TASK
from truetty.service import Service


def server(service: Service, *, task: str = AGENT_TASK, name: str = "truetty") -> McpSdkServerConfig:
    return create_sdk_mcp_server(name, version=VERSION, tools=tools(service, task=task))


def names(name: str = "truetty") -> list[str]:
    """As the SDK calls the tools of a server of that name, for `allowed_tools`."""
    return [f"mcp__{name}__{verb.name}" for verb in VERBS]


def tools(service: Service, *, task: str = AGENT_TASK) -> list[SdkMcpTool[Any]]:
    return [_tool(service, verb, task) for verb in VERBS]


def _tool(service: Service, verb: Verb, task: str) -> SdkMcpTool[Any]:
    async def handle(arguments: dict[str, Any]) -> dict[str, Any]:
        result = await call(service, verb.name, arguments, task=task)
        return {"content": [{"type": "text", "text": result.text}], "is_error": result.error is not None}

    return SdkMcpTool(name=verb.name, description=verb.description, input_schema=parameters(verb), handler=handle)
