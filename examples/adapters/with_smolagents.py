"""smolagents on truetty: `TerminalTool()`. A script is the model."""

from typing import Any

from smolagents import ChatMessage, Model, ToolCallingAgent
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction

from truetty.adapters.smolagents import TerminalTool

COMMANDS = ["cd /tmp; pwd", "read -p 'name? ' x; echo hi $x", "Ann", "read -sp 'Password: ' p", "hunter2", "C-c"]


class Script(Model):
    """In the place of a model."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = iter(
            [*(("terminal", {"command": text}) for text in COMMANDS), ("final_answer", {"answer": "done"})]
        )

    def generate(self, *_: Any, **__: Any) -> ChatMessage:
        name, arguments = next(self.calls)
        call = ChatMessageToolCallFunction(name=name, arguments=arguments)
        return ChatMessage(
            role="assistant", content="", tool_calls=[ChatMessageToolCall(function=call, id="1", type="function")]
        )


def main() -> None:
    tool = TerminalTool()
    agent = ToolCallingAgent(tools=[tool], model=Script(), verbosity_level=0)
    agent.run("go")
    for step in agent.memory.steps:
        if getattr(step, "observations", None):
            print(repr(step.observations))
    tool.close()


if __name__ == "__main__":
    main()
