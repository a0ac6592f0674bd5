"""What happens to a running command, as values: what `Command.events()` streams.

    Started  (Output | Gap | Waiting | Resumed | Downgraded | Healed)*  Finished

Rule 1: in the order in which it happened; one `Finished`, and nothing after it.
Rule 2: `Output` is clean text. A line that changed after it was given (a progress bar) comes again, whole.
Rule 3: a listener that is too slow gets a `Gap`, which says how much it missed. Nothing is lost: the command's `output`
        has it.
"""

from __future__ import annotations

from dataclasses import dataclass

from truetty.core.outcome import Outcome, Strategy
from truetty.core.outcome import Waiting as WaitingFor


@dataclass(frozen=True, slots=True)
class Started:
    """The shell has begun to run it. A command that never began has no such event."""

    command_id: str  # such as "t1-3"
    text: str  # the command, as it was given


@dataclass(frozen=True, slots=True)
class Output:
    """It has printed something."""

    text: str  # clean, and whole lines where they are complete


@dataclass(frozen=True, slots=True)
class Gap:
    """So many bytes of output, or so many waitings and resumings, were left out; `Command.output` has the bytes."""

    bytes: int  # of output
    events: int = 0  # waitings and resumings


@dataclass(frozen=True, slots=True)
class Waiting:
    """It reads the keyboard and cannot go on without it."""

    waiting: WaitingFor  # the question


@dataclass(frozen=True, slots=True)
class Resumed:
    """It waits no longer."""


@dataclass(frozen=True, slots=True)
class Downgraded:
    """Our marks stopped in mid-command: from here on only the kernel can show the end."""

    strategy: Strategy  # how it is followed from here on


@dataclass(frozen=True, slots=True)
class Healed:
    """The marks work again."""

    strategy: Strategy  # how it is followed from here on


@dataclass(frozen=True, slots=True)
class Finished:
    """It has ended. This is the last event."""

    outcome: Outcome  # how


Event = Started | Output | Gap | Waiting | Resumed | Downgraded | Healed | Finished
