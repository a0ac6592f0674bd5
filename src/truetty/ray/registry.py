"""The registry of a Ray cluster. Names, arguments and meanings are those of `truetty.Registry`.

Rule 1: a new terminal is opened on the host with the most room. Hosts that are full refuse: only if all of them do, the
        caller is refused.
Rule 2: the hosts are this object's own. They end with it, and their terminals too; also if this program is killed.
Rule 3: a host that is lost makes its commands `lost` and closes its terminals. Nothing is run again.
"""

from __future__ import annotations

import asyncio
import builtins
import itertools
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Mapping
from typing import Any, Final, Self, Unpack

from truetty.batch.map import Map, MapArguments, Tasks, map_by
from truetty.client.command import Command
from truetty.client.listener import Listener, state
from truetty.client.registry import Registry
from truetty.client.terminal import Terminal
from truetty.core import kinds
from truetty.core.checks import check_count
from truetty.core.errors import ChannelLost, HostError, LimitReached, Misuse, UnknownTerminal
from truetty.host.wall import Sandbox
from truetty.ray import placing
from truetty.ray.members import Member, Members
from truetty.ray.reserving import Reserved, free, reserve
from truetty.ray.tunnel import Pump
from truetty.service.reuse import Limits
from truetty.service.seat_request import Directory
from truetty.terminal.options import Making, ShellName

TERMINALS: Final = 100
MOST_TERMINALS: Final = 1000  # of one host: a connection has no more calls that wait
MOST_NAMED: Final = 10  # ids in a refusal


