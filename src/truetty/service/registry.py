"""Terminals for many callers: reused by task and directory, opened when none fits, limited in number.

Rule 1: which terminal a caller gets is decided on values, by `reuse.py`, and claimed before anything waits. So two
        callers never get the same one.
Rule 2: with a task, a terminal belongs to the task until `release(task)`, and to the caller who got it until its next
        command has ended; a caller that asks again before that gets the same terminal. Without a task it is free again
        when its next command has ended, or by `release(terminal)`. A caller is the asyncio task that calls; in
        `truetty.sync`, the thread.
        What `open` makes is its caller's until it is closed: `acquire` never gives it to another.
Rule 3: an id stays valid when its shell has ended, for as long as the terminal is remembered.
Rule 4: whatever goes wrong while a terminal is made ready (a cancelled caller too), it is given back or closed.
"""

from __future__ import annotations

import asyncio
import builtins
import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self, Unpack

from truetty.batch.map import Map, MapArguments, Tasks, map_by
from truetty.core import kinds
from truetty.core.checks import check_count, check_seconds
from truetty.core.errors import Misuse, SpawnFailed, UnknownTerminal
from truetty.host.wall import Sandbox
from truetty.service import reuse
from truetty.service.capacity import Capacity, Shared
from truetty.service.defaults import terminal_arguments
from truetty.service.idle import Clock
from truetty.service.reuse import Limits, Open, Refuse, Reuse
from truetty.service.seat import Seat
from truetty.service.seat_request import Directory, Make, SeatRequest, complete, locate, with_absolute_cwd
from truetty.service.seats import Seats
from truetty.service.states import Claim, Own, Warm
from truetty.settings import Settings
from truetty.terminal.command import Command
from truetty.terminal.options import Making, Options, ShellName
from truetty.terminal.terminal import Terminal
from truetty.text.digest import REST

# A machine has a few thousand ptys for all users. An agent with so many terminals has most likely forgotten some.
MOST_TERMINALS: Final = 100
MOST_NAMED: Final = 10  # ids in a refusal
# What the next process knows of how a terminal was made (`adopt`).
_KNOWN_LATER: Final = ("rc", "history", "size", "budget", "quota", "coalesce", "replies", "sandbox")


@dataclass(frozen=True, slots=True)
class Origin:
    """How a terminal was opened."""

    own: bool = True  # by `open`: no other caller gets it
    usual: bool = False  # with the registry's variables: it can stand for any other that is made like it


