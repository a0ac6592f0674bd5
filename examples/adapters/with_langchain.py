"""LangChain's shell middleware on truetty: `TruettyShellMiddleware` in place of `ShellToolMiddleware`."""

from collections.abc import Iterator
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HostExecutionPolicy
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage

from truetty.adapters.langchain import TruettyShellMiddleware

COMMANDS = ["cd /tmp", "pwd; (exit 3)", "seq 1 200000", "read -p 'sure? ' x", "sleep 600", "echo still here"]


class Script(GenericFakeChatModel):
    """In the place of a model."""

    def bind_tools(self, tools: Any, **more: Any) -> "Script":
        return self


def calls() -> Iterator[AIMessage]:
    for number, command in enumerate(COMMANDS):
        yield AIMessage("", tool_calls=[{"name": "shell", "args": {"command": command}, "id": f"call{number}"}])
    yield AIMessage("done")


def main() -> None:
    middleware = TruettyShellMiddleware(execution_policy=HostExecutionPolicy(command_timeout=2))
    agent = create_agent(Script(messages=calls()), middleware=[middleware])
    result = agent.invoke({"messages": [("user", "go")]})
    seen = [message for message in result["messages"] if isinstance(message, ToolMessage)]
    for command, message in zip(COMMANDS, seen, strict=True):
        print(command, "->", message.status, repr(message.content[:40]), repr(message.content[-70:]))


if __name__ == "__main__":
    main()
