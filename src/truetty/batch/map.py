"""`map`: tasks by the thousand on any registry, so many at once, each in a new terminal.

Rule 1: tasks are taken from their source when there is room for them, so a source may be endless.
Rule 2: nothing is run twice but by the caller's rule (`attempts`, `retry`, `again`).
Rule 3: a run that is left (`break`, an exception, Ctrl-C) ends its terminals before it is over. Its tasks stay begun
        and not finished.
Rule 4: the registry may be full, for others use it too: then a task waits until one of ours has ended.
Rule 5: terminals of a server outlive a run that is killed. They are named after the file of results, and the next run
        with that file ends them before it begins.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Final, Protocol, Self, TypedDict

from truetty.batch.book import Book, mark
from truetty.batch.task import STATES, Task, TaskResult, TaskState
from truetty.core.checks import check_count
from truetty.core.errors import ChannelLost, Closed, LimitReached, Misuse, TruettyError
from truetty.core.kinds import described, quoted
from truetty.core.outcome import Outcome
from truetty.terminal.options import Making, ShellName

Retry = Collection[TaskState] | Callable[[TaskResult], bool]
AT_ONCE: Final = 10
LOST: Final[tuple[TaskState, ...]] = ("lost",)


class Running(Protocol):
    """Of a command, what is needed here: local or far."""

    async def wait(self, timeout: float | None = None) -> Outcome: ...
    async def stop(self) -> Outcome: ...


class Place(Protocol):
    """Of a terminal, what is needed here."""

    async def start(self, command: str) -> Running: ...
    async def close(self) -> None: ...


Open = Callable[[Task], Awaitable[Any]]  # gives a Place
OpenWith = Callable[[Mapping[str, float], dict[str, Any]], Awaitable[Any]]  # resources, and the arguments of `open`
EndNamed = Callable[[str], Awaitable[None]]  # ends the terminals whose names begin so
Tasks = Iterable[Task | Mapping[str, Any]]


class MapOptions(TypedDict, total=False):
    """How tasks are run."""

    at_once: int  # tasks that run at the same time
    out: str | os.PathLike[str] | None  # a file of results, from which a second run goes on
    attempts: int  # how often a task may be begun in this run
    retry: Retry  # after which results it is begun again: their states, or a function that says so
    again: bool  # tasks that an earlier run has begun and not finished are begun again
    on_start: Callable[[Task], None] | None  # called when a task's terminal is open


class MapArguments(Making, MapOptions, total=False):
    """What may be named beside the tasks."""

    shell: ShellName
    cwd: Any  # a directory, as in `open`


class Map:
    """`async for result in registry.map(tasks)`. Results come in the order in which tasks end."""

    def __init__(
        self,
        open: Open,
        tasks: Tasks,
        *,
        at_once: int = AT_ONCE,
        out: str | os.PathLike[str] | None = None,
        attempts: int = 1,
        retry: Retry = LOST,
        again: bool = False,
        on_start: Callable[[Task], None] | None = None,
        prepare: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        check_count("at_once", at_once)
        check_count("attempts", attempts)
        if not callable(retry) and (strange := [state for state in retry if state not in STATES]):
            raise Misuse(
                f"retry names states of results: {', '.join(STATES)}; not {described(strange[0])}", retry=strange
            )
        self._open = open
        self._tasks = iter(tasks)
        self._at_once = at_once
        self._attempts = attempts
        self._retry: Final = retry
        self._again = again
        self._on_start = on_start
        self._prepare = prepare
        self._book = None if out is None else Book(os.fspath(out))
        self.finished: Final = {} if self._book is None else dict(self._book.finished)  # by earlier runs: their states
        self.begun: Final = () if self._book is None else tuple(self._book.begun)  # by earlier runs, and not finished
        # Refused by an earlier run before they were begun: this run begins them.
        self.refused: Final = frozenset() if self._book is None else frozenset(self._book.refused)
        self._seen: set[str] = set()
        self._ended = asyncio.Event()  # one of ours has, since this was cleared
        self._places = 0  # terminals of ours that are open or being opened
        self._results = self._iterate()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> TaskResult:
        return await self._results.__anext__()

    async def aclose(self) -> None:
        """End what runs. Safe to call twice."""
        await self._results.aclose()
        if self._book is not None:
            self._book.close()

    async def _iterate(self) -> AsyncGenerator[TaskResult, None]:
        running: set[asyncio.Task[TaskResult]] = set()
        with self._book or nullcontext():
            try:
                if self._prepare is not None:
                    await self._prepare()
                while True:
                    while len(running) < self._at_once and (task := self._next()) is not None:
                        running.add(asyncio.ensure_future(self._run(task)))
                    if not running:
                        return
                    over, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                    for one in over:
                        yield one.result()
            finally:
                for one in running:
                    one.cancel()
                if running:
                    await asyncio.wait(running)

    def _next(self) -> Task | None:
        """The next that is to run."""
        for given in self._tasks:
            task = Task.of(given)
            if task.id in self._seen:
                raise Misuse(f"two tasks have the id {quoted(task.id)}", task=task.id)
            self._seen.add(task.id)
            if task.id not in self.finished and (self._again or task.id not in self.begun):
                return task
        return None

    async def _run(self, task: Task) -> TaskResult:
        before = 0 if self._book is None else self._book.begun.get(task.id, 0)
        for attempt in range(before + 1, before + self._attempts + 1):
            result = replace(await self._attempt(task, attempt), attempts=attempt)
            wanted = self._retry(result) if callable(self._retry) else result.state in self._retry
            if not wanted:
                break
        if self._book is not None:
            self._book.end(result)
        return result

    async def _attempt(self, task: Task, attempt: int) -> TaskResult:
        start = time.monotonic()
        outcomes: list[Outcome] = []

        def result(state: TaskState, error: str | None = None) -> TaskResult:
            return TaskResult(task.id, state, tuple(outcomes), attempt, time.monotonic() - start, error)

        try:
            place = await self._place(task)
        except (ChannelLost, Closed) as error:
            return result("lost", str(error))
        except TruettyError as error:
            return result("refused", str(error))
        try:
            if self._book is not None:
                self._book.start(task.id, attempt)
            if self._on_start is not None:
                self._on_start(task)
            return result(*await self._commands(place, task, outcomes))
        except (ChannelLost, Closed) as error:
            return result("lost", str(error))
        except TruettyError as error:  # of a command that was not started: the policy, a full disk
            return result("refused", str(error))
        finally:
            await asyncio.shield(self._leave(place))

    async def _place(self, task: Task) -> Place:
        while True:
            self._ended.clear()
            self._places += 1
            try:
                place: Place = await self._open(task)
            except BaseException as error:
                self._places -= 1
                if isinstance(error, LimitReached) and self._places:
                    await self._ended.wait()
                    continue
                self._ended.set()
                raise
            return place

    async def _leave(self, place: Place) -> None:
        try:
            await place.close()
        except TruettyError:
            pass  # it is gone already
        finally:
            self._places -= 1
            self._ended.set()

    async def _commands(self, place: Place, task: Task, outcomes: list[Outcome]) -> tuple[TaskState, str | None]:
        end = None if task.timeout is None else time.monotonic() + task.timeout
        for number, text in enumerate((*task.setup, *task.commands)):
            outcome, state, error = await _follow(await place.start(text), end)
            if number >= len(task.setup) or state != "done":
                outcomes.append(outcome)
            if state != "done":
                return state, error
        return "done", None


async def _follow(command: Running, end: float | None) -> tuple[Outcome, TaskState, str | None]:
    """How it has ended. One that asks something for certain is ended, and one whose time is over."""
    while True:
        left = None if end is None else max(0.0, end - time.monotonic())
        outcome = await command.wait(left)
        match outcome.state:
            case "finished":
                return outcome, "done" if outcome.exit_code == 0 else "failed", None
            case "lost":
                return outcome, "lost", "its terminal is gone"
            case "waiting" if outcome.waiting is None or outcome.waiting.certain:
                asked = "" if outcome.waiting is None else f": {outcome.waiting.prompt}"
                return await command.stop(), "waiting", f"it asked, and was ended{asked}"
            case _ if left is not None and end is not None and time.monotonic() >= end:
                return await command.stop(), "timed_out", "its time was over, and it was ended"


def map_by(
    open: Callable[..., Awaitable[Any]],
    tasks: Tasks,
    arguments: MapArguments,
    *,
    open_with: OpenWith | None = None,
    end_named: EndNamed | None = None,
) -> Map:
    """With terminals by a registry's `open`.

    `open_with` is for tasks that name resources, on a cluster. `end_named` is for a registry whose terminals outlive
    this program.
    """
    given: dict[str, Any] = dict(arguments)
    options = {name: given.pop(name) for name in MapOptions.__annotations__ if name in given}
    numbers = itertools.count(1)
    base: str | None = None  # of the names of terminals, once the file is there

    def place(task: Task) -> Awaitable[Any]:
        made = dict(given)
        if task.cwd is not None:
            made["cwd"] = task.cwd
        if task.env is not None:
            made["env"] = {**(made.get("env") or {}), **task.env}
        if base is not None:
            made.setdefault("name", f"{base}-{next(numbers)}")
        wanted = {name: much for name, much in (task.resources or {}).items() if much}
        return open(**made) if open_with is None or not wanted else open_with(wanted, made)

    async def prepare() -> None:
        nonlocal base
        if end_named is not None and options.get("out") is not None:
            base = mark(os.fspath(options["out"]))
            await end_named(f"{base}-")

    return Map(place, tasks, prepare=prepare, **options)
