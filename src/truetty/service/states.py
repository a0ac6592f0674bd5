"""Which task or caller a terminal of a registry belongs to: eight states, and a table of what may follow.

    OPENING ──▸ WARM ──▸ MOVING ──▸ GIVEN ──a command ends──▸ HELD by its task, or FREE
       │ └───────────────▴ │  ▴                                  │
       └───────────▸ GIVEN │  └──────────────acquire─────────────┘
                           └──it cannot be used──▸ as it was before
    OPENING ──▸ OWN ──release(task)──▸ FREE
    any ──▸ CLOSING

Rule: a caller is a token. It has the terminal until a command has ended there, or until it is over: an asyncio task
      that is done, a thread that has ended. Another caller of the same task may have it then.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Claim:
    """The task and the caller that asked for a terminal."""

    task: str | None
    caller: object  # None: it is over

    def is_open_to(self, caller: object) -> bool:
        """Whether this caller may act on it: it is the same one, or the one who asked is over."""
        over = isinstance(self.caller, threading.Thread) and not self.caller.is_alive()
        return over or self.caller is None or self.caller is caller


@dataclass(frozen=True, slots=True)
class Opening:
    claim: Claim | None = None  # None: for the pool of warm shells


@dataclass(frozen=True, slots=True)
class Warm:
    """Open, and never handed out."""


@dataclass(frozen=True, slots=True)
class Held:
    """By a task of which no caller uses it now."""

    task: str


@dataclass(frozen=True, slots=True)
class Free:
    pass


@dataclass(frozen=True, slots=True)
class Moving:
    """It is given the right size and directory."""

    claim: Claim
    back: Warm | Held | Free  # what it is again if that fails


@dataclass(frozen=True, slots=True)
class Given:
    """Handed out, and no command has ended in it since."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class Own:
    """Made by `Registry.open`: it is its opener's until it is closed, and no other caller gets it."""

    task: str | None


@dataclass(frozen=True, slots=True)
class Closing:
    known: bool  # a caller has had it: its id stays valid


State = Opening | Warm | Held | Free | Moving | Given | Own | Closing

FOLLOWS: Final[Mapping[type[State], tuple[type[State], ...]]] = {
    Opening: (Opening, Warm, Moving, Given, Own, Closing),
    Warm: (Moving, Closing),
    Moving: (Moving, Warm, Held, Free, Given, Closing),
    Given: (Given, Moving, Held, Free, Closing),
    Held: (Moving, Free, Closing),
    Free: (Moving, Closing),
    Own: (Free, Closing),
    Closing: (),
}


def without_caller(task: str | None) -> Held | Free:
    """What a terminal is that no caller has."""
    return Free() if task is None else Held(task)
