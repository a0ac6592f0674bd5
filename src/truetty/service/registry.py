"""Terminals for many callers: reused by task and directory, opened when none fits, limited in number.

Rule 1: which terminal a caller gets is decided in one synchronous method (`_choose`, on values, by `reuse.py`), and the
        terminal is claimed there; everything that takes time comes after. So two callers never get the same one.
Rule 2: with a task, a terminal belongs to the task until `release(task)`, and to the caller who got it until its next
        command has ended; a caller that asks again before that gets the same terminal. Without a task it is free again
        when its next command has ended, or by `release(terminal)`. A caller is the asyncio task that calls; in
        `truetty.sync`, the thread.
Rule 3: an id stays valid when its shell has ended, for as long as the terminal is remembered.
Rule 4: whatever goes wrong while a terminal is made ready (a cancelled caller too), it is given back or closed.
Rule 5: nothing is closed in which something runs, unless the registry itself is closed.
"""

from __future__ import annotations

import asyncio
import builtins
import os
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Final, Self, Unpack

from truetty.core.errors import Closed, Misuse, SpawnFailed, TruettyError, UnknownTerminal
from truetty.service import reuse
from truetty.service.defaults import terminal_arguments
from truetty.service.idle import Clock, IdleTimer
from truetty.service.past import Past
from truetty.service.request import Make, Place, Request, complete
from truetty.service.reuse import Limits, Open, Refuse, Reuse
from truetty.service.seat import Claim, Seat, Warm
from truetty.settings import Settings
from truetty.terminal.changes import Rank
from truetty.terminal.command import Command
from truetty.terminal.options import Making, Options, ShellName
from truetty.terminal.terminal import Terminal
from truetty.text.digest import REST

# A machine has a few thousand ptys for everyone; an agent that needs a hundred terminals has lost count.
LIMIT: Final = 100


