"""One place of a registry: a terminal, and the task or caller that has it (`states.py`).

Rule 1: the state changes by what happens to it, in the methods here; each change is in the table `FOLLOWS`.
Rule 2: while it is opened, moved or closed, no other call touches it.
Rule 3: a shell goes to another directory by a real command, and the kernel says whether it is there. A user's alias or
        function named `cd` may ask something or go elsewhere, so the builtin is called, where it can be named.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Final

from truetty.core.errors import TruettyError
from truetty.service.reuse import SeatView
from truetty.service.seat_request import SeatRequest
from truetty.service.states import (
    FOLLOWS,
    Claim,
    Closing,
    Free,
    Given,
    Held,
    Moving,
    Opening,
    Own,
    State,
    Warm,
    without_caller,
)
from truetty.shells import table
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal

# Going to another directory takes a shell milliseconds; one that needs longer is left alone.
LONGEST_MOVE: Final = 5.0


class Seat:
    def __init__(self, request: SeatRequest, terminal: Terminal, claim: Claim | None) -> None:
        self.request = request
        self.terminal: Final = terminal
        self.used_at = inf  # until it is open
        self.opening: asyncio.Task[None] | None = None  # of a shell for the pool
        self.ending: asyncio.Task[None] | None = None  # there while it is closed
        self.unsubscribe: Callable[[], None] = lambda: None  # from the changes of its terminal
        self.on_state: Callable[[Seat], None] = lambda _: None  # it has become something else
        self._state: State = Opening(claim)
        self._last: Command | None = None  # the newest command whose end was noticed
        self.callers = 0  # that have got it, one after the other
        self._own: frozenset[int] = frozenset()  # processes that the user's start-up files have started, as far as seen

    def __repr__(self) -> str:
        return f"<Seat {self.terminal.id} {self._state}>"

    # -- which task or caller has it

    @property
    def state(self) -> State:
        return self._state

    @property
    def task(self) -> str | None:
        match self._state:
            case Opening(Claim(task)) | Moving(Claim(task)) | Given(Claim(task)) | Held(task) | Own(task):
                return task
        return None

    @property
    def alive(self) -> bool:
        """It counts: it is open, or will be."""
        return not isinstance(self._state, Closing) and not self.terminal.closed

    @property
    def known(self) -> bool:
        """A caller has it or has had it."""
        match self._state:
            case Opening() | Warm() | Moving(back=Warm()) | Closing(known=False):
                return False
        return True

    @property
    def in_pool(self) -> bool:
        return self.alive and self._state in (Opening(None), Warm())

    @property
    def unused(self) -> bool:
        """It was handed out, and no command runs in it."""
        return self.alive and isinstance(self._state, Given | Held | Free | Own) and not self.terminal.busy

    def may_be_left_by(self, caller: object) -> bool:
        return isinstance(self._state, Given) and self._state.claim.is_open_to(caller)

    def runs_something(self) -> bool:
        """Whether something may run in the background: closing or sharing the terminal would harm it."""
        processes = self._processes()
        return processes is None or not processes <= self._own

    def view(self, request: SeatRequest, caller: object) -> SeatView:
        """How it looks to this caller. What another task holds is not looked at closely."""
        state, terminal, task = self._state, self.terminal, self.task
        alike = (self.request.program, self.request.kind) == (request.program, request.kind)
        if isinstance(state, Opening):
            return SeatView(task, idle=self.in_pool, fits=alike, warm=self.in_pool, used_at=inf)
        free = not isinstance(state, Moving | Own | Closing) and not terminal.busy and task in (None, request.wish.task)
        name = request.program.name if request.program is not None else None
        fits = alike and free and terminal.shell == name  # `exec` may have put another in its place
        return SeatView(
            task,
            terminal.cwd if fits else None,
            idle=free and not isinstance(state, Given),
            again=free and self.may_be_left_by(caller),
            quiet=free and (task is not None or not self.runs_something()),
            fits=fits,
            warm=isinstance(state, Warm),
            used_at=self.used_at,
        )

    # -- what happens to it

    def claim(self, claim: Claim) -> None:
        """Reserve it for a caller, until `hand_over` or `give_back`."""
        match self._state:
            case Opening():
                self._become(Opening(claim))
            case Warm() | Held() | Free() as now:
                self._become(Moving(claim, now))
            case Given(Claim(task)):
                self._become(Moving(claim, without_caller(task)))

    def hand_over(self, name: str | None) -> None:
        """To the caller who claimed it. A task that had it before finds it under the name that it had then."""
        match self._state:
            case Opening(Claim() as claim):
                self._become(Given(claim))
            case Moving(claim, back):
                if name is not None or not isinstance(back, Held):
                    self.terminal.name = name
                self._become(Given(claim))
        self.terminal.task = self.task
        self.callers += 1

    def keep(self) -> None:
        """For the caller who has opened it, until it is closed."""
        match self._state:
            case Opening(Claim(task)):
                self._become(Own(task))
                self.terminal.task = task
                self.callers = 1

    def adopt(self, *, own: bool, now: float) -> None:
        """Its terminal was opened by a process before this one, for its task, or to be its opener's own."""
        self.used_at = now
        self.callers = 1
        if self.terminal.command is not None and self.terminal.command.finished:
            self._last = self.terminal.command
        self._become(Own(self.task) if own else Given(Claim(self.task, None)))
        self.leave_caller()

    def give_back(self) -> None:
        """The caller who claimed it does not get it."""
        match self._state:
            case Opening():
                self._become(Opening(None))
            case Moving(back=back):
                self._become(back)

    def leave_task(self) -> None:
        """The task no longer holds it. A caller who waits for it gets it, and has it without a task."""
        match self._state:
            case Opening(Claim() as claim):
                self._become(Opening(replace(claim, task=None)))
            case Moving(claim, back):
                self._become(Moving(replace(claim, task=None), Free() if isinstance(back, Held) else back))
            case Given() | Held() | Own():
                self._become(Free())
        self.terminal.task = None

    def leave_caller(self) -> None:
        """The caller has used it, or does not want to: it is the task's, or free."""
        if isinstance(self._state, Given):
            self._become(without_caller(self._state.claim.task))

    def close(self) -> None:
        if not isinstance(self._state, Closing):
            self._become(Closing(self.known))

    def on_open(self, now: float) -> None:
        """Its shell is at its first prompt. A seat that was opened for a caller stays so until `hand_over`."""
        self.used_at = now
        self._own = frozenset(self._processes() or ())
        if self.opening is not None:
            match self._state:
                case Opening(None):
                    self._become(Warm())
                case Opening(Claim() as claim):
                    self._become(Moving(claim, Warm()))

    def take_finished_command(self) -> Command | None:
        """The command that has ended since this was asked last, unless it was our own."""
        command = self.terminal.command
        if command is None or command is self._last or not command.finished:
            return None
        self._last = command
        if isinstance(self._state, Moving):
            return None
        self.leave_caller()
        return command

    def _become(self, state: State) -> None:
        assert type(state) in FOLLOWS[type(self._state)], f"{self} cannot become {state}"
        if isinstance(self._state, Given) and isinstance(self._state.claim.caller, asyncio.Task):
            self._state.claim.caller.remove_done_callback(self._on_caller_done)
        self._state = state
        if isinstance(state, Given) and isinstance(state.claim.caller, asyncio.Task):
            state.claim.caller.add_done_callback(self._on_caller_done)
        self.on_state(self)

    def _on_caller_done(self, caller: object) -> None:
        if isinstance(self._state, Given):
            self._become(Given(replace(self._state.claim, caller=None)))

    # -- making it ready

    async def take(self, claim: Claim, request: SeatRequest, *, move: bool) -> bool:
        """Claim it, and bring it to what was asked for. False: it cannot be used, and is as it was before."""
        self.claim(claim)
        fits = False
        try:
            if self.opening is not None:
                await asyncio.wait({self.opening})
            fits = await self._fit(request, move)
        finally:
            if not fits:
                self.give_back()
        return fits

    async def _fit(self, request: SeatRequest, move: bool) -> bool:
        if not isinstance(self._state, Moving):
            return False
        try:
            if self.terminal.size != request.options.size:
                await self.terminal.resize(*request.options.size)
            if move and self.terminal.cwd != request.wish.cwd and not await self._move(request):
                return False
        except TruettyError:  # its shell has just ended, or a caller who had it before has started a command
            return False
        return isinstance(self._state, Moving) and not self.terminal.closed

    async def _move(self, request: SeatRequest) -> bool:
        path = request.options.cwd or request.wish.cwd
        row = table.lookup(self.terminal.shell)
        if not path or row is None or row.cd is None:
            return False
        self._last = command = await self.terminal.start(row.cd(path))
        outcome = await command.wait(LONGEST_MOVE, "finished")
        if outcome.state != "finished":
            await command.interrupt()
            return False
        here = self.terminal.cwd
        return here == request.wish.cwd if here is not None and request.here else outcome.exit_code == 0

    def _processes(self) -> set[int] | None:
        """None: they cannot be seen."""
        jobs = self.terminal.jobs
        return None if jobs is None else {process.pid for process in jobs}
