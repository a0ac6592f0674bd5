"""Terminals for many callers: reused by task and directory, opened when none fits, limited in number.

Rule 1: who gets what is decided in one synchronous method (`_choose`, on values, by `reuse.py`), and the terminal is
        reserved there; everything that takes time comes after. So two callers never get the same one.
Rule 2: with a task, a terminal belongs to the task until `release(task)`, and to the caller (the asyncio task) who got
        it until its next command has ended; who asks again before that gets the same terminal. Without a task it is
        free again when its next command has ended, or by `release(terminal)`.
Rule 3: an id stays valid when its shell has ended, for as long as the terminal is remembered.
Rule 4: whatever goes wrong while a terminal is made ready (a cancelled caller too), it is given back or closed.
Rule 5: one timer, for the terminal that has been unused the longest. Nothing is closed in which something runs.
"""

from __future__ import annotations

import asyncio
import builtins
import os
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf
from types import TracebackType
from typing import Final, Self, Unpack, assert_never

from truetty.core.errors import Closed, LimitReached, Misuse, SpawnFailed, TruettyError, UnknownTerminal
from truetty.service import reuse
from truetty.service.defaults import terminal_arguments
from truetty.service.reuse import Limits, Open, Refuse, Reuse
from truetty.service.seat import Defaults, Make, Order, Place, Seat, ShellName
from truetty.settings import Settings
from truetty.terminal.command import Command
from truetty.terminal.options import Making
from truetty.terminal.terminal import Terminal
from truetty.text.digest import REST

# A machine has a few thousand ptys for everyone; an agent that needs a hundred terminals has lost count.
LIMIT: Final = 100
# Terminals whose shell has ended are remembered, with up to a megabyte of output each in memory.
REMEMBERED: Final = 32
# Commands whose output nobody has read. They keep their terminal's transcript alive.
UNREAD: Final = 100


