"""The seats of a registry: each is opened, watched and closed here. `reuse.py` decides which caller gets which.

Rule 1: whatever goes wrong while a terminal is opened (a cancelled caller too), it is closed.
Rule 2: one task closes a seat, whatever it is closed for first: a caller needs the room, its time is over, its shell
        has ended.
Rule 3: an unused terminal in which something runs is not closed, nor one that is spared: a person has it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

from truetty.core.errors import Closed, SpawnFailed, TruettyError
from truetty.service.holders import Holders
from truetty.service.idle import Clock, IdleTimer
from truetty.service.past import Past
from truetty.service.seat import Seat
from truetty.service.seat_request import Make, SeatRequest, complete, locate
from truetty.service.states import Claim
from truetty.terminal.changes import Rank
from truetty.terminal.options import Options
from truetty.terminal.terminal import Terminal


class Seats:
    """In the order in which they were made. One stays until its terminal is closed."""

    def __init__(self, make: Make, *, idle: float | None, clock: Clock | None) -> None:
        self.past: Final = Past()
        self.is_spared: Callable[[Terminal], bool] = lambda _: False
        self._make = make
        self._seats: dict[str, Seat] = {}  # by the ids of their terminals
        self._holders = Holders()
        self._timer = IdleTimer(idle, clock, self._on_time)
        self._closing: asyncio.Future[None] | None = None

    def __iter__(self) -> Iterator[Seat]:
        return iter(self._seats.values())

    def get(self, id: str) -> Seat | None:
        return self._seats.get(id)

    @property
    def alive(self) -> list[Seat]:
        return [seat for seat in self if seat.alive]

    @property
    def places(self) -> int:
        """How many are open or being opened."""
        return self._holders.places

    def near(self, task: str | None) -> list[Seat]:
        """Those that a caller of this task may get, or in whose place one may be opened for it."""
        return [seat for seat in self._holders.near(task) if seat.alive]

    def refuse_if_closed(self) -> None:
        if self._closing is not None:
            raise Closed("the registry is closed", terminal_id=None, exit_code=None)

    # -- opening

    async def open(self, request: SeatRequest, claim: Claim, victim: Seat | None) -> Seat:
        """A new one for a caller, if need be in the place of another."""
        seat = self._add(request, claim)
        try:
            if victim is not None:
                await asyncio.shield(self._end(victim))
            await self._start(seat)
        except BaseException:
            self._end(seat)
            raise
        return seat

    def refill(self, options: Options, count: int) -> None:
        """Keep so many warm shells, for callers to come."""
        for _ in range(count - sum(seat.in_pool for seat in self) if self._closing is None else 0):
            try:
                seat = self._add(complete(options), None)
            except TruettyError:  # a caller who asks for a terminal gets the error
                return
            seat.opening = asyncio.ensure_future(self._warm_up(seat))

    async def _warm_up(self, seat: Seat) -> None:
        try:
            seat.request = await locate(seat.request)
            await self._start(seat)
        except TruettyError:  # as above; the next try is made when the next terminal is handed out
            self._end(seat)

    def _add(self, request: SeatRequest, claim: Claim | None) -> Seat:
        return self._place(Seat(request, self._make(request.options), claim))

    def _place(self, seat: Seat) -> Seat:
        self._seats[seat.terminal.id] = seat
        self._holders.add(seat)
        return seat

    async def _start(self, seat: Seat) -> None:
        self.refuse_if_closed()
        try:
            terminal = await seat.terminal.__aenter__()
        except TruettyError:
            self.refuse_if_closed()  # that may be why
            raise
        self.refuse_if_closed()
        if terminal.closed:
            code, options = terminal.exit_code, seat.request.options
            reason = "the shell ended before its first prompt"
            raise SpawnFailed(f"{reason}: {code}", shell=options.shell, cwd=options.cwd, reason=reason, exit_code=code)
        seat.on_open(self._timer.now())
        seat.unsubscribe = terminal.changes.subscribe(partial(self._on_change, seat), Rank.OWNERS)

    def adopt(self, terminal: Terminal, request: SeatRequest, *, own: bool) -> None:
        """One that a process before this one has opened."""
        if terminal.closed:
            self.past.add_terminal(terminal)
            return
        seat = self._place(Seat(request, terminal, Claim(terminal.task, None)))
        seat.adopt(own=own, now=self._timer.now())
        seat.unsubscribe = terminal.changes.subscribe(partial(self._on_change, seat), Rank.OWNERS)
        self._arm([seat])

    # -- what happens to them

    def use(self, seat: Seat) -> None:
        """It was handed out: its idle time begins anew."""
        seat.used_at = self._timer.now()
        self._arm([seat])

    def _on_change(self, seat: Seat) -> None:
        seat.used_at = self._timer.now()
        if (command := seat.take_finished_command()) is not None:
            self.past.add_command(command)
            self._arm([seat])
        if seat.terminal.closed:
            self._end(seat)

    def _arm(self, seats: Iterable[Seat]) -> None:
        """The timer rings for these, too."""
        if self._closing is None:
            self._timer.arm(seat.used_at for seat in seats if seat.unused)

    def _on_time(self) -> None:
        for seat in [seat for seat in self if seat.unused and self._timer.is_over(seat.used_at)]:
            if seat.runs_something() or self.is_spared(seat.terminal):
                seat.used_at = self._timer.now()
            else:
                self._end(seat)
        self._arm(self)

    # -- closing

    async def close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        self._timer.stop()
        for error in await asyncio.gather(*map(self._end, self), return_exceptions=True):
            if error is not None:
                raise error

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
            seat.unsubscribe()
            del self._seats[seat.terminal.id]
            self._holders.remove(seat)
            if seat.known:
                self.past.add_terminal(seat.terminal)
