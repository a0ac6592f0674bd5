"""The registry of a server. Names, arguments and meanings are those of `truetty.Registry`.

Rule 1: its terminals are the server's: other programs see them too, and they go on when the connection is closed.
Rule 2: a caller is the asyncio task that calls, as locally. Two connections are two callers.
"""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import itertools
import weakref
from collections.abc import AsyncIterator, Generator, Mapping
from typing import Any, Final, Self, Unpack

from truetty.batch.map import Map, MapArguments, Tasks, map_by
from truetty.client.command import Command
from truetty.client.dial import Address, Where, address
from truetty.client.link import Again, Link
from truetty.client.listener import Listener, state
from truetty.client.making import making_fields
from truetty.client.mirror import Mirror
from truetty.client.terminal import Terminal
from truetty.core.errors import Misuse, TruettyError
from truetty.host.wall import Sandbox
from truetty.server import forms
from truetty.service.reuse import Limits
from truetty.service.seat_request import Directory
from truetty.terminal.options import Making, ShellName


class Registry:
    """`async with truetty.connect() as registry: terminal = await registry.open("bash", name="build")`."""

    def __init__(self, where: Address) -> None:
        self._address = where
        self._mirror = Mirror()
        self._link: Link | None = None
        self._listeners: weakref.WeakSet[Listener] = weakref.WeakSet()
        self._callers: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        self._numbers = itertools.count(1)
        self._free_callers: list[str] = []  # names of callers that are over

    async def __aenter__(self) -> Self:
        if self._link is not None:
            raise Misuse(f"this connection to {self._address.where} is open already")
        link = self._link = Link(self._address, self._hear, self._mirror.settle)
        self._mirror.join(link)
        try:
            await link.open()
        except BaseException:
            await link.close()
            raise
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<Registry at {self._address.where}: {', '.join(map(repr, self.list())) or 'empty'}>"

    # -- what is there

    def get(self, id: str) -> Terminal:
        """The terminal with this id or name; also one whose shell has ended, for its output can still be read."""
        if not isinstance(id, str):
            raise Misuse(f"a terminal has an id or a name, which are texts; got {id!r}", terminal_id=id)
        found = self.find(id)
        if found is None:
            found = self._mirror.terminal(self._opened.ask("show", forms.TerminalForm, {"terminal_id": id}))
        return found

    def find(self, id: str) -> Terminal | None:
        """The same, of those that are known here: the server is not asked."""
        return self._mirror.find(id)

    def list(self) -> builtins.list[Terminal]:
        """Those that are open, in the order in which they were opened."""
        return self._mirror.list()

    @property
    def completed(self) -> tuple[Command, ...]:
        """Finished commands with unread output, oldest first. Reading the output takes a command out."""
        found = self._opened.ask("completed", forms.Commands, {}).commands
        return tuple(map(self._mirror.command, found))

    @property
    def limits(self) -> Limits:
        """Terminals in all, and for each task."""
        found = self._standing
        return Limits(found.limit, found.per_task)

    @property
    def idle(self) -> float | None:
        """Seconds after which an unused terminal is closed; None: never."""
        return self._standing.idle

    @property
    def warm(self) -> int:
        """How many shells are ready that no caller has got yet."""
        return self._standing.warm

    @property
    def sandbox(self) -> Sandbox | None:
        """In which terminals are unless something else is asked for."""
        return Sandbox.of(self._standing.sandbox)

    def status(self) -> forms.Status:
        """How the server stands: its process, its limits, what runs."""
        return self._opened.ask("status", forms.Status, {})

    @property
    def _standing(self) -> forms.RegistryForm:
        return self.status().registry

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """What happens on the server, from now on: `async for event in registry.events()`.

        An event is what `/v1/events` gives: its kind is `event["event"]`. After a cut it goes on where it was, or with
        a `reset`, which has everything as it stands.
        """
        listener = Listener(self._state)
        self.listen(listener)
        with self._opened.watching():
            while True:
                yield await listener.next()

    def listen(self, listener: Listener) -> None:
        """It gets every event from now on, as long as its owner holds it."""
        self._listeners.add(listener)

    def lose(self, note: str) -> None:
        """The server is gone for good: what ran there is lost, with this note, and its terminals are closed."""
        self._mirror.lose(note)
        self._opened.hang_up()

    # -- taking and giving back

    async def open(
        self,
        shell: ShellName = None,
        *,
        cwd: Directory = None,
        task: str | None = None,
        inherited: Mapping[str, str] | None = None,
        **arguments: Unpack[Making],
    ) -> Terminal:
        """A new terminal, which is the caller's until it is closed. The arguments are those of `acquire`."""
        return await self._make("open", shell, cwd, task, inherited, arguments, {})

    async def acquire(
        self,
        cwd: Directory = None,
        *,
        task: str | None = None,
        require_cwd: bool = False,
        shell: ShellName = None,
        caller: object = None,
        inherited: Mapping[str, str] | None = None,
        **arguments: Unpack[Making],
    ) -> Terminal:
        """A terminal in `cwd` that no other caller uses: one of the task's, a free one, or a new one.

        An idle one elsewhere is taken there, unless `require_cwd`. Without `cwd` a task gets its own as it left it.
        `caller` tells callers of one task apart. `inherited` are the variables that a new terminal inherits, in place
        of this program's. Everything `Terminal` takes may be named; what is not is as the server makes its terminals.
        """
        more = {"require_cwd": require_cwd, "caller": self._name_of(caller)}
        return await self._make("acquire", shell, cwd, task, inherited, arguments, more)

    async def _make(
        self,
        verb: str,
        shell: ShellName,
        cwd: Directory,
        task: str | None,
        inherited: Mapping[str, str] | None,
        arguments: Making,
        more: dict[str, Any],
    ) -> Terminal:
        is_here = self._address.is_here
        fields = {**making_fields(shell, cwd, task, arguments, inherited, is_here=is_here), **more}
        if verb == "acquire" and cwd is None and task is not None:
            fields.pop("cwd", None)  # a task gets its own, as it left it
        making = asyncio.ensure_future(self._opened.call(verb, forms.TerminalForm, fields, Again.ONCE))
        try:
            form = await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(self._give_back if verb == "acquire" else self._end)
            raise
        made = self._mirror.terminal(form)
        callback = arguments.get("on_waiting")
        if callback is not None:
            made.answer_by(callback)
        return made

    def _end(self, making: asyncio.Future[forms.TerminalForm]) -> None:
        """Its caller was cancelled before it was open."""
        if not making.cancelled() and making.exception() is None:
            self._opened.post("close", {"terminal_id": making.result().id, "exact": True})

    def _give_back(self, making: asyncio.Future[forms.TerminalForm]) -> None:
        if not making.cancelled() and making.exception() is None:
            self._opened.post("release", {"terminal": making.result().id})

    def map(self, tasks: Tasks, **arguments: Unpack[MapArguments]) -> Map:
        """Run tasks, so many at once, each in a new terminal: `async for result in registry.map(tasks)`.

        A task is a `truetty.Task`, or a mapping with its names: `{"id": "1", "commands": ["make", "make test"]}`. Its
        commands run one after the other until one fails. `at_once` tasks run at the same time. `out` is a file of
        results: a second run goes on from it. A task whose result is one of `retry` (states, or a function) is begun
        up to `attempts` times. `again`: so are tasks that an earlier run has begun and not finished. `on_start` is
        called when a task's terminal is open. The rest is what terminals are made with.

        With `out`, terminals that a run with this file has left on the server, for it was killed, are ended first.
        """
        return map_by(self.open, tasks, arguments, end_named=self._end_named)

    async def _end_named(self, beginning: str) -> None:
        async def end(terminal: Terminal) -> None:
            with contextlib.suppress(TruettyError):  # it has ended meanwhile, or the next call says what is wrong
                await terminal.close()

        await asyncio.gather(*(end(one) for one in self.list() if (one.name or "").startswith(beginning)))

    def release(self, task: str | Terminal, *, caller: object = None) -> builtins.list[Terminal]:
        """Let go of all terminals of a task; or of one terminal, which its task keeps if it has one.

        Nothing is closed, and what runs goes on. A terminal that another caller was given meanwhile is left alone.
        """
        if isinstance(task, Terminal):
            self._opened.post("release", {"terminal": task.id, "caller": self._name_of(caller)})
            return [task]
        if task is None:
            return []
        released = self._opened.ask("release", forms.Terminals, {"task": task}).terminals
        for form in released:
            self._mirror.terminal(form).stand(form)
        return [self._mirror.terminal(form) for form in released]

    async def close(self) -> None:
        """Close the connection. The terminals are the server's, and go on. Safe to call twice."""
        if self._link is not None:
            await self._link.close()
        for listener in self._listeners:
            listener.end()

    # -- inside

    @property
    def _opened(self) -> Link:
        if self._link is None:
            how = 'write "async with truetty.connect(…) as registry" or "registry = await truetty.connect(…)"'
            raise Misuse(f"the connection to {self._address.where} is not open: {how}")
        return self._link

    def _hear(self, event: dict[str, Any]) -> None:
        self._mirror.on_event(event)
        for listener in self._listeners:
            listener.add(event)

    def _state(self) -> dict[str, Any]:
        return state(self.list())

    def _name_of(self, caller: object) -> str:
        """What the server knows this caller by. The name of one that is over is given to another."""
        who = asyncio.current_task() if caller is None else caller
        if isinstance(who, str):
            return f"named {who}"
        if who not in self._callers:
            self._callers[who] = name = self._free_callers.pop() if self._free_callers else f"c{next(self._numbers)}"
            weakref.finalize(who, self._free_callers.append, name).atexit = False
        return self._callers[who]


class Connecting:
    """What `connect` gives: await it, or use it in `async with`."""

    def __init__(self, where: Where, token: str | None) -> None:
        self._registry: Final = Registry(address(where, token))

    def __await__(self) -> Generator[Any, None, Registry]:
        return self._registry.__aenter__().__await__()

    async def __aenter__(self) -> Registry:
        return await self._registry.__aenter__()

    async def __aexit__(self, *exception: object) -> None:
        await self._registry.close()


def connect(where: Where = None, *, token: str | None = None) -> Connecting:
    """The registry of a server: `async with truetty.connect() as registry`, or `registry = await truetty.connect()`.

    `where` is one of:

    - None: your own server on this machine, which is started if need be
    - `"unix:PATH"`: the one that listens on this socket
    - `"ssh://user@host"`: the one of another machine, by your ssh; truetty must be installed there
    - a list of words that run `truetty dial` where the server is: `["docker", "exec", "-i", "box", "truetty", "dial"]`
    - `"http://host:port"`: one that listens on a TCP port, with its `token`
    """
    return Connecting(where, token)
