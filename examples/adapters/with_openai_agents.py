"""OpenAI Agents SDK on truetty: function tools, and `ShellTool(executor=Shell(service))`. A script is the model."""

import asyncio
import json
from typing import Any

from agents import Agent, ModelResponse, RunConfig, Runner, Usage
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from truetty.adapters.openai_agents import function_tools
from truetty.service import Registry, Service

CALLS = [
    ("run", {"command": "cd /tmp; pwd"}),
    ("run", {"command": "read -p 'name? ' x; echo hi $x"}),
    ("send", {"id": "t1-2", "text": "Ann", "enter": True}),
    ("run", {"command": "exit 3"}),
]


class Script(Model):
    """In the place of a model."""

    def __init__(self) -> None:
        self.calls = iter(CALLS)

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        name, arguments = next(self.calls, (None, None))
        if name is None:
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            item: Any = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
        else:
            call_id = f"call_{len(json.dumps(arguments))}"
            item = ResponseFunctionToolCall(
                call_id=call_id, name=name, arguments=json.dumps(arguments), type="function_call"
            )
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


async def main() -> None:
    async with Service(Registry(shell="bash", rc=False)) as service:
        agent = Agent(name="agent", model=Script(), tools=function_tools(service))
        result = await Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True))
        for item in result.new_items:
            if item.type == "tool_call_output_item":
                print(repr(item.output))
        print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main())
