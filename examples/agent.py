"""An agent loop on truetty, whole: tool calls in, results out. The model is a script here, so it runs anywhere.

    python examples/agent.py

With a real model, `model` sends `messages` and `functions.anthropic()` (or `functions.openai()`) to it and returns its
tool calls. Nothing else changes: the loop, the calls and the results are the same.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from truetty import functions
from truetty.service import Registry, Service

PROJECT = {
    "test.sh": 'seq -f "test %g: ok" 2500\ngrep -q 42 answer.txt || { code=1; echo "FAIL: answer"; }\n'
    'seq -f "test %g: ok" 2502 5000\nexit $code',
    "fix.sh": 'printf "Overwrite answer.txt? [y/N] "\nread reply\n[ "$reply" = y ] && echo 42 >answer.txt',
    "serve.sh": "echo listening\nexec sleep 600",
    "answer.txt": "41\n",
}


@dataclass(frozen=True)
class ToolCall:
    name: str
    arguments: dict[str, object]


Script = Generator[ToolCall, functions.Result, str]


def script() -> Script:
    """What a model might do: every step looks at the result of the one before."""
    tests = yield ToolCall("run", {"command": "sh test.sh"})
    if tests.data["exit_code"] == 0:
        return "nothing to do"

    # The output was long, and its middle was left out: it is kept, and can be searched.
    assert tests.data["omitted"]
    failed = yield ToolCall("read", {"id": tests.data["command_id"], "grep": "FAIL", "context": 1})
    assert "FAIL: answer" in failed.text

    fix = yield ToolCall("run", {"command": "sh fix.sh"})
    if fix.data["state"] == "waiting":  # a fact, not a guess: the kernel says that the script reads the keyboard
        fix = yield ToolCall("send", {"id": fix.data["command_id"], "text": "y", "enter": True})
    if fix.data["exit_code"] != 0:
        return f"the fix failed: {fix.text}"

    tests = yield ToolCall("run", {"command": "sh test.sh"})
    if tests.data["exit_code"] != 0:
        return "the tests still fail"

    # A server never ends: wait for what it prints, look at it, end it.
    server = yield ToolCall("run", {"command": "sh serve.sh", "until": "match:listening"})
    if server.data["state"] != "running":
        return "the server does not start"
    stopped = yield ToolCall("stop", {"id": server.data["command_id"]})
    mistake = yield ToolCall("run", {"command": "true", "terminal_id": "t999"})  # an error is a result too
    return f"tests pass; server {stopped.data['state']}; no such terminal: {mistake.error}"


class Model:
    """Here goes the real one: `ask` would append the result to its messages, send them, and read the answer."""

    def __init__(self, steps: Script) -> None:
        self._steps = steps

    def ask(self, result: functions.Result | None) -> ToolCall | str:
        """The next tool call, or the last words."""
        try:
            if result is None:
                return next(self._steps)
            return self._steps.send(result)
        except StopIteration as end:
            return str(end.value)


async def agent(model: Model, folder: Path) -> str:
    """The loop. It needs no `try`: whatever the model sends, the answer is a result."""
    async with Service(Registry(shell="bash", rc=False, cwd=folder)) as service:
        result: functions.Result | None = None
        while isinstance(step := model.ask(result), ToolCall):
            print(f"> {step.name} {step.arguments}")
            result = await functions.call(service, step.name, step.arguments)
            print("\n".join(f"  {line}" for line in result.text.splitlines()[:4]))  # what the model is sent: all of it
        return step


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        for file, text in PROJECT.items():
            Path(name, file).write_text(text)
        print(asyncio.run(agent(Model(script()), Path(name))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
