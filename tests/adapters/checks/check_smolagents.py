"""smolagents 1.26.0: the tool in an agent."""

from __future__ import annotations

from smolagents import Tool
from smolagents.tool_validation import validate_tool_attributes

from tests.adapters.checks.scripts import example
from truetty.adapters.smolagents import TerminalTool


def test_the_example() -> None:
    seen = example("smolagents")
    assert "hi Ann" in seen and "refused: it asks for a secret" in seen and "hunter2" not in seen
    assert "[finished, exit code 130]" in seen


def test_a_command_that_runs_on() -> None:
    tool = TerminalTool(cwd="/")
    assert tool(command="pwd; (exit 3)") == "/\n\n[finished, exit code 3]"
    assert "[running]" in tool(command="sleep 600", wait=0.5)
    assert "Nothing was typed" in tool(command="echo no", wait=0.5)
    assert "[running]" in tool(command="", wait=0.5)
    assert "exit code 130" in tool(command="C-c")
    assert tool(command="") == "[nothing runs]"
    assert "exit code 7" in tool(command="exit 7")
    assert tool(command="echo after") == "after\n\n[finished, exit code 0]"
    tool.close()


def test_a_tool_that_is_written_down_and_read_again() -> None:
    validate_tool_attributes(TerminalTool)
    first = TerminalTool()
    again = Tool.from_dict(first.to_dict())
    assert again(command="cd /; pwd") == again(command="pwd") == "/\n\n[finished, exit code 0]"
    again.close()
    first.close()
