"""What watches one shell on one pty of this machine: four parts, and how a look is made.

Rule 1: an observation is a fact of one moment. Nothing here concludes that a command has ended.
Rule 2: what makes a look conclusive or suggestive is said in `core/observation.py`.
Rule 3: what may not be seen is `unknown` or `None`, never a guess.
"""

from __future__ import annotations

from typing import Protocol

from truetty.core.observation import Observation
from truetty.host.base import Family, ShellProcess, Tty


class Look(Protocol):
    """Makes observations. None of it blocks."""

    @property
    def sees(self) -> bool:
        """Whether `observe` can ever show `ready` or a certain `waiting`. Decided once, when it is made."""

    def observe(self) -> Observation: ...
    def learn(self) -> bool:
        """The shell is at its primary prompt: remember how that looks. False if it is not blocked on the tty yet."""

    @property
    def knows_prompt(self) -> bool:
        """Whether the look of the primary prompt is known for the program that the shell process runs now."""


class Observer(Protocol):
    @property
    def look(self) -> Look: ...
    @property
    def tty(self) -> Tty: ...
    @property
    def process(self) -> ShellProcess: ...
    @property
    def family(self) -> Family: ...
    def close(self) -> None: ...
