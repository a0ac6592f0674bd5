"""What travels of hand-offs: an agent asks a person to take a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