class Registry:
    """`async with Registry(limit=20) as registry: terminal = await registry.acquire("/project", task="fix")`.

    `limit` terminals at most, `per_task` of them for one task; one that was not used for `idle` seconds is closed, held
    or not; `warm` shells are kept ready for callers to come. The rest is what terminals are made with by default. For
    tests there are `make`, which makes a terminal, and `clock`, which says when `idle` is over.
    """

    def __init__(
        self,
        *,
        limit: int | Capacity | None = MOST_TERMINALS,
        per_task: int | None = None,
        idle: float | None = None,
        warm: int = 0,
        shell: ShellName = None,
        cwd: Directory = None,
        make: Make | None = None,
        clock: Clock | None = None,
        **defaults: Unpack[Making],
    ) -> None:
        check_count("per_task", per_task)
        check_seconds("idle", idle, none=", or None for no limit")
        if idle == 0:
            raise Misuse("idle must be more than 0 seconds, or None for no limit; got 0", name="idle", value=idle)
        check_count("warm", warm, 0)
        self._capacity = limit if isinstance(limit, Capacity) else Capacity(limit)
        self._capacity.join(self)
        self._member = self  # of the capacity: a variant has the places of the registry it was made from
        self.limits: Final[Limits] = Limits(self._capacity.limit, per_task)  # terminals in all, and for each task
        self.idle: Final[float | None] = idle  # seconds after which an unused terminal is closed; None: never
        self._warm = warm
        self._own_only = False  # in `variant`: as in `reuse.Wish`
        self._defaults = with_absolute_cwd(Options.of(shell, cwd=cwd, **defaults))
        self._seats = Seats(make or _make_terminal, idle=idle, clock=clock)

    @classmethod
    def from_settings(
        cls, settings: Settings, *, cwd: Directory = None, shared: Shared | None = None, make: Make | None = None
    ) -> Self:
        """`cwd` is where terminals are if the settings name no workspace; `shared` is what several registries have
        together; `make` makes terminals."""
        shared = shared or Shared.of(settings)
        return cls(
            limit=shared.capacity,
            per_task=settings.per_task,
            idle=settings.idle,
            warm=settings.warm,
            shell=settings.shell,
            cwd=settings.workspace or cwd,
            make=make,
            **terminal_arguments(settings, shared.total),
        )

    async def __aenter__(self) -> Self:
        self._refill()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<Registry {', '.join(map(repr, self.list())) or 'empty'}>"

    def spare(self, holds: Callable[[Terminal], bool]) -> None:
        """While this holds of a terminal, no caller gets it, and it is not closed for another or for its idle time."""
        self._seats.is_spared = holds

    def explain_rest(self, rest: str) -> None:
        """Where the readers of outcomes find what these leave out, unless this was said already."""
        budget = self._defaults.budget
        if budget.rest == REST:
            self._defaults = replace(self._defaults, budget=replace(budget, rest=rest))

    def variant(self, shell: ShellName, cwd: Directory, **arguments: Unpack[Making]) -> Self:
        """The same terminals, for a caller whose new ones are made otherwise. Only this one is closed.

        Its callers get terminals of their tasks, and none that is free: another program has used that.
        """
        found = copy.copy(self)
        found.change_defaults(shell, cwd, arguments)
        return found

    def change_defaults(self, shell: ShellName, cwd: Directory, arguments: Making) -> None:
        """Terminals that are opened from now on are made with these. Shells are kept warm no longer, and callers get no
        terminal that is free."""
        self._defaults = complete(self._defaults, cwd, shell=shell, arguments=arguments).options
        self._warm = 0
        self._own_only = True

    # -- what is there

    def get(self, id: str) -> Terminal:
        """The terminal with this id; also one whose shell has ended, for its output can still be read."""
        found = self.find(id)
        if found is None:
            raise unknown(f"no terminal {kinds.quoted(id)};", id, self.list())
        return found

    def find(self, id: str) -> Terminal | None:
        """The same; None: there is none."""
        seat = self._seats.get(id)
        return seat.terminal if seat is not None and seat.known else self._seats.past.get(id)

    def list(self) -> builtins.list[Terminal]:
        """Those that are open, in the order in which they were opened."""
        return [seat.terminal for seat in self._seats.alive if seat.known]

    def all(self) -> builtins.list[Terminal]:
        """All terminals that `get` finds, those whose shell has ended first."""
        return [*self._seats.past, *(seat.terminal for seat in self._seats if seat.known)]

    @property
    def forgotten(self) -> int:
        """How many terminals `get` finds no longer."""
        return self._seats.past.forgotten

    @property
    def places(self) -> int:
        """How many terminals are open or being opened: `limit` bounds it."""
        return self._seats.places

    @property
    def warm(self) -> int:
        """How many shells are ready that no caller has got yet."""
        return sum(isinstance(seat.state, Warm) for seat in self._seats.alive)

    @property
    def completed(self) -> tuple[Command, ...]:
        """Finished commands with unread output, oldest first. Reading the output takes a command out."""
        return self._seats.past.unread

    # -- taking and giving back

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
        of this program's. Everything `Terminal` takes may be named; what is not is as the registry was made with.
        """
        claim = Claim(task, _current(caller))
        request = await locate(
            complete(
                self._defaults,
                cwd,
                task=task,
                require_cwd=require_cwd,
                shell=shell,
                arguments=arguments,
                inherited=inherited,
            )
        )
        seats, choice = self._decide(request, claim.caller)
        if isinstance(choice, Reuse):
            seat = seats[choice.index]
            if await seat.take(claim, request, move=choice.move):
                return self._hand_over(seat, request)
            seats, choice = self._decide(request, claim.caller, fresh=True)
        return self._hand_over(await self._open(request, claim, seats, choice), request)

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
        claim = Claim(task, _current(None))
        request = complete(self._defaults, cwd, task=task, shell=shell, arguments=arguments, inherited=inherited)
        request = await locate(request)
        seats, choice = self._decide(request, claim.caller, fresh=True)
        seat = await self._open(request, claim, seats, choice)
        seat.keep()
        self._seats.use(seat)
        return seat.terminal

    def is_new(self, terminal: Terminal) -> bool:
        """Whether no caller had it before the one that has it now."""
        seat = self._seats.get(terminal.id)
        return seat is not None and seat.callers == 1

    def origin(self, terminal: Terminal) -> Origin:
        """How it was opened: for the process that gets it after this one."""
        seat = self._seats.get(terminal.id)
        if seat is None:
            return Origin(own=False)
        usual = complete(self._defaults).kind
        alike = replace(usual, **{name: getattr(seat.request.kind, name) for name in _KNOWN_LATER})
        return Origin(isinstance(seat.state, Own), alike == seat.request.kind)

    def adopt(self, terminal: Terminal, origin: Origin) -> None:
        """A terminal that a process before this one has opened."""
        options = terminal.options
        try:
            request = complete(self._defaults, shell=options.shell)
        except SpawnFailed:  # that shell was removed meanwhile: no other terminal has it
            request = replace(complete(self._defaults), program=None)
        kind = replace(request.kind, **{name: getattr(options, name) for name in _KNOWN_LATER})
        request = replace(request, options=options, kind=kind if origin.usual else options)
        self._seats.adopt(terminal, request, own=origin.own)

    async def _open(self, request: SeatRequest, claim: Claim, seats: builtins.list[Seat], choice: reuse.Choice) -> Seat:
        match choice:
            case Open(instead_of):
                victim = None if instead_of is None else seats[instead_of]
                return await self._seats.open(request, claim, victim)
            case Refuse(limit, value):
                value = self.limits.terminals or value if limit == "terminals" else value  # of all that share it
                raise reuse.refusal(Refuse(limit, value), claim.task, [terminal.id for terminal in self.list()])
        raise AssertionError(f"{choice} is not for one who needs a new terminal")

    def map(self, tasks: Tasks, **arguments: Unpack[MapArguments]) -> Map:
        """Run tasks, so many at once, each in a new terminal: `async for result in registry.map(tasks)`.

        A task is a `truetty.Task`, or a mapping with its names: `{"id": "1", "commands": ["make", "make test"]}`. Its
        commands run one after the other until one fails. `at_once` tasks run at the same time. `out` is a file of
        results: a second run goes on from it. A task whose result is one of `retry` (states, or a function) is begun
        up to `attempts` times. `again`: so are tasks that an earlier run has begun and not finished. `on_start` is
        called when a task's terminal is open. The rest is what terminals are made with.
        """
        return map_by(self.open, tasks, arguments)

    def release(self, task: str | Terminal, *, caller: object = None) -> builtins.list[Terminal]:
        """Let go of all terminals of a task; or of one terminal, which its task keeps if it has one.

        Nothing is closed, and what runs goes on. A terminal that another caller was given meanwhile is left alone.
        """
        if isinstance(task, Terminal):
            seat = self._seats.get(task.id)
            if seat is None or seat.terminal is not task or not seat.may_be_left_by(_current(caller)):
                return []
            seat.leave_caller()
            return [task]
        held = [] if task is None else [seat for seat in self._seats.near(task) if seat.task == task]
        for seat in held:
            seat.leave_task()
        return [seat.terminal for seat in held]

    @property
    def sandbox(self) -> Sandbox | None:
        """In which terminals are unless something else is asked for."""
        return self._defaults.sandbox

    async def expected(
        self, cwd: Directory, *, task: str | None, shell: ShellName, **arguments: Unpack[Making]
    ) -> tuple[str | None, str]:
        """The directory and the shell of the terminal that `acquire` would give now. Nothing is opened or claimed."""
        request = await locate(complete(self._defaults, cwd, task=task, shell=shell, arguments=arguments))
        seats, choice = self._decide(request, _current(None))
        if isinstance(choice, Reuse) and not choice.move:
            terminal = seats[choice.index].terminal
            return terminal.cwd, terminal.shell
        return request.wish.cwd or None, request.program.name if request.program is not None else ""

    async def close(self) -> None:
        """Close every terminal and give out no more. Ids stay valid. Safe to call twice."""
        await self._seats.close()

    def _decide(
        self, request: SeatRequest, caller: object, *, fresh: bool = False
    ) -> tuple[builtins.list[Seat], reuse.Choice]:
        """The seats that the caller may get, and what it gets. What is chosen is claimed before anything waits."""
        self._seats.refuse_if_closed()
        wish = replace(request.wish, fresh=fresh, own_only=self._own_only)
        seats, room = self._seats.near(wish.task), self._capacity.room(self._member)
        limits = replace(self.limits, terminals=None if room is None else room - (self._seats.places - len(seats)))
        return seats, reuse.decide(wish, [self._view(seat, request, caller) for seat in seats], limits)

    def _view(self, seat: Seat, request: SeatRequest, caller: object) -> reuse.SeatView:
        view = seat.view(request, caller)
        spared = self._seats.is_spared(seat.terminal)
        return replace(view, idle=False, again=False, quiet=False) if spared else view

    def _hand_over(self, seat: Seat, request: SeatRequest) -> Terminal:
        seat.hand_over(request.options.name)
        self._seats.use(seat)
        self._refill()
        return seat.terminal

    def _refill(self) -> None:
        if not self._warm:
            return
        used = sum(not seat.in_pool for seat in self._seats.alive)
        limit = self._capacity.room(self._member)
        room = self._warm if limit is None else limit - used
        self._seats.refill(self._defaults, min(self._warm, room))


def unknown(complaint: str, id: str | None, terminals: Sequence[Terminal]) -> UnknownTerminal:
    """For an id that is not there: which of the open terminals may be meant."""
    ids = [terminal.id for terminal in terminals]
    named = [f"{one.id} ({one.name})" if one.name else one.id for one in terminals[:MOST_NAMED]]
    offer = f"open: {', '.join(named)}" if ids else "none is open: run opens one"
    more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
    return UnknownTerminal(f"{complaint} {offer}{more}", terminal_id=id, known=ids[:MOST_NAMED])


def _current(caller: object) -> object:
    return asyncio.current_task() if caller is None else caller


def _make_terminal(options: Options) -> Terminal:
    return Terminal(options.shell, **options.arguments())
