"""pydantic-ai 2.66.0: the toolset in a run."""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from tests.adapters.checks.scripts import example
from truetty.adapters.pydantic_ai import TruettyToolset
from truetty.service import Registry, Service


def test_the_example() -> None:
    lines = example("pydantic_ai").splitlines()
    assert 'waiting [t1-2]: text "name? "' in lines[1] and "hi Ann" in lines[2] and "time-out" in lines[3]
    assert "did you mean command? Nothing ran." in lines[4] and lines[5] == "done"


def test_each_run_has_terminals_of_its_own_unless_they_are_shared() -> None:
    async def main() -> list[str]:
        async with Service(Registry(shell="bash", rc=False)) as service:
            found = []
            for task in (None, None, "shared", "shared"):
                calls = iter([ModelResponse([ToolCallPart("run", {"command": "echo [$x]; x=1"})])])

                def answer(messages, info, calls=calls):
                    return next(calls, None) or ModelResponse([TextPart(messages[-1].parts[-1].content)])

                agent = Agent(FunctionModel(answer), toolsets=[TruettyToolset(service, task=task)])
                found.append((await agent.run("go")).output.splitlines()[-1])
            return found

    assert asyncio.run(main()) == ["[]", "[]", "[]", "[1]"]
