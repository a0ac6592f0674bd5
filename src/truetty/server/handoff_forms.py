"""What travels of hand-offs: an agent asks a person to take a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from truetty.server.forms import CommandForm, DeedForm

How = Literal["given back", "declined", "went on", "finished"]


@dataclass(frozen=True, slots=True)
class HandoffForm:
    """A command whose agent asks a person to take the terminal, as it travels."""

    command_id: str
    terminal_id: str
    reason: str  # the agent's words
    reader: str  # which program gets what is typed
    warnings: tuple[str, ...]  # why not to type a secret
    asked_at: float


@dataclass(frozen=True, slots=True)
class HandoffResult:
    """What the person did."""

    how: How | None  # None: the wait is over, and the person is still asked
    by: str | None  # the person who had the terminal, or has declined
    word: str | None  # of declined: for the agent
    did: tuple[DeedForm, ...]  # that the person has run
    command: CommandForm