class Registry:
    """`async with Registry(limit=20) as registry: terminal = await registry.acquire("/project", task="fix")`.

    `limit` terminals at most, `per_task` of them for one task; one that was not used for `idle` seconds is closed, held
    or not; `warm` shells are kept ready for callers to come. The rest is what terminals are made with by default.
    """

    def __init__(
        self,
        *,
        limit: int | None = LIMIT,
        per_task: int | None = None,
        idle: float | None = None,
        warm: int = 0,
        shell: ShellName = None,
        cwd: Place = None,
        make: Make | None = None,
        **defaults: Unpack[Making],
    ) -> None:
        for name, value in (("limit", limit), ("per_task", per_task), ("idle", idle)):
            if value is not None and not value > 0:
                raise Misuse(f"{name} is more than 0, or None for no limit; not {value!r}", name=name, value=value)
        if warm < 0:
            raise Misuse(f"warm is a number of shells, not {warm!r}", name="warm", value=warm)
        self.limits: Final = Limits(limit, per_task)
        self.idle: Final = idle
        self._warm = warm
        self._defaults = Defaults(shell, os.path.abspath(cwd) if cwd is not None else None, defaults)
        self._make: Make = make or Terminal
        self._seats: builtins.list[Seat] = []
        self._past: dict[str, Terminal] = {}  # their shells have ended
        self._finished: deque[Command] = deque(maxlen=UNREAD)
        self._announced: frozenset[str] = frozenset()
        self._timer: asyncio.TimerHandle | None = None
        self._enders: set[asyncio.Task[None]] = set()
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    def from_settings(cls, settings: Settings, *, rest: str = REST) -> Self:
        """`rest` says where to read what an outcome leaves out, for whoever reads it."""
        return cls(
            limit=settings.terminals,
            per_task=settings.per_task,
            idle=settings.idle,
            warm=settings.warm,
            shell=settings.shell,
            cwd=settings.workspace,
            **terminal_arguments(settings, rest),
        )

    async def __aenter__(self) -> Self:
        self._refill()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<Registry {', '.join(map(repr, self.list())) or 'empty'}>"

    # -- what is there

    def get(self, id: str) -> Terminal:
        """The terminal with this id; also one whose shell has ended, for its output can still be read."""
        known = {terminal.id: terminal for terminal in _by_age((*self._past.values(), *self._handed_out()))}
        if id not in known:
            told = f"there are {', '.join(known)}" if known else "there are none"
            raise UnknownTerminal(f"no terminal has the id {id!r}: {told}", terminal_id=id, known=[*known])
        return known[id]

    def list(self) -> builtins.list[Terminal]:
        """Those that are open, in the order in which they were opened."""
        return _by_age(terminal for terminal in self._handed_out() if not terminal.closed)

    @property
    def warm(self) -> int:
        """How many shells are ready that nobody was given yet."""
        return sum(seat.warm and seat.attendant is not None and seat.alive for seat in self._seats)

    @property
    def completed(self) -> tuple[Command, ...]:
        """Commands that have finished with output nobody has read, oldest first. Reading it takes them out."""
        self._catch_up()
        return tuple(command for command in self._finished if command.unread)

    def announce(self) -> builtins.list[Command]:
        """Those of `completed` that this method has not given before: each is announced once."""
        completed = self.completed
        news = [command for command in completed if command.id not in self._announced]
        self._announced = frozenset(command.id for command in completed)
        return news

    def _handed_out(self) -> Iterator[Terminal]:
        for seat in self._seats:
            if seat.terminal is not None and seat.attendant is not None and not seat.warm:
                yield seat.terminal

    # -- taking and giving back

    async def acquire(
        self,
        cwd: Place = None,
        *,
        task: str | None = None,
        require_cwd: bool = False,
        shell: ShellName = None,
        **arguments: Unpack[Making],
    ) -> Terminal:
        """A terminal in `cwd` that nobody else uses: one of the task's, a free one, or a new one.

        An idle one elsewhere is taken there, unless `require_cwd`. Without `cwd` a task gets its own as it left it.
        Everything `Terminal` takes may be named; what is not is as the registry was made with.
        """
        wanted = self._defaults.order(cwd, task, require_cwd, shell, arguments)
        fresh = False
        while True:
            seat, move, victim = self._choose(wanted, fresh)
            held, was_warm = seat.task, seat.warm
            seat.task, seat.warm = task, False
            fitting = False
            try:
                if seat.terminal is None and seat.opening is None:
                    await self._open(seat, wanted, victim)
                    fitting = True
                else:
                    fitting = await seat.fit(wanted, move=move)
            finally:
                if not fitting:
                    self._give_back(seat, held, was_warm)
                if victim is not None:
                    victim.preparing = not victim.alive
            if fitting:
                return self._hand_out(seat, wanted, anew=held is None or held != task)
            fresh = True

    def release(self, task: str | Terminal) -> builtins.list[Terminal]:
        """Let go of all terminals of a task, or of one terminal. Nothing is closed, and what runs goes on.

        A terminal that somebody else was given meanwhile is left to them.
        """
        freed = []
        for seat in self._seats:
            mine = seat.caller in (None, asyncio.current_task())
            if task is not None and (seat.task == task or (seat.terminal is task and mine)):
                seat.task = None
                seat.forget_caller()
                seat.reserved = seat.preparing  # whoever waits for it gets it, and then has it without a task
                if seat.terminal is not None:
                    seat.terminal.task = None
                    freed.append(seat.terminal)
        return freed

    def give_up(self, terminal: Terminal) -> None:
        """The caller does not use it after all: it is free for others, or for others of its task."""
        for seat in self._seats:
            if seat.terminal is terminal and seat.caller in (None, asyncio.current_task()):
                seat.forget_caller()
                seat.reserved = seat.preparing

    async def close(self) -> None:
        """Close every terminal and give out no more. Ids stay valid. Safe to call twice."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    # -- deciding, and doing what was decided

    def _choose(self, wanted: Order, fresh: bool) -> tuple[Seat, bool, Seat | None]:
        """Decide and reserve, in one go: the seat, whether its shell must be moved, and who must make room for it."""
        self._refuse_if_closed()
        self._catch_up()
        seats = [seat for seat in self._seats if seat.alive]
        victim, move = None, False
        match reuse.decide(replace(wanted.wish, fresh=fresh), [seat.seen(wanted) for seat in seats], self.limits):
            case Reuse(index, move):
                seat = seats[index]
            case Open(instead_of):
                seat = Seat(wanted.made)
                self._seats.append(seat)
                if instead_of is not None:
                    victim = seats[instead_of]
                    victim.preparing = True
            case Refuse(limit, value):
                raise self._refusal(limit, value, wanted.wish.task)
            case never:
                assert_never(never)
        seat.reserve()
        return seat, move, victim

    def _refusal(self, limit: str, value: int, task: str | None) -> LimitReached:
        ids = [terminal.id for terminal in self.list()]
        if limit == "per_task":
            message = f"task {task!r} has {value} terminals already (the limit), and none of them can be taken"
        else:
            message = f"there are {value} terminals already (the limit), all held or in use: {', '.join(ids)}"
        return LimitReached(message, limit=limit, value=value, task=task, terminals=ids)

    def _refuse_if_closed(self) -> None:
        if self._closing is not None:
            raise Closed("the registry is closed", terminal_id=None, exit_code=None)

    async def _open(self, seat: Seat, wanted: Order, victim: Seat | None) -> None:
        seat.terminal = terminal = self._make(wanted.shell, cwd=wanted.cwd, task=wanted.wish.task, **wanted.arguments)
        if victim is not None:
            await victim.end()
        self._refuse_if_closed()
        await seat.open(terminal)
        self._refuse_if_closed()
        seat.attendant = asyncio.ensure_future(self._attend(seat, terminal))
        if terminal.closed:
            code = terminal.exit_code
            reason = "the shell ended before its first prompt"
            raise SpawnFailed(f"{reason}: {code}", shell=wanted.shell, cwd=wanted.cwd, reason=reason, exit_code=code)

    def _hand_out(self, seat: Seat, wanted: Order, *, anew: bool) -> Terminal:
        assert seat.terminal is not None
        seat.preparing = False
        seat.used_at = asyncio.get_running_loop().time()
        seat.terminal.task = seat.task
        if anew or "name" in wanted.arguments:
            seat.terminal.name = wanted.arguments.get("name")
        self._arm()
        self._refill()
        return seat.terminal

    def _give_back(self, seat: Seat, task: str | None, warm: bool) -> None:
        seat.reserved = seat.preparing = False
        seat.forget_caller()
        seat.warm = warm
        seat.task = task if seat.task is not None else None  # it may have been released meanwhile
        if seat.attendant is None and seat.opening is None and seat in self._seats:
            self._seats.remove(seat)

    # -- the warm pool

    def _refill(self) -> None:
        if self._closing is not None or not self._warm:
            return
        living = [seat for seat in self._seats if seat.alive]
        room = self._warm if self.limits.terminals is None else self.limits.terminals - len(living)
        for _ in range(min(self._warm - sum(seat.warm for seat in living), room)):
            try:
                wanted = self._defaults.order(None, None, False, None, {})
            except TruettyError:  # whoever asks for a terminal is told why there can be none
                return
            seat = Seat(wanted.made, warm=True)
            self._seats.append(seat)
            seat.opening = asyncio.ensure_future(self._warm_up(seat, wanted))

    async def _warm_up(self, seat: Seat, wanted: Order) -> None:
        try:
            await self._open(seat, wanted, None)
        except TruettyError:
            pass  # as above; the next try is made when the next terminal is handed out
        finally:
            seat.opening = None
            if seat.attendant is None:
                self._seats.remove(seat)

    # -- what happens to terminals

    async def _attend(self, seat: Seat, terminal: Terminal) -> None:
        """Notice what happens in a terminal, to its end."""
        try:
            await terminal.changes.until(lambda: self._notice(seat, terminal), None)
            await terminal.close()
        finally:
            self._seats.remove(seat)
            if not seat.warm:
                self._past[terminal.id] = terminal
            while len(self._past) > REMEMBERED:
                del self._past[next(iter(self._past))]

    def _notice(self, seat: Seat, terminal: Terminal) -> bool:
        """Something has changed in a terminal; True when its shell has ended."""
        seat.used_at = asyncio.get_running_loop().time()
        command = terminal.command
        if command is not None and command is not seat.last and command.finished:
            seat.last = command
            seat.reserved = seat.preparing
            seat.forget_caller()
            self._finished = deque((one for one in self._finished if one.unread), UNREAD)
            self._finished.append(command)
            self._arm()
        return terminal.closed

    def _catch_up(self) -> None:
        """A command can end within the call that starts it, before anything was there to notice."""
        for seat in self._seats:
            if seat.terminal is not None and seat.terminal.command is not seat.last:
                self._notice(seat, seat.terminal)

    # -- time

    def _arm(self) -> None:
        """An earlier timer is left alone: it finds that it came too early and sets itself anew."""
        if self.idle is None or self._closing is not None:
            return
        at = reuse.next_look((seat.used_at for seat in self._seats if seat.unused), self.idle)
        if at == inf or (self._timer is not None and self._timer.when() <= at):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(at, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for seat in self._seats:
            if self.idle is None or not seat.unused or seat.used_at + self.idle > now:
                continue
            if seat.running():
                seat.used_at = now
                continue
            seat.preparing = True
            ender = asyncio.ensure_future(seat.end())
            self._enders.add(ender)
            ender.add_done_callback(self._enders.discard)
        self._arm()

    async def _close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        seats = list(self._seats)
        for seat in seats:
            seat.preparing = True
        # Whoever waits for a terminal that is not opened yet finds that the registry is closed.
        ended = await asyncio.gather(*(seat.end() for seat in seats), return_exceptions=True)
        rest = [*self._enders, *(seat.attendant for seat in seats if seat.attendant is not None)]
        for error in (*ended, *await asyncio.gather(*rest, return_exceptions=True)):
            if error is not None:
                raise error


def _by_age(terminals: Iterable[Terminal]) -> list[Terminal]:
    return sorted(terminals, key=lambda terminal: (len(terminal.id), terminal.id))
