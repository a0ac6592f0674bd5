"""How many calls are carried out at once: of one connection, and of all.

Rule 1: a call that only waits (for a command, for output) gives its turn away meanwhile. So a client can wait for many
        commands, and still answer one of them.
Rule 2: a turn is given back once, whatever becomes of the call.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager

from truetty.core.errors import LimitReached
from truetty.server import limits


class Turns:
    """Those of one connection; `in_all` is shared by all connections."""

    def __init__(self, in_all: asyncio.Semaphore) -> None:
        self.calls = asyncio.Semaphore(limits.MOST_CALLS)
        self.in_all = in_all
        self.waits = 0

    async def next(self) -> Turn:
        """When fewer than `MOST_CALLS` are being carried out."""
        await self.calls.acquire()
        return Turn(self)


class Turn:
    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._has_call = True
        self._has_all = False
        self._is_over = False

    async def begin(self) -> None:
        await self._turns.in_all.acquire()
        self._has_all = True

    def end(self) -> None:
        self._is_over = True
        self._leave()

    def rest(self) -> Rest:
        """Around a wait."""
        return Rest(self)

    def pause(self) -> None:
        if self._turns.waits >= limits.MOST_WAITS:
            message = f"{limits.MOST_WAITS:,} calls of this connection wait already"
            raise LimitReached(message, limit="waits", value=limits.MOST_WAITS)
        self._turns.waits += 1
        self._leave()

    async def go_on(self, *, is_cut: bool) -> None:
        """A wait that is cut has no turn any more."""
        self._turns.waits -= 1
        if is_cut:
            return
        if not self._is_over:
            await self._turns.calls.acquire()
            self._has_call = True
            await self.begin()
        if self._is_over:
            self._leave()

    def _leave(self) -> None:
        if self._has_call:
            self._has_call = False
            self._turns.calls.release()
        if self._has_all:
            self._has_all = False
            self._turns.in_all.release()


class Rest(AbstractAsyncContextManager[None]):
    """The time in which a call only waits."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    async def __aenter__(self) -> None:
        self._turn.pause()

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        await self._turn.go_on(is_cut=kind is not None)
