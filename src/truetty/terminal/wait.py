"""One caller's wait for one command: whether what it is for has come, and when to look again by itself.

Rule 1: almost everything is told by an event; only idleness and ports must be looked for, so only they set a time.
Rule 2: the command's end ends every wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from truetty.core.until import Exit, Idle, Input, Match, Port, Settled, Until
from truetty.host.kernel import ports
from truetty.text.clean import Cleaner

if TYPE_CHECKING:
    from truetty.terminal.command import Command

# A pattern is looked for in this much of the newest text; what is older was looked at when it came.
PATTERN_WINDOW: Final = 64 * 1024
# A look at the ports takes a few milliseconds: often enough for people, seldom enough for the machine.
PORT_LOOK: Final = 0.1
SLOWEST_LOOK: Final = 1.0
SLOWER: Final = 1.5


class Wait:
    def __init__(self, command: Command, until: Until) -> None:
        self._command = command
        self._until = until
        self._cleaner: Cleaner | None = None  # made when there is a pattern to look for
        self._at = command._returned
        self._window = ""
        self._next_look = 0.0
        self._pause = PORT_LOOK
        self.reached: str | None = None  # what has come of it, in a word; None if nothing has, yet
        self._was_open = isinstance(until, Port) and ports.is_open(until.number)

    def holds(self) -> bool:
        self.reached = self._look()
        return self.reached is not None

    def _look(self) -> str | None:
        command = self._command
        if command.finished:
            return "match" if isinstance(self._until, Match) and self._matches(self._until) else "exit"
        match self._until:
            case Exit():
                return None
            case Settled() | Input():
                return "input" if command._newly_waiting() else None
            case Match():
                return "match" if self._matches(self._until) else None
            case Idle():
                return "idle" if self._now() >= self._idle_at(self._until) else None
            case Port():
                return "port" if self._listens(self._until.number) else None
            case _:
                assert_never(self._until)

    def again(self) -> float | None:
        """When to look without being told; None: never."""
        match self._until:
            case Idle():
                return self._idle_at(self._until)
            case Port():
                return self._next_look
            case _:
                return None

    def _matches(self, until: Match) -> bool:
        output = self._command.output
        cleaner = self._cleaner = self._cleaner or Cleaner()
        if output.bytes > self._at:
            data = output.read(self._at)
            self._at += len(data)
            self._window = (self._window + cleaner.feed(data))[-PATTERN_WINDOW:]
        return until.pattern.search(self._window + cleaner.tail()) is not None

    def _idle_at(self, until: Idle) -> float:
        return self._command._quiet_since() + until.seconds

    def _listens(self, number: int) -> bool:
        now = self._now()
        if now < self._next_look:
            return False
        self._next_look = now + self._pause
        self._pause = min(self._pause * SLOWER, SLOWEST_LOOK)
        everyone = self._command._conversation.observer.everyone()
        found = None if everyone is None else ports.listening(process.pid for process in everyone)
        if found is not None and number in found:
            return True
        # A server that has left the terminal, as daemons do, is nobody's child; but it was not there before.
        return not self._was_open and ports.is_open(number) is True

    def _now(self) -> float:
        return self._command._terminal._now()
