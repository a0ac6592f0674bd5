"""Whether a program only polls the keyboard: it waits for a key for a moment, again and again, and does nothing else.

Rule 1: it is decided by what the program does over a second. Five looks show the same reader in a wait for the tty that
        ends by itself, and the processes in front use next to no CPU.
Rule 2: a poller is awake for a moment after each wait. A look that finds it awake is made again soon. It counts for
        nothing, unless the program stays awake or uses CPU: then the program is at work.
Rule 3: output and keys start the second anew (`forget`). Silence alone proves nothing: looks do.
"""

from __future__ import annotations

from typing import Final

from truetty.core.observation import Observation

# Programs poll every 1 to 500 ms (irb, curses and textual every 100). In a second each of them has polled some times.
POLL_SPAN: Final = 1.0
POLL_LOOKS: Final = 5
# How much of the time the processes in front may be on a CPU. A Python loop that polls every 10 ms needs 1 %.
POLL_CPU: Final = 0.05
# How long a poller may be awake between two waits, on a machine where it has to queue for a CPU.
AWAKE_TIME: Final = 0.3


class PollWatch:
    __slots__ = ("_awake_until", "_begun", "_cpu", "_looks", "_reader", "_since")

    def __init__(self) -> None:
        self._reader: tuple[int | None, str | None] | None = None  # the poller and its kind; None: none is watched
        self._looks = 0  # that have shown it in its wait
        self._begun = 0.0  # when the first of them was made
        self._awake_until: float | None = None  # set by a look that found it awake: it must be back in its wait by then
        self._since = 0.0  # since when its CPU is counted: a second or two
        self._cpu = 0.0  # what the processes in front had used by then

    def forget(self) -> None:
        self._reader = None

    def on_reader(self, look: Observation, now: float) -> bool:
        """A look that shows a reader. Returns whether that reader has only polled for a second."""
        if not look.timed or look.cpu is None:
            self.forget()
            return False
        who = (look.reader, look.kind)
        if who != self._reader:
            self._reader, self._looks, self._begun, self._since, self._cpu = who, 0, now, now, look.cpu
        elif now >= self._since + POLL_SPAN:
            self._since, self._cpu = now, look.cpu
        self._looks += 1
        self._awake_until = None
        return self._looks >= POLL_LOOKS and now >= self._begun + POLL_SPAN

    def is_at_work(self, look: Observation, now: float) -> bool:
        """Whether the processes in front have used CPU since the poller was first seen."""
        return self._reader is not None and look.cpu is not None and not self._rests(look.cpu, now)

    def is_awake(self, look: Observation, now: float) -> bool:
        """Whether a look that shows no reader may have found the poller awake between two waits."""
        if self._reader is None or look.seen != "running" or not look.busy or look.cpu is None:
            return False
        self._awake_until = self._awake_until or now + AWAKE_TIME
        return now < self._awake_until and self._rests(look.cpu, now)

    def _rests(self, cpu: float, now: float) -> bool:
        return 0 <= cpu - self._cpu <= POLL_CPU * max(now - self._since, POLL_SPAN)
