"""The machine of one command with a clock that the test turns."""

from __future__ import annotations

from math import inf

from truetty.core.life import Want
from truetty.core.machine import Machine
from truetty.core.observation import Observation
from truetty.core.signs import Sign
from truetty.core.testimony import Secrets

SECRETS = Secrets(start="begin", end="finish", answer="reply", key="key")


class MachineByHand:
    """The machine of one command, with a clock that the test turns. A look shows `sight`, whatever it is by then."""

    def __init__(
        self,
        *,
        marked: bool = True,
        limit: float = inf,
        sent: bool = True,
        typed_into: bool = False,
        sees: bool = True,
        shell: int = 100,
        secrets: Secrets = SECRETS,
    ) -> None:
        self.now = 0.0
        self.sight = Observation("running")
        self.looks = 0
        self.wanted: list[Want] = []
        self.machine = Machine(
            secrets, self.now, shell=shell, has_marks=marked, limit=limit, typed_into=typed_into, sees=sees
        )
        if sent:
            self.machine.on_send(self.now, needed=0)

    def event(self, event: Sign, in_front: bool | None = True) -> None:
        self.machine.on_bytes(self.now)
        self.machine.on_event(event, self.now, in_front=in_front)
        self._act()

    def bytes(self) -> None:
        self.machine.on_bytes(self.now)
        self._act()

    def turn(self, seconds: float) -> None:
        """Let that much time pass, with every deadline on the way."""
        until = self.now + seconds
        while self.machine.deadline <= until:
            self.now = max(self.now, self.machine.deadline)
            self.machine.on_time(self.now)
            self._act()
        self.now = until

    def _act(self) -> None:
        while self.machine.wants:
            want = self.machine.wants.pop(0)
            if want is Want.LOOK:
                self.looks += 1
                self.machine.on_observation(self.sight, self.now)
            else:
                self.wanted.append(want)
