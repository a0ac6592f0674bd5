"""Tickets: what the fragment of a page's URL holds, to be exchanged for a login.

Rule 1: a ticket is random (128 bits), is good once, and for a minute. One by which an agent hands a terminal over is
        good for 15 minutes, and for that terminal alone. A link to share is good until its end.
Rule 2: a wrong ticket is counted. After ten within a minute the next wrong ones hear that there were too many. A right
        one is taken all the same: it cannot be guessed, and a stranger at the port must not keep its owner out.
Rule 3: time is an argument.
"""

from __future__ import annotations

import secrets
from collections import deque
from dataclasses import dataclass
from typing import Final

TICKET_SECONDS: Final = 60.0
# Of a ticket that an agent has a person shown: time to find the window and the password.
INVITATION_SECONDS: Final = 15 * 60.0
MOST_TICKETS: Final = 16  # that are open: the oldest gives way
MOST_WRONG: Final = 10  # within WRONG_SECONDS
WRONG_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class TooManyWrong(Exception):
    seconds: float  # until the oldest is forgotten


@dataclass(frozen=True, slots=True)
class Grant:
    """What a good ticket is for."""

    until: float  # when it is over
    terminal: str | None  # the one that its login is for; None: all


class WrongOnes:
    """Those of the last minute: tickets, or tokens of programs."""

    def __init__(self) -> None:
        self._at: deque[float] = deque()

    def add(self, now: float) -> None:
        """A wrong one has come. Raises TooManyWrong."""
        while self._at and self._at[0] <= now - WRONG_SECONDS:
            self._at.popleft()
        if len(self._at) >= MOST_WRONG:
            raise TooManyWrong(self._at[0] + WRONG_SECONDS - now)
        self._at.append(now)


class Tickets:
    def __init__(self) -> None:
        self._open: dict[str, Grant] = {}
        self._wrong = WrongOnes()

    def make(self, now: float, seconds: float = TICKET_SECONDS, terminal: str | None = None) -> str:
        while len(self._open) >= MOST_TICKETS:
            del self._open[next(iter(self._open))]
        ticket = secrets.token_urlsafe(16)
        self._open[ticket] = Grant(now + seconds, terminal)
        return ticket

    def is_good(self, ticket: str, now: float) -> bool:
        found = self._open.get(ticket)
        return found is not None and now < found.until

    def take(self, ticket: str, now: float) -> Grant | None:
        """What it is for, if it is good. It is not any more."""
        found = self._open.pop(ticket, None)
        return found if found is not None and now < found.until else None

    def count_wrong(self, now: float) -> None:
        """A wrong one has come. Raises TooManyWrong."""
        self._wrong.add(now)
