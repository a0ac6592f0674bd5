"""When to look at the kernel next. Time decides nothing but that.

Rule 1: no look is made while bytes flow; the first comes when they pause.
Rule 2: as long as nothing changes, looks become rarer; output, keys and marks make them frequent again. What changes
        and prints nothing is seen after about a tenth of the silence before it, and after 5 s at most.
"""

from __future__ import annotations

from math import inf
from typing import Final

# Programs print in bursts. The first look is made after so long without a byte.
LOOK_AFTER_OUTPUT: Final = 0.02
# Up to this time between two looks, each time is 1.6 times the one before: it is reached after 1.3 s.
STEADY_LOOKS: Final = 0.5
# From then on it is 1.1 times the one before: about a tenth of the silence so far. A look costs about 0.1 ms: at this
# rate a thousand silent commands cost a fiftieth of one core.
SLOWEST_LOOKS: Final = 5.0
# A background job that prints for ever must not hide a prompt for ever.
LONGEST_FLOOD: Final = 2.0
# The shell prints its mark P and blocks in its editor 0.3 ms later.
LOOK_AFTER_MARK: Final = 0.0005
# Longer than a line takes from our write to the reader's wake-up.
LOOK_AFTER_KEYS: Final = 0.005


class Pace:
    __slots__ = ("_step", "at", "looked")

    def __init__(self, now: float) -> None:
        self.at = now + LOOK_AFTER_OUTPUT  # the next look is due
        self._step = LOOK_AFTER_OUTPUT
        self.looked = now  # when the last look was asked for

    def bytes_flow(self, now: float) -> None:
        self._step = LOOK_AFTER_OUTPUT
        self.at = min(now + LOOK_AFTER_OUTPUT, max(self.looked + LONGEST_FLOOD, now))

    def look(self, now: float) -> None:
        """A look is being made."""
        self.looked = now
        self.at = now + self._step

    def soon(self, now: float, delay: float) -> None:
        self._step = LOOK_AFTER_OUTPUT
        self.at = now + delay

    def at_once(self, now: float) -> None:
        """And soon again, if that was a moment too early."""
        self._step = LOOK_AFTER_MARK
        self.at = now

    def at_latest(self, now: float, delay: float) -> None:
        """So soon, or sooner if a look is due then."""
        self.at = min(self.at, now + delay)

    def again(self, now: float, delay: float | None) -> None:
        """After so many seconds; None: at the usual pace."""
        if delay is None:
            self.slower(now)
        else:
            self.soon(now, delay)

    def slower(self, now: float) -> None:
        self.at = now + self._step
        longer = min(self._step * 1.6, STEADY_LOOKS)
        self._step = min(max(longer, self._step * 1.1), SLOWEST_LOOKS)

    def rest(self) -> None:
        """Until something else happens."""
        self.at = inf
