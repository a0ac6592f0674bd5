"""What watches one shell on one pty of this machine: four parts, and how a look is made.

Rule 1: an observation is a fact of one moment. Nothing here concludes that a command has ended.
Rule 2: what makes a look conclusive or suggestive is said in `core/observation.py`.
Rule 3: what may not be seen is `unknown` or `None`, never a guess.
"""

from __future__ import annotations

from typing import Protocol

from truetty.core.observation import Observation
from truetty.host.base import Parts, Sight


class Look(Sight, Protocol):
    """Makes observations. None of it blocks."""

    def observe(self) -> Observation: ...


class Observer(Parts, Protocol):
    @property
    def look(self) -> Look: ...
    def forget(self) -> None:
        """The shell has ended: its pid may be another process's soon."""

    def close(self) -> None: ...
