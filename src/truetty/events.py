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

    command_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Output:
    text: str


@dataclass(frozen=True, slots=True)
class Gap:
    """So many bytes of output, or so many waitings and resumings, were left out; `Command.output` has the bytes."""

    bytes: int
    events: int = 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """It reads the keyboard and cannot go on without it."""

    waiting: WaitingFor


@dataclass(frozen=True, slots=True)
class Resumed:
    """It waits no longer."""


@dataclass(frozen=True, slots=True)
class Downgraded:
    """Our marks stopped in mid-command: from here on only the kernel can show the end."""

    strategy: Strategy


@dataclass(frozen=True, slots=True)
class Healed:
    """The marks work again."""

    strategy: Strategy


@dataclass(frozen=True, slots=True)
class Finished:
    outcome: Outcome


Event = Started | Output | Gap | Waiting | Resumed | Downgraded | Healed | Finished
