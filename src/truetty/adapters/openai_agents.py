"""OpenAI Agents SDK: `ShellTool(executor=Shell(service))`, and the verbs as function tools.

Rule 1: the commands of one call run one after another in one shell. One that has not finished ends the list: the next
        would be typed into it.
Rule 2: `timeout_ms` is how long a command is waited for. What is not done by then goes on, and `provider_data` has the
        id by which the function tools `wait`, `send` and `stop` reach it.
Rule 3: the call's id is the key: a call that comes again runs nothing twice.
"""

from __future__ import annotations

from typing import Any

from agents import FunctionTool, ShellCallOutcome, ShellCommandOutput, ShellCommandRequest, ShellResult
from agents.tool_context import ToolContext

from truetty.functions import VERBS, Verb, call, parameters
from truetty.functions.calls import AGENT_TASK
from truetty.service import Service


class Shell:
    def __init__(self, service: Service, *, task: str = AGENT_TASK, wait: float = 120.0) -> None:
        self._service, self._task, self._wait = service, task, wait

    async def __call__(self, request: ShellCommandRequest) -> ShellResult:
        action = request.data.action
        outputs: list[ShellCommandOutput] = []
        for number, text in enumerate(action.commands):
            key = f"{self._task}/{request.data.call_id}/{number}"
            outputs.append(await self._run(text, key, (action.timeout_ms or self._wait * 1000) / 1000))
            if outputs[-1].outcome.type != "exit":
                break
        return ShellResult(output=outputs, max_output_length=action.max_output_length)

    async def _run(self, text: str, key: str, wait: float) -> ShellCommandOutput:
        outcome = (await self._service.run(text, task=self._task, wait=wait, key=key)).outcome
        data: dict[str, Any] = {"state": outcome.state, "command_id": outcome.command_id, "notes": [*outcome.notes]}
        if outcome.waiting is not None:
            data["question"] = outcome.waiting.prompt
        is_over = outcome.state == "finished"
        return ShellCommandOutput(
            command=text,
            stdout=outcome.output,  # both streams: a terminal has one
            outcome=ShellCallOutcome(type="exit", exit_code=outcome.exit_code)
            if is_over
            else ShellCallOutcome(type="timeout"),
            provider_data=data,
        )


def function_tools(service: Service, *, task: str = AGENT_TASK) -> list[FunctionTool]:
    """The eight verbs, for `Agent(tools=…)`."""
    return [_tool(service, verb, task) for verb in VERBS]


def _tool(service: Service, verb: Verb, task: str) -> FunctionTool:
    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        key = f"{task}/{context.tool_call_id}" if context.tool_call_id else None
        return (await call(service, verb.name, arguments, task=task, key=key)).text

    return FunctionTool(
        name=verb.name,
        description=verb.description,
        params_json_schema=parameters(verb, strict=True),
        on_invoke_tool=invoke,
        strict_json_schema=True,
    )
