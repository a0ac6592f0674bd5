"""One caller's wait for one command: whether what it is for has come, and when to look again by itself.

Rule 1: almost everything is told by an event; only idleness and ports must be looked for, so only they set a time.
Rule 2: the command's end ends every wait.
Rule 3: a pattern is looked for in all output that no earlier wait has returned, before patience or the end counts.
"""

from __future__ import annotations

import asyncio
from typing import Final, assert_never

from truetty.core.until import Exit, Idle, Input, Match, Port, Settled, Until
from truetty.store.output import Output
from truetty.store.slices import turn
from truetty.terminal.answers import Answers
from truetty.terminal.changes import Changes
from truetty.terminal.wire.conversation import Conversation
from truetty.terminal.wire.run import Run
from truetty.text.clean import Cleaner

# A pattern is looked for in each slice together with this much of the text before it.
OVERLAP: Final = 64 * 1024
# So much is made readable and searched at once, a few milliseconds of work; then others have their turn.
SLICE: Final = 1 << 18
# A look at the ports takes a few milliseconds: often enough for people, seldom enough for the machine.
PORT_LOOK: Final = 0.1
SLOWEST_LOOK: Final = 1.0
SLOWER: Final = 1.5


class Wait:
    """`returned`: up to where an earlier wait has returned the output; `told`: the last waiting it has told of."""

    def __init__(
        self,
        run: Run,
        output: Output,
        changes: Changes,
        until: Until,
        *,
        answers: Answers,
        conversation: Conversation,
        returned: int,
        told: int,
    ) -> None:
        self._run = run
        self._output = output
        self._changes = changes
        self._until = until
        self._answers = answers
        self._conversation = conversation
        self._family = conversation.channel.family
        self._told = told
        self._cleaner: Cleaner | None = None  # made when there is a pattern to look for
        self._at = returned  # up to here the output was searched
        self._before = ""  # the end of what was searched
        self._next_look = 0.0
        self._pause = PORT_LOOK
        self._reached: str | None = None
        self._was_open = self._family.port_is_open(until.number) if isinstance(until, Port) else None

    async def wait(self, timeout: float | None) -> str | None:
        """Returns what has come of it, in a word; None if patience is over."""
        await self._catch_up()
        await self._changes.until(self._holds, timeout, self._again)
        await self._catch_up()
        return self._reached

    async def _catch_up(self) -> None:
        """Search what is there now, in slices."""
        if isinstance(self._until, Match):
            end = self._output.bytes
            while self._at < end and not self._holds():
                await turn()

    def _holds(self) -> bool:
        self._reached = self._reached or self._look()
        return self._reached is not None

    def _look(self) -> str | None:
        if self._run.ending is not None:
            if isinstance(self._until, Match) and self._matches(self._until):
                return "match"
            return None if self._behind else "exit"
        match self._until:
            case Exit():
                return None
            case Settled() | Input():
                return "input" if (self._answers.open_waiting or 0) > self._told else None
            case Match():
                return "match" if self._matches(self._until) else None
            case Idle():
                return "idle" if self._now() >= self._idle_at(self._until) else None
            case Port():
                return "port" if self._listens(self._until.number) else None
            case _:
                assert_never(self._until)

    def _again(self) -> float | None:
        """When to look without being told; None: never."""
        match self._until:
            case Idle():
                return self._idle_at(self._until)
            case Port():
                return self._next_look
            case Match() if self._behind:
                return self._now()
            case _:
                return None

    @property
    def _behind(self) -> bool:
        """Whether there is output that was not searched yet."""
        return isinstance(self._until, Match) and self._at < self._output.bytes

    def _matches(self, until: Match) -> bool:
        """Search one slice more."""
        cleaner = self._cleaner = self._cleaner or Cleaner()
        end = max(self._at, min(self._output.bytes, self._at + SLICE))
        text = self._before + cleaner.feed(self._output.read(self._at, end - self._at))
        self._at, self._before = end, text[-OVERLAP:]
        return until.pattern.search(text + cleaner.tail()) is not None

    def _idle_at(self, until: Idle) -> float:
        return max(self._conversation.timeline.heard_at, self._run.asked_at) + until.seconds

    def _listens(self, number: int) -> bool:
        now = self._now()
        if now < self._next_look:
            return False
        self._next_look = now + self._pause
        self._pause = min(self._pause * SLOWER, SLOWEST_LOOK)
        found = self._family.ports()
        if found is not None and number in found:
            return True
        # A server that has left the terminal, as daemons do, is nobody's child; but it was not there before.
        return self._was_open is False and self._family.port_is_open(number) is True

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
