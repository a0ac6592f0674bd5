"""Frameworks with a session or a tool of another kind: Agent Client Protocol, Harbor, smolagents."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from tests.adapters.script import Script, Scripted
from tests.adapters.shell import USUAL, Reply, Shell


class Loop:
    """A loop in a thread of its own, for a session that lives longer than one call."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)


class Acp(Shell):
    """What an agent does with an editor's terminal: create, wait, kill after the time-out, output, release."""

    def __init__(self) -> None:
        from truetty.adapters.acp import Terminals

        self.loop, self.editor = Loop(), Terminals()

    async def _run(self, command: str, timeout: float) -> Reply:
        made = await self.editor.create_terminal("s", command)
        exit_code: int | None = None
        try:
            waiting = self.editor.wait_for_terminal_exit("s", made.terminal_id)
            exit_code = (await asyncio.wait_for(waiting, timeout)).exit_code
        except TimeoutError:
            await self.editor.kill_terminal("s", made.terminal_id)
        seen = await self.editor.terminal_output("s", made.terminal_id)
        await self.editor.release_terminal("s", made.terminal_id)
        return Reply(seen.output, exit_code)

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        return self.loop.wait(self._run(command, timeout))

    def close(self) -> None:
        self.loop.wait(self.editor.close_terminals())
        self.loop.end()


def acp() -> Mapping[str, Callable[[], Shell]]:
    return {"truetty": Acp}


class HostEnvironment:
    """The part of Harbor's environment that its tmux session calls, on this machine, with a tmux server of its own."""

    session_id = "host"

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp()

    async def exec(self, command: str, **_: Any) -> Any:
        from harbor.environments.base import ExecResult

        environ = {**os.environ, "TMUX_TMPDIR": self.folder}
        environ.pop("TMUX", None)
        pipe = asyncio.subprocess.PIPE
        running = await asyncio.create_subprocess_exec(
            *("bash", "-c", command), env=environ, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
        )
        out, err = await running.communicate()
        return ExecResult(stdout=out.decode(), stderr=err.decode(), return_code=running.returncode)


class Keys(Shell):
    """As the agent Terminus 2 calls a session: keys, a duration, then what is new on the screen."""

    def __init__(self) -> None:
        self.loop = Loop()
        self.session = self.make()
        self.loop.wait(self.session.start())
        self.loop.wait(self.session.get_incremental_output())  # which the agent's first prompt shows

    def make(self) -> Any:
        raise NotImplementedError

    def read(self, seen: str, keys: str) -> Reply:
        raise NotImplementedError

    def press(self, keys: str, duration: float) -> str:
        """What the agent's model reads, cut to 10,000 bytes as there."""
        from harbor.agents.terminus_2.terminus_2 import Terminus2

        if not self.loop.wait(self.session.is_session_alive()):
            raise RuntimeError("the session has ended, and the agent with it")
        self.loop.wait(self.session.send_keys(keys, min_timeout_sec=duration))
        seen = self.loop.wait(self.session.get_incremental_output())
        return str(Terminus2._limit_output_length(None, seen))

    def follow(self, keys: str, timeout: float) -> Reply:
        """Looks again each second, by no keys, until the command has ended."""
        deadline = time.monotonic() + timeout
        reply = self.read(self.press(keys, 1.0), keys)
        while reply.is_open and time.monotonic() < deadline:
            more = self.read(self.press("", 1.0), "")
            reply = Reply(reply.text + more.text, more.code, more.is_open)
        return reply

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        return self.follow(f"{command}\n", timeout)

    def type(self, text: str) -> Reply:
        return self.follow(f"{text}\n", 5.0)

    def stop(self) -> Reply:
        return self.follow("C-c", 5.0)

    def close(self) -> None:
        self.loop.wait(self.session.stop())
        self.loop.end()


class HarborTruetty(Keys):
    def make(self) -> Any:
        from truetty.adapters.harbor import Session

        return Session()

    def read(self, seen: str, keys: str) -> Reply:
        """`New Terminal Output:`, the command where it is new, its output, and how it stands in brackets."""
        head, _, text = seen.partition("\n")
        output, _, standing = text.removeprefix(f"$ {keys.rstrip()}\n").rpartition("\n[")
        code = re.match(r"exit code (\d+)\]", standing)
        new = f"{output}\n{'' if code else standing}" if head == "New Terminal Output:" else ""
        return Reply(new.removesuffix("\n"), int(code[1]) if code else None, is_open=code is None)


