"""One listener to one command's events.

Rule 1: the terminal never waits for a listener. What happened is noted when it happens, in a queue that is bounded;
        output is not queued at all but read from the transcript when the listener comes for it.
Rule 2: output comes in pieces that are at least `coalesce` seconds apart. Every other event, the end above all, comes
        at once, after the output before it.
Rule 3: no text is made where something happens, only where the listener comes for it, and then in slices.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from truetty import events
from truetty.core.outcome import Outcome
from truetty.store.output import Output
from truetty.store.slices import turn
from truetty.terminal.answers import Answers
from truetty.terminal.changes import Changes, Rank
from truetty.terminal.wire.run import Run

# A listener this many bytes behind is given the end of them only.
MOST_BEHIND: Final = 16 << 20
KEPT_BEHIND: Final = 1 << 16
# So much is made readable at once, a few milliseconds of work; then others have their turn.
SLICE: Final = 1 << 18
# If a program waits and goes on more often while its events are not read, the oldest ones are dropped.
MOST_QUEUED: Final = 1000


class EventQueue:
    """What happened and was not taken yet, each with where in the output it was. Bounded: it counts what it drops."""

    def __init__(self) -> None:
        self._events: deque[tuple[int, events.Event]] = deque()
        self._once: set[type[events.Event]] = set()  # of those that come once, what has come
        self._dropped = 0

    def __len__(self) -> int:
        return len(self._events)

    @property
    def first(self) -> tuple[int | None, events.Event | None]:
        return self._events[0] if self._events else (None, None)

    def add(self, at: int, event: events.Event) -> None:
        self._events.append((at, event))
        if len(self._events) > MOST_QUEUED:
            minor = (isinstance(old, events.Waiting | events.Resumed) for _, old in self._events)
            del self._events[list(minor).index(True)]
            self._dropped += 1

    def add_once(self, at: int, event: events.Event) -> None:
        if type(event) not in self._once:
            self._once.add(type(event))
            self.add(at, event)

    def take_dropped(self) -> int:
        """How many were dropped since this was last asked. Before the command has started, none is said to be."""
        if isinstance(self.first[1], events.Started):
            return 0
        dropped, self._dropped = self._dropped, 0
        return dropped

    def pop(self) -> None:
        self._events.popleft()


class Stream:
    """`async for event in command.events()`. It listens from the moment it is made.

    `outcome` makes the command's outcome in slices.
    """

    def __init__(
        self,
        start: events.Started,
        run: Run,
        output: Output,
        changes: Changes,
        answers: Answers,
        *,
        outcome: Callable[[], Awaitable[Outcome]],
        coalesce: float,
    ) -> None:
        self._start = start
        self._run = run
        self._changes = changes
        self._answers = answers
        self._outcome = outcome
        self._coalesce = coalesce
        self._reader = output.reader()
        self._queue = EventQueue()
        self._waiting: int | None = None  # the number of the waiting that was noted last, while it lasts
        self._next_output = 0.0
        self._looked = -1  # where the output ended when it was last looked at
        self._over = False
        self._leave = changes.subscribe(self._note, Rank.STREAMS)
        self._note()

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> events.Event:
        while not self._over:
            if self._reader.behind() > SLICE:
                await turn()
            if (event := self._take()) is not None:
                return event
            if self._finished and not self._queue and self._reader.behind() <= 0:
                await self.aclose()
                return events.Finished(await self._outcome())
            await self._changes.until(self._anything, None)
            left = self._next_output - self._now()
            if not self._queue and not self._finished and left > 0:
                await self._changes.until(lambda: self._finished or bool(self._queue), left)
            if self._changes.over and not self._anything():
                await self.aclose()
        raise StopAsyncIteration

    @property
    def at(self) -> int:
        """Up to this place of the terminal's transcript the output was given."""
        return self._reader.at

    def skip_to(self, at: int) -> None:
        """The output up to there was given by another stream."""
        if (far := min(at, self._reader.end) - self._reader.at - MOST_BEHIND) > 0:
            self._reader.skip(far)
        if self._reader.behind(at) > 0:
            self._reader.until(at)

    async def aclose(self) -> None:
        """Listen no longer."""
        self._over = True
        self._leave()
        self._changes.tell()  # another task may be listening on it

    @property
    def _finished(self) -> bool:
        return self._run.machine.ending is not None

    def _note(self) -> None:
        """Something changed: note what there is to tell of it."""
        run, queue, at = self._run, self._queue, self._reader.end
        if run.started:
            queue.add_once(0, self._start)  # before any output
        if run.machine.downgraded:
            queue.add_once(at, events.Downgraded(run.machine.strategy))
        if run.healed:
            queue.add_once(at, events.Healed("rich"))
        number = self._answers.open_waiting
        if number is not None and number != self._waiting and (waiting := self._answers.waiting) is not None:
            self._waiting = number
            queue.add(at, events.Waiting(waiting))
        elif run.reader.waiting is None and self._waiting is not None and not self._finished:
            self._waiting = None
            queue.add(at, events.Resumed())

    def _anything(self) -> bool:
        return self._over or self._finished or bool(self._queue) or self._reader.end != self._looked

    def _take(self) -> events.Event | None:
        at, event = self._queue.first
        if dropped := self._queue.take_dropped():
            return events.Gap(0, dropped)
        behind = self._reader.behind(at)
        if behind > MOST_BEHIND:
            return events.Gap(self._reader.skip(behind - KEPT_BEHIND))
        now = self._now()
        if event is not None or self._finished or now >= self._next_output:
            self._looked = self._reader.end
            if behind > SLICE:
                return events.Output(self._reader.until(self._reader.at + SLICE))
            if behind > 0 and (text := self._reader.until(at)):
                self._next_output = now + self._coalesce
                return events.Output(text)
        if event is not None:
            self._queue.pop()
        return event

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
