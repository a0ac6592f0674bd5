"""Random histories of a registry: at every step it gives what `reuse.decide` says of a model of it."""

from __future__ import annotations

import asyncio
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truetty
from tests.service.house import Actor, House, TurnedClock
from truetty.service.reuse import Limits, Open, Refuse, Reuse, SeatView, Wish, decide
from truetty.terminal.terminal import Terminal

TASKS = st.sampled_from([None, "a", "b"])
CALLERS = st.sampled_from(["one", "two", "three"])
NUMBERS = st.integers(0, 9)  # the terminal that is meant, of those that are open


@dataclass(frozen=True)
class Acquire:
    task: str | None
    caller: str
    place: Literal["here", "there"]
    require_cwd: bool


@dataclass(frozen=True)
class Use:
    """Start a command, or end the one that runs."""

    number: int


@dataclass(frozen=True)
class ReleaseTask:
    task: str | None


@dataclass(frozen=True)
class ReleaseTerminal:
    number: int
    caller: str


@dataclass(frozen=True)
class Close:
    number: int


Step = Acquire | Use | ReleaseTask | ReleaseTerminal | Close
ACQUIRES = st.builds(Acquire, TASKS, CALLERS, st.sampled_from(["here", "there"]), st.booleans())
STEPS = st.one_of(
    *(ACQUIRES, ACQUIRES, st.builds(Use, NUMBERS), st.builds(Use, NUMBERS), st.builds(ReleaseTask, TASKS)),
    *(st.builds(ReleaseTerminal, NUMBERS, CALLERS), st.builds(Close, NUMBERS)),
)


@dataclass
class Known:
    """What must be true of one terminal."""

    actor: Actor
    task: str | None
    caller: str | None  # who has it and has not used it
    place: str
    used_at: float
    busy: bool = False

    def view(self, wish: Wish, caller: str) -> SeatView:
        free = not self.busy and self.task in (None, wish.task)
        return SeatView(
            self.task,
            self.place if free else None,
            idle=free and self.caller is None,
            again=free and self.caller == caller,
            quiet=free,
            fits=free,
            used_at=self.used_at,
        )


class Model:
    def __init__(self, root: Path, limits: Limits) -> None:
        self.root, self.limits, self.clock = root, limits, TurnedClock()
        self.house = House(limit=limits.terminals, per_task=limits.per_task, clock=self.clock)
        self.open: list[Known] = []

    async def play(self, steps: list[Step]) -> None:
        async with self.house.registry as registry:
            for step in steps:
                self.clock.turn(1)
                await self._do(step)
                assert registry.list() == [one.actor.terminal for one in self.open]
                assert [one.actor.terminal.task for one in self.open] == [one.task for one in self.open]
                assert registry.places == len(self.open) <= (self.limits.terminals or len(self.open))
        assert all(actor.channel.closed for actor in self.house.actors)

    async def _do(self, step: Step) -> None:
        registry = self.house.registry
        match step:
            case Acquire():
                await self._acquire(step)
            case ReleaseTask(None):
                assert registry.release("nobody") == []
            case ReleaseTask(task):
                held = [one for one in self.open if one.task == task]
                assert registry.release(str(task)) == [one.actor.terminal for one in held]
                for one in held:
                    one.task = one.caller = None
            case _ if not self.open:
                return
            case Use(number):
                one = self.open[number % len(self.open)]
                one.used_at = self.clock.now
                if one.busy:
                    await one.actor.answer()
                    one.caller = None
                else:
                    await one.actor.terminal.start("x")
                one.busy = not one.busy
            case ReleaseTerminal(number, caller):
                one = self.open[number % len(self.open)]
                mine = one.caller == caller
                assert registry.release(one.actor.terminal, caller=caller) == [one.actor.terminal] * mine
                one.caller = None if mine else one.caller
            case Close(number):
                await self.open.pop(number % len(self.open)).actor.terminal.close()

    async def _acquire(self, step: Acquire) -> None:
        place = str(self.root / step.place)
        wish = Wish(place, step.task, False, step.require_cwd)
        choice = decide(wish, [one.view(wish, step.caller) for one in self.open], self.limits)
        if isinstance(choice, Refuse):
            with pytest.raises(truetty.LimitReached) as refused:
                await self._taken(step, place)
            assert (refused.value.limit, refused.value.value) == (choice.limit, choice.value)
            return
        actor = self.house.of(await self._taken(step, place))
        assert actor.terminal.cwd == place
        match choice:
            case Reuse(index):
                one = self.open[index]
                assert actor is one.actor
                one.task, one.caller, one.place, one.used_at = step.task, step.caller, place, self.clock.now
            case Open(instead_of):
                if instead_of is not None:
                    assert self.open.pop(instead_of).actor.channel.closed
                assert actor not in [one.actor for one in self.open]
                self.open.append(Known(actor, step.task, step.caller, place, self.clock.now))

    async def _taken(self, step: Acquire, place: str) -> Terminal:
        """The shells do what they are asked to: they come to their prompt, and go where they are sent."""
        registry, actors = self.house.registry, self.house.actors
        running = {id(actor.terminal.command) for actor in actors}
        prompted = {actor for actor in actors if actor.opened}
        taking = asyncio.ensure_future(
            registry.acquire(place, task=step.task, require_cwd=step.require_cwd, caller=step.caller)
        )
        while not taking.done():
            await asyncio.sleep(0)
            for actor in [actor for actor in actors if actor.opened and actor not in prompted]:
                prompted.add(actor)
                await actor.prompt()
            for actor in [
                actor for actor in actors if actor.terminal.busy and id(actor.terminal.command) not in running
            ]:
                command = actor.terminal.command
                assert command is not None
                running.add(id(command))
                actor.observer.place = os.path.realpath(shlex.split(command.text)[-1])
                await actor.answer()
        return await taking


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("places")
    for name in ("here", "there"):
        (made / name).mkdir()
    return made


@given(st.lists(STEPS, max_size=25), st.builds(Limits, st.sampled_from([None, 1, 2, 3]), st.sampled_from([None, 1, 2])))
@settings(max_examples=150, deadline=None)
def test_any_history(root: Path, steps: list[Step], limits: Limits) -> None:
    asyncio.run(Model(root, limits).play(steps))