class HarborTmux(Keys):
    """The prompt at the end of the screen says that a command has ended; a second command asks for its exit code."""

    CODE = '(c=$?; echo "code:$c"; exit $c)\n'  # `$?` stays what it was
    PROMPT = re.compile(r"^\S*@\S+:.*[#$] ?$|^bash-[\d.]+[#$] ?$", re.MULTILINE)

    def make(self) -> Any:
        from harbor.agents.terminus_2.tmux_session import TmuxSession

        self.place = HostEnvironment()
        folder = Path(self.place.folder)
        return TmuxSession("agent", self.place, folder / "log", None, None)

    def read(self, seen: str, keys: str) -> Reply:
        _, _, text = seen.partition("\n")
        lines = text.rstrip().split("\n")
        is_open = not self.PROMPT.fullmatch(lines[-1].rstrip())
        # The command stands in the first line behind the prompt; each further line of it behind another.
        for number, line in enumerate(lines):
            if keys.split("\n")[0] and line.endswith(keys.split("\n")[0]):
                lines = lines[number + 1 :]
                break
        return Reply("\n".join(lines if is_open else lines[:-1]) + "\n", None, is_open)

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        reply = super().run(command, timeout)
        if reply.is_open:
            return reply
        code = re.search(r"^code:(\d+)$", self.follow(self.CODE, 5.0).text, re.MULTILINE)
        return Reply(reply.text, int(code[1]) if code else None)

    def close(self) -> None:
        super().close()
        socket = shlex.quote(self.place.folder)
        asyncio.run(self.place.exec(f"TMUX_TMPDIR={socket} tmux kill-server"))
        shutil.rmtree(self.place.folder, ignore_errors=True)


def harbor() -> Mapping[str, Callable[[], Shell]]:
    import truetty.adapters.harbor  # noqa: F401  # which takes longer than a task may, on a busy machine

    return {"truetty": HarborTruetty, "its own": HarborTmux}


async def _smolagents_run(script: Script) -> None:
    from smolagents import ChatMessage, Model, ToolCallingAgent
    from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction

    from truetty.adapters.smolagents import TerminalTool

    class Scripting(Model):
        def generate(self, messages: Any, *_: Any, **__: Any) -> ChatMessage:
            last = agent.memory.steps[-1]
            call = script.turn(getattr(last, "observations", None))
            name, arguments = ("final_answer", {"answer": "done"}) if call is None else (call.name, call.arguments)
            function = ChatMessageToolCallFunction(name=name, arguments=arguments)
            id = "end" if call is None else call.id
            return ChatMessage(
                role="assistant",
                content="",
                tool_calls=[ChatMessageToolCall(function=function, id=id, type="function")],
            )

    tool = TerminalTool()
    agent = ToolCallingAgent(tools=[tool], model=Scripting(), verbosity_level=0, max_steps=50)
    await asyncio.to_thread(agent.run, "go")
    tool.close()


class Smol(Scripted):
    """The output, an empty line and how the command stands, in brackets."""

    def _call(self, command: str, wait: float) -> Reply:
        text = self.script.call("terminal", command=command, wait=wait)
        # The agent strips what a tool answers: with no output, the bracket is its beginning.
        output, _, standing = f"\n{text}".rpartition("\n[")
        code = re.match(r"finished, exit code (\d+)\]", standing)
        is_open = standing.startswith(("waiting", "running"))
        return Reply(output[1:] if code else text, int(code[1]) if code else None, is_open)

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        return self._call(command, timeout)

    def type(self, text: str) -> Reply:
        return self._call(text, USUAL)

    def stop(self) -> Reply:
        return self._call("C-c", USUAL)


def smolagents() -> Mapping[str, Callable[[], Shell]]:
    return {"truetty": lambda: Smol(_smolagents_run)}


SHELLS: dict[str, Callable[[], Mapping[str, Callable[[], Shell]]]] = {
    "acp": acp,
    "harbor": harbor,
    "smolagents": smolagents,
}