class Cluster:
    """`async with truetty.ray.cluster() as registry: terminal = await registry.open("bash")`."""

    def __init__(
        self,
        address: str | None,
        terminals_per_node: int,
        resources: Mapping[str, float] | None,
        runtime_env: Mapping[str, Any] | None,
    ) -> None:
        check_count("terminals_per_node", terminals_per_node)
        if terminals_per_node > MOST_TERMINALS:
            message = f"a node has at most {MOST_TERMINALS:,} terminals, not {terminals_per_node:,}"
            raise Misuse(message, name="terminals_per_node", value=terminals_per_node)
        self._address = address
        self._terminals = terminals_per_node
        self._resources = resources
        self._runtime_env = runtime_env
        self._attached = False
        self._pump: Pump | None = None
        self._members: Members | None = None
        self._numbers = itertools.count()
        self._order: weakref.WeakKeyDictionary[Terminal, int] = weakref.WeakKeyDictionary()  # of opening
        # Of those that `acquire` has given without a task: their last command at that moment.
        self._lent: weakref.WeakKeyDictionary[Terminal, Command | None] = weakref.WeakKeyDictionary()
        self._listeners: weakref.WeakSet[Listener] = weakref.WeakSet()

    async def __aenter__(self) -> Self:
        if self._members is not None:
            raise Misuse("this cluster is open already")
        self._attached = await asyncio.to_thread(placing.attach, self._address)
        try:
            found = await asyncio.to_thread(placing.nodes)
            demand = placing.demand(found, self._terminals, self._resources, self._runtime_env)
            fit = placing.fitting(found, demand)
            self._pump = Pump()
            self._members = Members(demand, self._pump, self._on_join)
            await self._members.begin(fit)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        hosts = len(self.hosts) if self._members is not None else 0
        return f"<Cluster of {hosts} hosts: {', '.join(map(repr, self.list())) or 'empty'}>"

    # -- what is there

    @property
    def hosts(self) -> tuple[Member, ...]:
        """Those that answer, one for each node."""
        return tuple(self._opened.present)

    def get(self, id: str) -> Terminal:
        """The terminal with this id or name; also one whose shell has ended, for its output can still be read."""
        if not isinstance(id, str):
            raise Misuse(f"a terminal has an id or a name, which are texts; got {id!r}", terminal_id=id)
        for member in (*self._opened.present, *self._opened.past):
            if (found := member.registry.find(id)) is not None:
                return found
        for member in self._opened.present:
            try:
                return member.registry.get(id)
            except UnknownTerminal:
                continue
        known = [one.id for one in self.list()[:MOST_NAMED]]
        message = f"no terminal {kinds.quoted(id)}; open: {', '.join(known) or 'none'}"
        raise UnknownTerminal(message, terminal_id=id, known=known)

    def list(self) -> builtins.list[Terminal]:
        """Those that are open, in the order in which they were opened."""
        found = [one for member in self._opened.present for one in member.registry.list()]
        return sorted(found, key=lambda one: self._order.get(one, len(self._order)))

    @property
    def completed(self) -> tuple[Command, ...]:
        """Finished commands with unread output, oldest first on each host. Reading the output takes a command out."""
        return tuple(one for member in self.hosts for one in member.registry.completed)

    @property
    def limits(self) -> Limits:
        """Terminals in all, and for each task on one host."""
        return Limits(sum(member.limit for member in self.hosts), self._some.limits.per_task)

    @property
    def idle(self) -> float | None:
        """Seconds after which an unused terminal is closed; None: never."""
        return self._some.idle

    @property
    def warm(self) -> int:
        """How many shells are ready that no caller has got yet."""
        return sum(member.registry.warm for member in self.hosts)

    @property
    def sandbox(self) -> Sandbox | None:
        """In which terminals are unless something else is asked for."""
        return self._some.sandbox

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """What happens on all hosts, from now on. Each host counts its events (`seq`) in an `epoch` of its own."""
        listener = Listener(lambda: state(self.list()))
        self._listeners.add(listener)
        for member in self.hosts:
            member.registry.listen(listener)
        while True:
            yield await listener.next()

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

        def make(there: Registry) -> Awaitable[Terminal]:
            return there.open(shell, cwd=cwd, task=task, inherited=inherited, **arguments)

        return await self._place(make, self._by_room)

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

        A task stays on the host of its first terminal, as long as there is room. The arguments are those of
        `truetty.Registry.acquire`.
        """
        more: dict[str, Any] = {"task": task, "require_cwd": require_cwd, "shell": shell, "inherited": inherited}

        def make(there: Registry) -> Awaitable[Terminal]:
            return there.acquire(cwd, caller=caller, **more, **arguments)

        def order() -> Iterable[Member]:
            wanted = self._is_free if task is None else lambda one: one.task == task
            return sorted(self._by_room(), key=lambda one: not any(map(wanted, one.registry.list())))

        found = await self._place(make, order)
        if task is None:
            self._lent[found] = found.command
        return found

    def map(self, tasks: Tasks, **arguments: Unpack[MapArguments]) -> Map:
        """Run tasks, so many at once, each in a new terminal: `async for result in registry.map(tasks)`.

        The arguments are those of `truetty.Registry.map`. `resources` of a task are taken of the node on which it runs,
        for as long as it runs.
        """
        return map_by(self.open, tasks, arguments, open_with=self._open_with)

    def release(self, task: str | Terminal, *, caller: object = None) -> builtins.list[Terminal]:
        """Let go of all terminals of a task; or of one terminal, which its task keeps if it has one."""
        if isinstance(task, Terminal):
            self._lent.pop(task, None)
            self._lent[task] = None
            holders = [one for one in self.hosts if one.registry.find(task.id) is task]
        else:
            holders = builtins.list(self.hosts)
        return [one for member in holders for one in member.registry.release(task, caller=caller)]

    async def close(self) -> None:
        """End the hosts, and every terminal with them. Safe to call twice."""
        members, self._members = self._members, None
        if members is not None:
            await members.close()
        for listener in self._listeners:
            listener.end()
        if self._pump is not None:
            await self._pump.stop()
            self._pump = None
        if self._attached:
            self._attached = False
            await asyncio.to_thread(placing.detach)

    # -- inside

    @property
    def _opened(self) -> Members:
        if self._members is None:
            raise Misuse('the cluster is not open: write "async with truetty.ray.cluster(…) as registry"')
        return self._members

    @property
    def _some(self) -> Registry:
        if not self.hosts:
            raise ChannelLost("no host of the cluster is left", reason="no host")
        return self.hosts[0].registry

    def _on_join(self, member: Member) -> None:
        for listener in self._listeners:
            member.registry.listen(listener)

    def _by_room(self) -> Iterable[Member]:
        return sorted(self.hosts, key=lambda one: -one.room)

    def _is_free(self, terminal: Terminal) -> bool:
        """Whether a caller without a task may get it, as far as is known here."""
        if terminal not in self._lent or terminal.busy or terminal.task is not None:
            return False
        before = self._lent[terminal]
        return before is None or terminal.command is not before

    async def _open_with(self, resources: Mapping[str, float], making: dict[str, Any]) -> Reserved:
        """A terminal on a node of which these are taken, until it is closed."""
        group, node = await reserve(lambda: self.hosts, self._opened.demand.resources, resources)

        def order() -> Iterable[Member]:
            found = [one for one in self.hosts if one.node.id == node]
            if not found:
                message = "the host on the node that Ray has chosen was lost. Nothing was sent."
                raise ChannelLost(message, reason="no host")
            return found

        try:
            return Reserved(await self._place(lambda there: there.open(**making), order), group)
        except BaseException:
            await asyncio.shield(free(group))
            raise

    async def _place(
        self, make: Callable[[Registry], Awaitable[Terminal]], order: Callable[[], Iterable[Member]]
    ) -> Terminal:
        full: set[Member] = set()
        while True:
            member = next((one for one in order() if one not in full), None)
            if member is None:
                if not self.hosts and self._opened.joining:
                    await self._opened.until_change()
                    continue
                raise self._refusal(full)
            member.opening += 1
            try:
                found = await make(member.registry)
            except LimitReached:
                full.add(member)
                continue
            except ChannelLost:
                if member.loss is None:
                    raise
                continue  # nothing of the caller's has run: another host opens it
            finally:
                member.opening -= 1
            self._order[found] = next(self._numbers)
            return found

    def _refusal(self, full: set[Member]) -> HostError:
        if not full:
            past = [f"{one.tunnel.where}: {one.loss}" for one in self._opened.past[-MOST_NAMED:]]
            return HostError(f"no host of the cluster is left ({'; '.join(past)})", reason="no host")
        limit = sum(one.limit for one in full)
        hosts = "1 host" if len(full) == 1 else f"{len(full)} hosts"
        message = f"there are {limit:,} terminals already on {hosts} (the limit)"
        return LimitReached(f"{message}: close some, or give the cluster more nodes", limit="terminals", value=limit)


class Clustering:
    """What `cluster` gives: await it, or use it in `async with`."""

    def __init__(self, made: Cluster) -> None:
        self._cluster: Final = made

    def __await__(self) -> Generator[Any, None, Cluster]:
        return self._cluster.__aenter__().__await__()

    async def __aenter__(self) -> Cluster:
        return await self._cluster.__aenter__()

    async def __aexit__(self, *exception: object) -> None:
        await self._cluster.close()


def cluster(
    address: str | None = None,
    *,
    terminals_per_node: int = TERMINALS,
    resources: Mapping[str, float] | None = None,
    runtime_env: Mapping[str, Any] | None = None,
) -> Clustering:
    """Terminals on the nodes of a Ray cluster: `async with truetty.ray.cluster() as registry`.

    `address` is what `ray.init` takes; None: the cluster of `RAY_ADDRESS` or of this machine, or the one that this
    program has joined already. On each node that fits there is one host, with `terminals_per_node` terminals at most.
    `resources` is what each host takes of its node, such as `{"CPU": 1, "terminals": 100}`. Without it, a host takes
    `terminals_per_node` of a resource named `terminals` where nodes offer one, and nothing elsewhere. `runtime_env` is
    Ray's: the variables in it are those of the shells too.
    """
    return Clustering(Cluster(address, terminals_per_node, resources, runtime_env))
