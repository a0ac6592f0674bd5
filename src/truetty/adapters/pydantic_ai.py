"""pydantic-ai: `Agent(model, toolsets=[TruettyToolset(service)])`.

Rule 1: each run of an agent has terminals of its own, unless `task` names those that runs share.
Rule 2: arguments are read by `truetty.functions`, whose refusals tell the model what is allowed. So no call ends a run.
"""

from __future__ import annotations

import uuid
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from truetty.functions import VERBS, call, parameters
from truetty.service import Service


class TruettyToolset(AbstractToolset[Any]):
    def __init__(self, service: Service, *, task: str | None = None, id: str | None = "truetty") -> None:
        self._service, self._task, self._id = service, task, id

    @property
    def id(self) -> str | None:
        return self._id

    async def for_run(self, ctx: RunContext[Any]) -> TruettyToolset:
        if self._task is not None:
            return self
        return TruettyToolset(self._service, task=f"run {uuid.uuid4().hex[:8]}", id=self._id)

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        anything = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))
        return {
            verb.name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=verb.name, description=verb.description, parameters_json_schema=parameters(verb)
                ),
                max_retries=1,
                args_validator=anything,
            )
            for verb in VERBS
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> str:
        task = self._task or "agent"
        key = f"{task}/{ctx.tool_call_id}" if ctx.tool_call_id else None
        return (await call(self._service, name, tool_args, task=task, key=key)).text
