"""One caller's wait for one command: whether what it is for has come, and when to look again by itself.

Rule 1: almost everything comes as an event; only idleness and ports must be looked for, so only they set a time.
Rule 2: the command's end ends every wait.
Rule 3: a pattern is looked for in all output that no earlier wait has returned, before the time or the end counts.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from operator import attrgetter
from typing import Final, NamedTuple, assert_never

from truetty.core.outcome import Reached
from truetty.core.patterns import WINDOW, BoundedPattern, Found, Pattern, searches
from truetty.core.until import Exit, Idle, Input, Match, Port, Screen, Settled, Until
from truetty.host.base import Family
from truetty.store.output import Output
from truetty.store.slices import turn
from truetty.terminal.answers import Answers
from truetty.terminal.changes import Changes
from truetty.terminal.viewer import Viewer
from truetty.terminal.wire.conversation import Conversation
from truetty.terminal.wire.run import Run
from truetty.text.clean import Cleaner

# A pattern is looked for in each slice together with this much of the text before it.
OVERLAP: Final = 64 * 1024
# So much is made readable and searched at once, less where the cleaner takes less; then others have their turn.
SLICE: Final = 1 << 16
# A look at the ports takes a few milliseconds: often enough for people, seldom enough for the machine.
PORT_LOOK: Final = 0.1
SLOWEST_LOOK: Final = 1.0
SLOWER: Final = 1.5


class PatternSearch:
    """Looks for patterns in the output from `at` on, a slice at a time."""

    def __init__(self, patterns: tuple[Pattern, ...], output: Output, at: int) -> None:
        self._patterns = patterns
        bounded = any(isinstance(pattern, BoundedPattern) for pattern in patterns)
        self._slice, self._overlap = (WINDOW // 2, WINDOW // 2) if bounded else (SLICE, OVERLAP)
        self._output = output
        self._at = at  # up to here the output was searched
        self._before = ""  # the end of what was searched
        self._is_cut = False  # whether more was searched before that
        self._cleaner = Cleaner()

    @property
    def is_behind(self) -> bool:
        """Whether there is output that was not searched yet."""
        return self._at < self._output.bytes

    def is_before(self, end: int) -> bool:
        return self._at < end

    def find(self) -> Found | None:
        """Search one slice more. Of several patterns, the one that is found first in the text."""
        end = max(self._at, min(self._output.bytes, self._at + self._slice))
        fresh, left = next(self._cleaner.portions(self._output.read(self._at, end - self._at)), ("", 0))
        text = self._before + fresh
        whole, start = text + self._cleaner.tail(), int(self._is_cut)
        # The character before is kept too: where the text is cut no line begins.
        self._is_cut = self._is_cut or len(text) > self._overlap + 1
        self._at, self._before = end - left, text[-self._overlap - 1 :]
        found = [self._first(index, whole, start) for index in range(len(self._patterns))]
        return min((one for one in found if one is not None), key=attrgetter("start", "index"), default=None)

    def _first(self, index: int, text: str, start: int) -> Found | None:
        found = next((one for one in searches(self._patterns[index], text, start) if one is not None), None)
        return found if found is None or not index else replace(found, index=index)


class PortWatch:
    """Looks for a listener on a port, more rarely the longer there is none."""

    def __init__(self, number: int, family: Family) -> None:
        self._number = number
        self._family = family
        self._pause = PORT_LOOK
        self._was_open = family.port_is_open(number)
        self.next_look = 0.0

    def finds(self, now: float) -> bool:
        if now < self.next_look:
            return False
        self.next_look = now + self._pause
        self._pause = min(self._pause * SLOWER, SLOWEST_LOOK)
        ports = self._family.ports()
        if ports is not None and self._number in ports:
            return True
        # A server that has left the terminal, as daemons do, is no child of the shell; but it was not there before.
        return self._was_open is False and self._family.port_is_open(self._number) is True


class WaitResult(NamedTuple):
    reached: Reached | None  # None: patience was over
    match: Found | None


class Wait:
    """`from_byte`: where the output begins that no earlier wait has returned; `after_waiting`: the number of the last
    waiting that one has returned."""

    def __init__(
        self,
        run: Run,
        output: Output,
        changes: Changes,
        until: Until,
        *,
        answers: Answers,
        conversation: Conversation,
        viewer: Viewer,
        from_byte: int,
        after_waiting: int,
    ) -> None:
        self._run = run
        self._output = output
        self._changes = changes
        self._until = until
        self._answers = answers
        self._timeline = conversation.link.timeline
        self._viewer = viewer
        self._began = self._now() if isinstance(until, Idle) else 0.0
        self._after_waiting = after_waiting
        self._search = PatternSearch(until.patterns, output, from_byte) if isinstance(until, Match) else None
        self._port = PortWatch(until.number, conversation.link.channel.family) if isinstance(until, Port) else None
        self._found: Found | None = None
        self._reached: Reached | None = None

    async def wait(self, timeout: float | None) -> WaitResult:
        if self._search is not None:
            await self._catch_up(self._search)
        await self._changes.until(self._holds, timeout, self._again)
        if self._search is not None:
            await self._catch_up(self._search)
        return WaitResult(self._reached, self._found)

    async def _catch_up(self, search: PatternSearch) -> None:
        """Search what is there now, in slices."""
        end = self._output.bytes
        while search.is_before(end) and not self._holds():
            await turn()

    def _holds(self) -> bool:
        self._reached = self._reached or self._look()
        return self._reached is not None

    def _look(self) -> Reached | None:
        if self._search is not None:
            self._found = self._search.find()
            if self._found is not None:
                return "match"
        if isinstance(self._until, Screen) and self._until.holds(self._viewer.look()):
            return "screen"
        if self._run.machine.ending is not None:
            return None if self._is_behind else "exit"
        match self._until:
            case Settled() | Input():
                return "input" if (self._answers.open_waiting or 0) > self._after_waiting else None
            case Idle():
                return "idle" if self._now() >= self._idle_at(self._until) else None
            case Port():
                return "port" if self._port is not None and self._port.finds(self._now()) else None
            case Exit() | Match() | Screen():
                return None
            case _:
                assert_never(self._until)

    def _again(self) -> float | None:
        """When to look without being told; None: never."""
        if isinstance(self._until, Idle):
            return self._idle_at(self._until)
        if self._port is not None:
            return self._port.next_look
        return self._now() if self._is_behind else None

    @property
    def _is_behind(self) -> bool:
        return self._search is not None and self._search.is_behind

    def _idle_at(self, until: Idle) -> float:
        return max(self._timeline.heard_at, self._run.machine.typed_at, self._began) + until.seconds

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
