"""One listener to one command's events.

Rule 1: the terminal never waits for a listener. What happened is noted when it happens, in a queue that is bounded;
        output is not queued at all but read from the transcript when the listener comes for it.
Rule 2: output comes in pieces that are at least `coalesce` seconds apart; whatever else happens, the end above all,
        is told at once, and after the output before it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from truetty import events
from truetty.core.machine import State
from truetty.store.slices import turn

if TYPE_CHECKING:
    from truetty.terminal.command import Command

# A listener this many bytes behind is given the end of them only.
MOST_BEHIND: Final = 16 << 20
KEPT_BEHIND: Final = 1 << 16
# So much is made readable at once, a few milliseconds of work; then others have their turn.
SLICE: Final = 1 << 18
# A program that waits and goes on a thousand times while nobody listens: the oldest of it is of no interest.
MOST_QUEUED: Final = 1000


class Stream:
    """`async for event in command.events()`. It listens from the moment it is made."""

    def __init__(self, command: Command, coalesce: float) -> None:
        self._command = command
        self._coalesce = coalesce
        self._reader = command.output.reader()
        self._queue: deque[tuple[int, events.Event]] = deque()  # each with where in the output it was
        self._dropped = 0
        self._started = self._downgraded = self._finished = False
        self._marked = command._conversation.marked
        self._episode: int | None = None  # the reading that was told last, while it lasts
        self._next_output = 0.0
        self._looked = -1  # where the output ended when it was last looked at
        self._over = False
        command._streams.append(self)
        self.note()

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> events.Event:
        terminal = self._command._terminal
        while not self._over:
            if self._reader.behind() > SLICE:
                await turn()
            if (event := self._take()) is not None:
                return event
            if self._finished and not self._queue and self._reader.behind() <= 0:
                self._over = True
                self._command._streams.remove(self)
                return events.Finished(await self._command.report())
            await terminal.changes.until(self._anything, None)
            left = self._next_output - terminal._now()
            if not self._queue and not self._finished and left > 0:
                await terminal.changes.until(lambda: self._finished or bool(self._queue), left)
            if terminal.changes.over and not self._anything():
                await self.aclose()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Listen no longer."""
        self._over = True
        if self in self._command._streams:
            self._command._streams.remove(self)
        self._command._terminal.changes.tell()  # another task may be listening on it

    def note(self) -> None:
        """Something changed: note what there is to tell of it."""
        command, machine = self._command, self._command._machine
        if self._finished:
            return
        if not self._started and (machine.output_from is not None or (machine.state is State.RUNNING)):
            self._started = True
            self._queue.append((0, events.Started(command.id, command.text)))  # before any output
        if machine.downgraded and not self._downgraded:
            self._downgraded = True
            self._add(events.Downgraded(machine.strategy))
        if machine.healed or (command._conversation.marked and not self._marked and not self._downgraded):
            self._marked = True
            self._add(events.Healed("rich"))
        reading = machine.waiting
        if reading is not None and machine.episode != self._episode:
            self._episode = machine.episode
            self._add(events.Waiting(command._waiting(reading)))
        elif reading is None and self._episode is not None and machine.ending is None:
            self._episode = None
            self._add(events.Resumed())
        if command.finished:
            self._finished = True  # the event is made when the listener has taken what was before it

    def _add(self, event: events.Event) -> None:
        self._queue.append((self._reader.end, event))
        if len(self._queue) > MOST_QUEUED:
            minor = (isinstance(old, events.Waiting | events.Resumed) for _, old in self._queue)
            del self._queue[list(minor).index(True)]
            self._dropped += 1

    def _anything(self) -> bool:
        return self._over or self._finished or bool(self._queue) or self._reader.end != self._looked

    def _take(self) -> events.Event | None:
        at, event = self._queue[0] if self._queue else (None, None)
        if self._dropped and not isinstance(event, events.Started):
            dropped, self._dropped = self._dropped, 0
            return events.Gap(0, dropped)
        behind = self._reader.behind(at)
        if behind > MOST_BEHIND:
            return events.Gap(self._reader.skip(behind - KEPT_BEHIND))
        now = self._command._terminal._now()
        if event is not None or self._finished or now >= self._next_output:
            self._looked = self._reader.end
            if behind > SLICE:
                return events.Output(self._reader.until(self._reader.at + SLICE))
            if behind > 0 and (text := self._reader.until(at)):
                self._next_output = now + self._coalesce
                return events.Output(text)
        if event is None:
            return None
        self._queue.popleft()
        return event
