"""A script in the place of the model: the calls of a shell are the tool calls of one run of a framework's agent."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from queue import Queue
from typing import Any

from tests.adapters.shell import USUAL, Reply, Shell


@dataclass(frozen=True)
class Call:
    id: str
    name: str
    arguments: dict[str, Any]


class Script:
    """The shell calls `call` and `end` in its thread; the framework's model calls `turn` in the thread of the agent."""

    def __init__(self) -> None:
        self._calls: Queue[Call | None] = Queue()
        self._results: Queue[str | BaseException] = Queue()
        self._number = 0
        self._agent: threading.Thread | None = None

    def start(self, agent: Callable[[Script], Awaitable[None]]) -> None:
        """Runs the agent in a thread and a loop of its own."""

        def work() -> None:
            try:
                asyncio.run(self._run(agent))
            except BaseException as error:
                self._results.put(error)

        self._agent = threading.Thread(target=work, daemon=True)
        self._agent.start()

    async def _run(self, agent: Callable[[Script], Awaitable[None]]) -> None:
        await agent(self)

    def call(self, name: str, **arguments: Any) -> str:
        """What the tool has answered."""
        self._number += 1
        self._calls.put(Call(f"call_{self._number}", name, arguments))
        result = self._results.get()
        if isinstance(result, BaseException):
            raise result
        return result

    def end(self) -> None:
        self._calls.put(None)
        if self._agent is not None:
            self._agent.join()

    def turn(self, result: str | None) -> Call | None:
        """The next call, or None at the end. `result` is that of the last call."""
        if result is not None:
            self._results.put(result)
        return self._calls.get()


class Scripted(Shell):
    """A shell that is the tools of an agent."""

    def __init__(self, agent: Callable[[Script], Awaitable[None]]) -> None:
        self.script = Script()
        self.script.start(agent)

    def close(self) -> None:
        self.script.end()


class Verbs(Scripted):
    """The eight verbs as a framework's tools."""

    def __init__(self, agent: Callable[[Script], Awaitable[None]], prefix: str = "") -> None:
        super().__init__(agent)
        self.prefix = prefix  # before the name of each tool
        self.id = ""

    def _call(self, verb: str, **arguments: Any) -> Reply:
        """`exit 3 [t1-1]`, `waiting [t1-2]: …`, `running [t1-3]`; the output stands behind the first empty line."""
        text = self.script.call(self.prefix + verb, **arguments)
        head, _, output = text.partition("\n\n")
        found = re.search(r"\[(t\d+-\d+)\]", head)
        self.id = found[1] if found else self.id
        code = re.match(r"exit (\d+)", head)
        is_open = head.startswith(("waiting", "running"))
        return Reply(output or ("" if code else text), int(code[1]) if code else None, is_open)

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        return self._call("run", command=command, wait=timeout)

    def type(self, text: str) -> Reply:
        return self._call("send", id=self.id, text=text, enter=True)

    def stop(self) -> Reply:
        return self._call("stop", id=self.id)
