"""The hosts of a cluster: one on each node that fits, each with the client of its server.

Rule 1: a host that is lost is taken out at once: what ran there is lost, and its worker is ended.
Rule 2: a node that fits and has no host gets one: after a loss at once, otherwise when it is seen (`LOOK_SECONDS`).
        A node on which none could be started is tried again after `RETRY_SECONDS`.
Rule 3: no terminal is moved, and no command is sent to another host.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final

from truetty.client.registry import Registry
from truetty.core.errors import HostError
from truetty.ray import placing
from truetty.ray.host import END_SECONDS, Birth, pause
from truetty.ray.placing import Demand, Node
from truetty.ray.tunnel import Pump, Tunnel, answer, described

LOG: Final = logging.getLogger("truetty.ray")
NUMBERS: Final = 100_000  # of terminals, for each host: the first has t1, the second t100001
BUSY_SECONDS: Final = 10.0  # after so long, resources that are in use are taken for lasting
START_SECONDS: Final = 120.0  # for a worker process and a server, on a busy machine
LOOK_SECONDS: Final = 10.0
RETRY_SECONDS: Final = 60.0
MOST_REASONS: Final = 5  # in an error
MOST_PAST: Final = 100  # lost hosts whose terminals are still known


class Member:
    """One host."""

    def __init__(self, node: Node, actor: Any, birth: Birth, tunnel: Tunnel, limit: int) -> None:
        self.node: Final = node
        self.pid: Final = birth.pid  # of its Ray worker
        self.actor: Final = actor
        self.life: Final = birth.life
        self.tunnel: Final = tunnel
        self.registry: Final = Registry(tunnel)
        self.limit: Final = limit  # terminals
        self.opening = 0  # terminals
        self.loss: str | None = None  # why it is lost

    @property
    def room(self) -> int:
        return self.limit - len(self.registry.list()) - self.opening

    def __repr__(self) -> str:
        return f"<Host on {self.node.name} ({self.node.id[:8]}){f' lost: {self.loss}' if self.loss else ''}>"


class Members:
    """`on_join` is called with each new one."""

    def __init__(self, demand: Demand, pump: Pump, on_join: Callable[[Member], None]) -> None:
        self.demand: Final = demand
        self._pump = pump
        self._on_join = on_join
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count()
        self._failed: dict[str, float] = {}  # when, by node
        self._reasons: deque[str] = deque(maxlen=MOST_REASONS)  # why hosts could not be started
        self._look = asyncio.Event()
        self._joins: set[asyncio.Task[None]] = set()
        self._burials: set[asyncio.Task[None]] = set()
        self._tending: asyncio.Task[None] | None = None
        self.present: list[Member] = []
        self.past: list[Member] = []
        self.joining = 0

    async def begin(self, found: list[Node]) -> None:
        """One on each of these nodes. Raises HostError where none can be started."""
        await asyncio.gather(*map(self._join, found))
        if not self.present:
            raise HostError(f"no host of terminals could be started: {'; '.join(self._reasons)}", reason="no host")
        self._tending = asyncio.ensure_future(self._tend())

    async def close(self) -> None:
        """Every host, in order first. Comes back when nothing of their terminals is left."""
        if self._tending is not None:
            self._tending.cancel()
        for join in self._joins:
            join.cancel()
        while tasks := self._joins | self._burials:
            await asyncio.wait(tasks)
        await asyncio.gather(*map(self._end, self.present))

    async def until_change(self) -> None:
        """One that is being started has joined, or failed."""
        if self._joins:
            await asyncio.wait(self._joins, return_when=asyncio.FIRST_COMPLETED)

    # -- joining

    async def _tend(self) -> None:
        while True:
            await pause(LOOK_SECONDS, self._look)
            self._look.clear()
            with contextlib.suppress(Exception):  # Ray's head does not answer, or no node fits: the next look may do
                found = placing.fitting(await asyncio.to_thread(placing.nodes), self.demand)
                for node in filter(self._wants_host, found):
                    self._failed[node.id] = time.monotonic()
                    _keep(self._joins, self._join(node))

    def _wants_host(self, node: Node) -> bool:
        tried = self._failed.get(node.id, -RETRY_SECONDS)
        has_one = any(one.node.id == node.id for one in self.present)
        return not has_one and time.monotonic() - tried > RETRY_SECONDS

    async def _join(self, node: Node) -> None:
        self.joining += 1
        try:
            member = await self._start(node)
            if member.loss is not None:
                raise HostError(f"{member.tunnel.where} was lost at its start: {member.loss}", reason=member.loss)
        except Exception as error:
            self._failed[node.id] = time.monotonic()
            self._reasons.append(described(error))
            return
        finally:
            self.joining -= 1
        self._failed.pop(node.id, None)
        self.present.append(member)
        self._on_join(member)

    async def _start(self, node: Node) -> Member:
        await self._until_free(node)
        last = NUMBERS * next(self._numbers)
        actor = await asyncio.to_thread(placing.make, node, self.demand, last)
        try:
            birth = await self._born(actor, node)
            placing.check(birth, node)
            where = f"the host on {node.name} ({node.id[:8]})"
            tunnel = Tunnel(where, actor, birth.life, self._pump, lambda *loss: self._hear(member, *loss))
            member = Member(node, actor, birth, tunnel, self.demand.terminals)
            await self._pump.do(tunnel.begin())
            await member.registry.__aenter__()
            return member
        except BaseException:
            await asyncio.to_thread(placing.end, actor)
            raise

    async def _until_free(self, node: Node) -> None:
        """Ray would start a host when there is room, and say nothing until then."""
        until, told = time.monotonic() + BUSY_SECONDS, False
        while (lacking := await asyncio.to_thread(placing.lacking, node, self.demand)) is not None:
            if time.monotonic() >= until:
                raise HostError(f"{node.name}: {lacking}", reason="in use", node=node.name)
            if not told:
                self._say("%s: %s: waiting for it, %.0f s at most", node, lacking, BUSY_SECONDS)
                told = True
            await pause(1.0)

    async def _born(self, actor: Any, node: Node) -> Birth:
        birth: asyncio.Future[Birth] = answer(actor.begin.remote())
        if not (await asyncio.wait([birth], timeout=BUSY_SECONDS))[0]:
            self._say("%s: waiting for Ray to start a worker there, %.0f s at most", node, START_SECONDS)
            await asyncio.wait([birth], timeout=START_SECONDS - BUSY_SECONDS)
        if birth.done():
            return birth.result()
        message = f"{node.name}: Ray has not started a host in {START_SECONDS:.0f} s; what it takes may be in use there"
        raise HostError(message, reason="not started", node=node.name)

    def _say(self, message: str, *values: object) -> None:
        """What is waited for: a warning while the caller waits for the cluster, and for its log later."""
        LOG.log(logging.WARNING if self._tending is None else logging.INFO, message, *values)

    # -- leaving

    def _hear(self, member: Member, why: str, may_go_on: bool) -> None:
        """In the pump's thread."""
        self._loop.call_soon_threadsafe(self._lose, member, why, may_go_on)

    def _lose(self, member: Member, why: str, may_go_on: bool) -> None:
        member.loss = why
        more = " What it had started may go on for some seconds." if may_go_on else ""
        member.registry.lose(f"{member.tunnel.where} was lost: {why}.{more}")
        if member in self.present:
            self.present.remove(member)
            self.past = [*self.past, member][-MOST_PAST:]
        _keep(self._burials, self._bury(member))

    async def _bury(self, member: Member) -> None:
        with contextlib.suppress(Exception):  # it is dead already
            await asyncio.to_thread(placing.end, member.actor)
        self._look.set()

    async def _end(self, member: Member) -> None:
        await member.registry.close()
        await self._pump.do(member.tunnel.end())
        with contextlib.suppress(Exception):  # it has died meanwhile, which is what is wanted
            async with asyncio.timeout(END_SECONDS):
                await answer(member.actor.end.remote(member.life))
        with contextlib.suppress(Exception):
            await asyncio.to_thread(placing.end, member.actor)


def _keep(tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> None:
    """As a task of this set until it is over."""
    task = asyncio.ensure_future(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
