"""Keys for a command that has not started yet, or has started just now.

At the prompt or right behind the trigger the shell's editor would take them, so they wait until the start mark C has
come, or until a look shows that a program reads.

The interrupt key waits longer. Until the command's first program is in front, the shell itself is, and would drop its
SIGINT on the way. It is also the only key that a prompt hook gets in the end.

Rule 1: on a busy machine a shell may get no CPU for a second. No time says that it is not on its way any more: it is
        not when it sleeps, or when it has used more CPU than the way takes.
Rule 2: busybox sleeps for 20 ms on the way to its prompt. Before the start a shell in front of which there is no
        program must have slept for 0.3 s, without a moment on a CPU.
Rule 3: where that cannot be seen, the same number of seconds must do. There other keys, too, go by time, for no look
        would show a reader.
"""

from __future__ import annotations

from typing import Final

from truetty.host.base import Work

# A shell starts a command within milliseconds. In this time a prompt hook that sleeps may end.
COMMAND_START: Final = 0.3
# From C to the first program a shell takes a few milliseconds; one that has used more does the command's work itself.
PROGRAM_START: Final = 0.05


class EarlyKeys:
    def __init__(self) -> None:
        self._data = bytearray()
        self._started = False  # C has come
        self._until = 0.0
        self._used: float | None = None  # CPU that was used when they began to wait
        self._sleep: tuple[float, float] | None = None  # CPU that was used, and when a look first found all asleep
        self.interrupt = False  # the interrupt key is among them

    def __len__(self) -> int:
        return len(self._data)

    def add(self, data: bytes, now: float, *, interrupt: bool = False) -> None:
        self._data += data
        if not self._started:
            self._until = now + COMMAND_START
        self.interrupt = self.interrupt or interrupt

    def on_trigger(self, now: float) -> None:
        """The command was typed: from now on it may start."""
        self._until, self._used, self._sleep = now + COMMAND_START, None, None

    def on_start(self, now: float) -> None:
        """C has come: the first program may start."""
        self._started = True
        self._until, self._used = now + PROGRAM_START, None

    def is_starting(self, now: float, work: Work | None) -> bool:
        """After the start: whether a program may be about to. `work`: None where it cannot be seen."""
        return now <= self._until if work is None else not (work.asleep or self._has_used(work, PROGRAM_START))

    def are_due(self, now: float, work: Work | None, *, program: bool) -> bool:
        """Before the start: whether they go to what holds it up. `program`: a program is in front of the shell."""
        slept = work is not None and self._has_slept(now, work)
        if now <= self._until or work is None:
            return now > self._until
        return slept or (program and work.asleep) or self._has_used(work, COMMAND_START)

    def _has_used(self, work: Work, way: float) -> bool:
        """`way`: seconds of CPU that it takes."""
        if self._used is None:
            self._used = work.cpu
        return work.cpu >= self._used + way

    def _has_slept(self, now: float, work: Work) -> bool:
        if not work.asleep:
            self._sleep = None
        elif self._sleep is None or self._sleep[0] != work.cpu:
            self._sleep = work.cpu, now
        return self._sleep is not None and now >= self._sleep[1] + COMMAND_START

    def take(self) -> bytes:
        data = bytes(self._data)
        self._data.clear()
        self._used = self._sleep = None
        self.interrupt = False
        return data