class Registry:
    """`async with Registry(limit=20) as registry: terminal = await registry.acquire("/project", task="fix")`.

    `limit` terminals at most, `per_task` of them for one task; one that was not used for `idle` seconds is closed, held
    or not; `warm` shells are kept ready for callers to come. The rest is what terminals are made with by default. For
    tests there are `make`, which makes a terminal, and `clock`, which says when `idle` is over.
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
        clock: Clock | None = None,
        **defaults: Unpack[Making],
    ) -> None:
        _check(limit=limit, per_task=per_task, idle=idle)
        if warm < 0:
            raise Misuse(f"warm is a number of shells, not {warm!r}", name="warm", value=warm)
        self.limits: Final[Limits] = Limits(limit, per_task)
        self.idle: Final[float | None] = idle
        self._warm = warm
        self._defaults = Options.of(shell, cwd=None if cwd is None else os.path.abspath(cwd), **defaults)
        self._make = make or _make_terminal
        self._seats: builtins.list[Seat] = []
        self._past = Past()
        self._timer = IdleTimer(idle, clock, self._on_time)
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    def from_settings(cls, settings: Settings, *, rest: str = REST) -> Self:
        """`rest` says where to read what an outcome leaves out."""
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
        known = {terminal.id: terminal for terminal in self._past}
        known |= {seat.terminal.id: seat.terminal for seat in self._seats if seat.known}
        if id not in known:
            ids = f"there are {', '.join(known)}" if known else "there are none"
            raise UnknownTerminal(f"no terminal has the id {id!r}: {ids}", terminal_id=id, known=[*known])
        return known[id]

    def list(self) -> builtins.list[Terminal]:
        """Those that are open, in the order in which they were opened."""
        return [seat.terminal for seat in self._seats if seat.known and seat.alive]

    @property
    def places(self) -> int:
        """How many terminals are open or being opened: `limit` bounds it."""
        return sum(seat.alive for seat in self._seats)

    @property
    def warm(self) -> int:
        """How many shells are ready that nobody was given yet."""
        return sum(seat.alive and isinstance(seat.state, Warm) for seat in self._seats)

    @property
    def completed(self) -> tuple[Command, ...]:
        """Commands that have finished with output nobody has read, oldest first. Reading it takes them out."""
        return self._past.unread

    # -- taking and giving back

    async def acquire(
        self,
        cwd: Place = None,
        *,
        task: str | None = None,
        require_cwd: bool = False,
        shell: ShellName = None,
        caller: object = None,
        **arguments: Unpack[Making],
    ) -> Terminal:
        """A terminal in `cwd` that nobody else uses: one of the task's, a free one, or a new one.

        An idle one elsewhere is taken there, unless `require_cwd`. Without `cwd` a task gets its own as it left it.
        `caller` tells callers of one task apart. Everything `Terminal` takes may be named; what is not is as the
        registry was made with.
        """
        claim = Claim(task, _current(caller))
        request = complete(self._defaults, cwd, task=task, require_cwd=require_cwd, shell=shell, arguments=arguments)
        seats, choice = self._decide(request, claim.caller)
        if isinstance(choice, Reuse):
            seat = seats[choice.index]
            if await seat.take(claim, request, move=choice.move):
                return self._hand_over(seat, request)
            seats, choice = self._decide(request, claim.caller, fresh=True)
        match choice:
            case Open(instead_of):
                victim = None if instead_of is None else seats[instead_of]
                return self._hand_over(await self._open(request, claim, victim), request)
            case Refuse():
                raise reuse.refusal(choice, task, [terminal.id for terminal in self.list()])
        raise AssertionError(f"{choice} is not for one who needs a new terminal")

    def release(self, task: str | Terminal, *, caller: object = None) -> builtins.list[Terminal]:
        """Let go of all terminals of a task; or of one terminal, which its task keeps if it has one.

        Nothing is closed, and what runs goes on. A terminal that another caller was given meanwhile is left alone.
        """
        released = []
        for seat in self._seats:
            if isinstance(task, Terminal):
                if seat.terminal is not task or not seat.may_be_left_by(_current(caller)):
                    continue
                seat.leave_caller()
            elif task is None or seat.task != task:
                continue
            else:
                seat.leave_task()
            released.append(seat.terminal)
        return released

    async def close(self) -> None:
        """Close every terminal and give out no more. Ids stay valid. Safe to call twice."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    # -- deciding, and doing what was decided

    def _decide(
        self, request: Request, caller: object, *, fresh: bool = False
    ) -> tuple[builtins.list[Seat], reuse.Choice]:
        """The seats that count, and which of them the caller gets. What is chosen is claimed before anything waits."""
        self._refuse_if_closed()
        seats = [seat for seat in self._seats if seat.alive]
        wish = replace(request.wish, fresh=fresh)
        return seats, reuse.decide(wish, [seat.seen(request, caller) for seat in seats], self.limits)

    def _refuse_if_closed(self) -> None:
        if self._closing is not None:
            raise Closed("the registry is closed", terminal_id=None, exit_code=None)

    async def _open(self, request: Request, claim: Claim, victim: Seat | None) -> Seat:
        seat = self._add(request, claim)
        try:
            if victim is not None:
                await asyncio.shield(self._end(victim))
            await self._start(seat)
        except BaseException:
            self._end(seat)
            raise
        return seat

    def _add(self, request: Request, claim: Claim | None) -> Seat:
        seat = Seat(request, self._make(request.options), claim)
        self._seats.append(seat)
        return seat

    async def _start(self, seat: Seat) -> None:
        self._refuse_if_closed()
        try:
            terminal = await seat.terminal.__aenter__()
        except TruettyError:
            self._refuse_if_closed()  # that may be why
            raise
        self._refuse_if_closed()
        if terminal.closed:
            code, options = terminal.exit_code, seat.request.options
            reason = "the shell ended before its first prompt"
            raise SpawnFailed(f"{reason}: {code}", shell=options.shell, cwd=options.cwd, reason=reason, exit_code=code)
        seat.on_open(self._timer.now())
        terminal.changes.subscribe(partial(self._on_change, seat), Rank.OWNERS)

    def _hand_over(self, seat: Seat, request: Request) -> Terminal:
        seat.hand_over(request.options.name)
        seat.used_at = self._timer.now()
        self._arm()
        self._refill()
        return seat.terminal

    def _end(self, seat: Seat) -> asyncio.Task[None]:
        """Close its terminal; once begun, it is not undone."""
        if seat.ending is None:
            seat.close()
            seat.ending = asyncio.ensure_future(self._close_seat(seat))
        return seat.ending

    async def _close_seat(self, seat: Seat) -> None:
        if seat.opening is not None:
            seat.opening.cancel()
            await asyncio.wait({seat.opening})
        try:
            await seat.terminal.close()
        finally:
            self._seats.remove(seat)
            if seat.known:
                self._past.add_terminal(seat.terminal)

    async def _close(self) -> None:
        self._timer.stop()
        for error in await asyncio.gather(*map(self._end, self._seats), return_exceptions=True):
            if error is not None:
                raise error

    # -- warm shells

    def _refill(self) -> None:
        lacking = self._warm - sum(seat.in_pool for seat in self._seats)
        if self.limits.terminals is not None:
            lacking = min(lacking, self.limits.terminals - self.places)
        for _ in range(lacking if self._closing is None else 0):
            try:
                seat = self._add(complete(self._defaults), None)
            except TruettyError:  # a caller who asks for a terminal is told why there can be none
                return
            seat.opening = asyncio.ensure_future(self._warm_up(seat))

    async def _warm_up(self, seat: Seat) -> None:
        try:
            await self._start(seat)
        except TruettyError:  # as above; the next try is made when the next terminal is handed out
            self._end(seat)

    # -- what happens to terminals

    def _on_change(self, seat: Seat) -> None:
        seat.used_at = self._timer.now()
        if (command := seat.take_finished()) is not None:
            self._past.add_command(command)
            self._arm()
        if seat.terminal.closed:
            self._end(seat)

    def _arm(self) -> None:
        if self._closing is None:
            self._timer.arm(seat.used_at for seat in self._seats if seat.unused)

    def _on_time(self) -> None:
        for seat in [seat for seat in self._seats if seat.unused and self._timer.is_over(seat.used_at)]:
            if seat.runs_something():
                seat.used_at = self._timer.now()
            else:
                self._end(seat)
        self._arm()


def _check(**limits: float | None) -> None:
    for name, value in limits.items():
        if value is not None and not value > 0:
            raise Misuse(f"{name} is more than 0, or None for no limit; not {value!r}", name=name, value=value)


def _current(caller: object) -> object:
    return asyncio.current_task() if caller is None else caller


def _make_terminal(options: Options) -> Terminal:
    return Terminal(options.shell, **options.arguments())
