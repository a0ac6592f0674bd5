"""Agents of Python frameworks that have truetty's MCP server: each runs in an environment of its own.

    MODEL=http://127.0.0.1:PORT SERVER=… frameworks.py NAME

`SERVER` starts the server; `CUT` is how many seconds a call may take.
"""

# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import asyncio
import json
import os
import sys
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any

MODEL, SERVER, CUT = os.environ["MODEL"], os.environ["SERVER"], float(os.environ["CUT"])
START = 60  # seconds: for the server, on a busy machine
TURNS = 100
LAUNCH: dict[str, Any] = {"command": SERVER, "args": ["mcp"], "cwd": os.getcwd(), "env": dict(os.environ)}


async def openai_agents() -> None:
    """By default a model does not read why a call has failed that was not made, or took too long."""
    from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
    from agents.mcp import MCPServerStdio
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    model = OpenAIResponsesModel("scripted", AsyncOpenAI(base_url=f"{MODEL}/v1", api_key="x"))
    bound = {"name": "truetty", "client_session_timeout_seconds": CUT}
    async with MCPServerStdio(LAUNCH, **bound, failure_error_function=lambda context, error: str(error)) as server:
        await Runner.run(Agent(name="a", model=model, mcp_servers=[server]), "go", max_turns=TURNS)


async def langchain() -> None:
    """With a session of its own: `get_tools` of the client starts a server for each call.

    Without a time-out, as it is by default: one that is reached ends the agent.
    """
    from langchain.agents import create_agent
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_mcp_adapters.tools import load_mcp_tools
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(base_url=f"{MODEL}/v1", api_key="x", model="scripted")
    client = MultiServerMCPClient({"truetty": {"transport": "stdio", **LAUNCH}})
    async with client.session("truetty") as session:
        agent = create_agent(model, await load_mcp_tools(session))
        await agent.ainvoke({"messages": [{"role": "user", "content": "go"}]}, {"recursion_limit": 4 * TURNS})


async def pydantic_ai() -> None:
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.usage import UsageLimits

    model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=f"{MODEL}/v1", api_key="x"))
    tools = MCPToolset(StdioTransport(**LAUNCH), init_timeout=START, read_timeout=CUT)
    async with Agent(model, toolsets=[tools], retries=5) as agent:
        await agent.run("go", usage_limits=UsageLimits(request_limit=TURNS))


async def google_adk() -> None:
    from google.adk.agents import LlmAgent
    from google.adk.runners import InMemoryRunner
    from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams
    from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
    from google.genai import types
    from mcp import StdioServerParameters

    started = StdioConnectionParams(server_params=StdioServerParameters(**LAUNCH), timeout=CUT)
    tools = McpToolset(connection_params=started)
    agent = LlmAgent(name="a", model="gemini-2.5-flash", instruction="go", tools=[tools])
    runner = InMemoryRunner(agent=agent, app_name="a")
    session = await runner.session_service.create_session(app_name="a", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="go")])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        pass
    await tools.close()


async def smolagents() -> None:
    from mcp import StdioServerParameters
    from smolagents import MCPClient, OpenAIServerModel, ToolCallingAgent

    model = OpenAIServerModel("scripted", api_base=f"{MODEL}/v1", api_key="x")
    bound = {"client_session_timeout_seconds": CUT}
    with MCPClient(StdioServerParameters(**LAUNCH), adapter_kwargs=bound) as tools:
        ToolCallingAgent(tools=tools, model=model, max_steps=TURNS).run("go")


async def fastmcp() -> None:
    """It has no agent: the loop is here, and as short as can be."""
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    async with Client(StdioTransport(**LAUNCH)) as client:

        async def call(name: str, arguments: dict[str, Any]) -> str:
            result = await client.call_tool(name, arguments, timeout=CUT, raise_on_error=False)
            return "\n".join(part.text for part in result.content)

        await loop([(tool.name, tool.description, tool.inputSchema) for tool in await client.list_tools()], call)


async def autogen() -> None:
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient
    from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams

    lacks = dict.fromkeys(("vision", "json_output", "structured_output"), False)
    info = {"family": "unknown", "function_calling": True, **lacks}
    model = OpenAIChatCompletionClient(model="scripted", base_url=f"{MODEL}/v1", api_key="x", model_info=info)
    async with McpWorkbench(StdioServerParams(**LAUNCH, read_timeout_seconds=CUT)) as workbench:
        await AssistantAgent("a", model, workbench=workbench, max_tool_iterations=TURNS).run(task="go")


async def agent_framework() -> None:
    """By default a model does not read why a call has failed, and may make no more calls after three that have."""
    from agent_framework import Agent, MCPStdioTool
    from agent_framework.openai import OpenAIChatClient

    bounds = {"max_iterations": TURNS, "max_consecutive_errors_per_request": TURNS, "include_detailed_errors": True}
    model = OpenAIChatClient("scripted", base_url=f"{MODEL}/v1", api_key="x", function_invocation_configuration=bounds)
    tool = MCPStdioTool("truetty", **LAUNCH, request_timeout=int(CUT))
    async with Agent(model, "go", tools=[tool]) as agent:
        await agent.run("go")


async def loop(tools: list[tuple[str, str, Any]], call: Callable[[str, dict[str, Any]], Awaitable[str]]) -> None:
    offered = [
        {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
        for name, about, schema in tools
    ]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]

    async def answered(made: dict[str, Any]) -> dict[str, Any]:
        wanted = made["function"]
        try:
            text = await call(wanted["name"], json.loads(wanted["arguments"]))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
        return {"role": "tool", "tool_call_id": made["id"], "content": text}

    while True:
        body = json.dumps({"model": "scripted", "messages": messages, "tools": offered}).encode()
        request = urllib.request.Request(f"{MODEL}/v1/chat/completions", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as response:
            message = json.load(response)["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return
        messages += await asyncio.gather(*(answered(made) for made in message["tool_calls"]))


FRAMEWORKS = {
    "openai-agents": openai_agents,
    "langchain": langchain,
    "pydantic-ai": pydantic_ai,
    "google-adk": google_adk,
    "smolagents": smolagents,
    "fastmcp": fastmcp,
    "autogen": autogen,
    "agent-framework": agent_framework,
}

if __name__ == "__main__":
    asyncio.run(FRAMEWORKS[sys.argv[1]]())
