"""pydantic-ai on truetty: `toolsets=[TruettyToolset(service)]`. A script is the model."""

import asyncio
from collections.abc import Iterator
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from truetty.adapters.pydantic_ai import TruettyToolset
from truetty.service import Registry, Service

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("run", {"command": "cd /tmp; pwd"}),
    ("run", {"command": "read -p 'name? ' x; echo hi $x"}),
    ("send", {"id": "t1-2", "text": "Ann", "enter": True}),
    ("run", {"command": "sleep 600", "kill_after": 1}),
    ("run", {"comand": "true"}),
]


def script(calls: Iterator[tuple[str, dict[str, Any]]]) -> FunctionModel:
    """In the place of a model."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        call = next(calls, None)
        return ModelResponse([TextPart("done") if call is None else ToolCallPart(*call)])

    return FunctionModel(answer)


async def main() -> None:
    async with Service(Registry(shell="bash", rc=False)) as service:
        agent = Agent(script(iter(CALLS)), toolsets=[TruettyToolset(service)])
        result = await agent.run("go")
        for message in result.all_messages():
            for part in message.parts:
                if isinstance(part, ToolReturnPart):
                    print(repr(part.content))
        print(result.output)


if __name__ == "__main__":
    asyncio.run(main())
