"""The commands that a service has started, by their ids and by the keys of the requests that started them.

Rule 1: a request is never carried out twice: one that comes again with the same key gets the command of the first.
Rule 2: of a terminal that the registry has forgotten nothing is kept but ids, so that its transcript can go.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import astuple, dataclass
from typing import Final

from truetty.core import kinds
from truetty.core.errors import Misuse, UnknownTerminal
from truetty.service.move import Move
from truetty.service.registry import Registry, unknown
from truetty.terminal.command import Command
from truetty.text.quoting import excerpt

# Requests that a client may repeat after a lost connection. Older ones were answered long ago.
MOST_REQUESTS: Final = 1000
# How many commands can be asked for by their ids; the terminals of older ones still have the output.
MOST_COMMANDS: Final = 1000


@dataclass(frozen=True, slots=True)
class StartRequest:
    """What a request asks to be started: the same key must ask for the same."""

    command: str
    terminal: str | None
    cwd: str | None
    task: str | None
    shell: str | None
    outside: bool = False

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(repr(astuple(self)).encode("utf-8", "surrogatepass")).digest()


# Starts what a request with this key asks for, or gives what was started for it.
Once = Callable[[str, StartRequest, Callable[[], Coroutine[object, object, Command]]], Awaitable[Command]]


@dataclass(slots=True)
class _Request:
    digest: bytes
    excerpt: str
    starting: asyncio.Task[Command] | None  # until it has started
    command_id: str | None = None  # from then on


@dataclass(frozen=True, slots=True)
class _Started:
    command: Command
    agent: str | None
    move: Move | None


class Commands:
    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._forgotten = 0  # terminals, when the last one was added
        self._started: dict[str, _Started] = {}
        self._requests: dict[str, _Request] = {}

    def add(self, command: Command, agent: str | None, move: Move | None) -> None:
        if (forgotten := self._registry.forgotten) != self._forgotten:
            self._forgotten, find = forgotten, self._registry.find
            self._started = {id: one for id, one in self._started.items() if find(one.command.terminal_id)}
        self._started[command.id] = _Started(command, agent, move)
        if len(self._started) > MOST_COMMANDS:
            del self._started[next(iter(self._started))]

    def find(self, id: str) -> Command:
        """By its own id, or by its terminal's: then the last one there."""
        if id in self._started:
            return self._started[id].command
        try:
            terminal = self._registry.get(id)
        except UnknownTerminal as error:
            complaint = f"no command or terminal {kinds.quoted(id)};"
            raise unknown(complaint, id, self._registry.list()) from error
        if terminal.command is None:
            raise Misuse(f"nothing has run in terminal {id} yet", terminal_id=id)
        return terminal.command

    def all(self) -> list[Command]:
        """The oldest first. Those of terminals that the registry has forgotten are not among them."""
        find = self._registry.find
        return [one.command for one in self._started.values() if find(one.command.terminal_id)]

    def agent_of(self, command: Command, otherwise: str | None) -> str | None:
        """The agent that has started it; `otherwise` for one that was started by no service."""
        return self._started[command.id].agent if command.id in self._started else otherwise

    def move_of(self, command: Command) -> Move | None:
        """That it was started in another terminal than its task's last one."""
        return self._started[command.id].move if command.id in self._started else None

    async def start_once(
        self, key: str, wanted: StartRequest, start: Callable[[], Coroutine[object, object, Command]]
    ) -> Command:
        request = self._requests.get(key)
        if request is None:
            # A task of its own: the caller that came first may be cancelled, and one that comes again must not be.
            starting = asyncio.ensure_future(start())
            request = self._requests[key] = _Request(wanted.digest, excerpt(wanted.command), starting)
            starting.add_done_callback(lambda done: self._settle(key, done))
            if len(self._requests) > MOST_REQUESTS:
                del self._requests[next(iter(self._requests))]
        elif request.digest != wanted.digest:
            raise Misuse(f"request {key!r} was another one: {request.excerpt!r}", key=key, command=wanted.command)
        if request.starting is not None:
            return await asyncio.shield(request.starting)
        assert request.command_id is not None
        return self.find(request.command_id)

    def cancel(self) -> None:
        """Nothing that is being started starts any more."""
        for request in self._requests.values():
            if request.starting is not None:
                request.starting.cancel()

    def _settle(self, key: str, done: asyncio.Task[Command]) -> None:
        request = self._requests.get(key)
        if request is None or request.starting is not done:
            return
        if done.cancelled() or done.exception() is not None:
            del self._requests[key]  # nothing has run: it may be tried again
        else:
            request.starting, request.command_id = None, done.result().id
