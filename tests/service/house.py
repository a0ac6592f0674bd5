"""A registry whose terminals are actors on scripted channels, and a clock in the test's hand."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path

from tests.stage import PATIENCE, Stage, until
from truetty.service.registry import Registry
from truetty.terminal.options import Options
from truetty.terminal.terminal import Terminal


class Actor(Stage):
    """A terminal on a scripted channel; by itself it does nothing."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.observer.place = os.path.realpath(options.cwd or os.curdir)

    @property
    def opened(self) -> bool:
        return self.terminal.pid is not None

    async def prompt(self) -> None:
        await until(lambda: self.opened)
        self.say(("P", 0, "himBHs"))

    async def answer(self, output: bytes = b"", code: int = 0) -> None:
        """Run what was sent."""
        await until(lambda: self.terminal.busy)
        self.say(("C",), output, ("D", code, "himBHs"), ("P", code, "himBHs"), b"$ ")


class TurnedClock:
    """A clock in the test's hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Callable[[], object]]] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[[], object], /) -> Alarm:
        self.timers.append((when, callback))
        return Alarm(partial(self.timers.remove, self.timers[-1]))

    def turn(self, seconds: float) -> None:
        """Let that much time pass, with every timer on the way."""
        end = self.now + seconds
        while self.timers and (due := min(self.timers, key=itemgetter(0)))[0] <= end:
            self.timers.remove(due)
            self.now = max(self.now, due[0])
            due[1]()
        self.now = end


@dataclass(frozen=True)
class Alarm:
    cancel: Callable[[], None]


class House:
    """A registry whose terminals are actors."""

    def __init__(self, **arguments: object) -> None:
        self.actors: list[Actor] = []
        self.registry = Registry(shell="bash", make=self._make, **arguments)  # type: ignore[arg-type]

    def _make(self, options: Options) -> Terminal:
        self.actors.append(Actor(options))
        return self.actors[-1].terminal

    async def acquire(self, cwd: Path | None = None, **arguments: object) -> Actor:
        """One that needs nothing but a prompt, if even that."""
        count = len(self.actors)
        taking = self.taking(cwd, **arguments)
        await until(lambda: taking.done() or len(self.actors) > count)
        if not taking.done():
            await self.actors[-1].prompt()
        return self.of(await asyncio.wait_for(taking, PATIENCE))

    def taking(self, cwd: Path | None = None, **arguments: object) -> asyncio.Task[Terminal]:
        return asyncio.ensure_future(self.registry.acquire(cwd, **arguments))  # type: ignore[arg-type]

    def of(self, terminal: Terminal) -> Actor:
        return next(actor for actor in self.actors if actor.terminal is terminal)
