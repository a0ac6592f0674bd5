"""Every real command through both machines, compared at each step: a pytest plugin, `-p tests.core.oracle.twin`."""

from __future__ import annotations

import os
from dataclasses import astuple
from typing import Any

import truetty.testing
from tests.core.oracle import ending as old_ending
from tests.core.oracle import machine as old
from truetty.core import machine as new
from truetty.core.testimony import DRAWING, Secrets
from truetty.terminal.wire import conversation

FIGURES = os.environ.get("TWIN_FIGURES", "/dev/null")
counts = {"commands": 0, "inputs": 0, "different": 0}
first: list[str] = []


class Twin(new.Machine):
    def __init__(self, secrets: Secrets, now: float, *, alternate_screen: bool = False, **arguments: Any) -> None:
        theirs = old_ending.Secrets(secrets.start, secrets.end, secrets.answer, secrets.key)
        self._old = old.Machine(theirs, now, **arguments)
        self._old.alternate_screen = alternate_screen
        self._claimed_at = 0.0
        self._twin_ready = True
        counts["commands"] += 1
        super().__init__(secrets, now, alternate_screen=alternate_screen, **arguments)

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if not name.startswith("on_"):
            return found

        def both(*arguments: Any, **named: Any) -> None:
            self._old.wants[:] = [old_ending.Want[want.name] for want in self.wants]
            if name == "on_echo":
                self._old.output_from = arguments[0]
            else:
                getattr(self._old, name)(*arguments, **named)
            found(*arguments, **named)
            if name == "on_event" and getattr(arguments[0], "letter", "") == "P" and self._old.hooked:
                self._claimed_at = arguments[1]
            if name == "on_observation" and self._old.hooked:
                look, now = arguments
                if now > self._claimed_at + DRAWING or (look.seen == "waiting" and look.kind != "shell"):
                    self._old.hooked = False
            counts["inputs"] += 1
            if (one := state(self._old)) != (two := state(self)):
                counts["different"] += 1
                if len(first) < 20:
                    first.append(f"{name} {arguments} {named}: {one} {two}")

        return both


def state(machine: Any) -> tuple[object, ...]:
    return (
        machine.state.name,
        [want.name for want in machine.wants],
        machine.deadline,
        machine.ending and astuple(machine.ending),
        machine.waiting and astuple(machine.waiting),
        machine.episode,
        machine.stopped,
        machine.can_tell_waiting,
        machine.output_from,
        machine.strategy,
        machine.downgraded,
        machine.healed,
    )


vars(conversation)["Machine"] = Twin
vars(truetty.testing)["Machine"] = Twin


def pytest_sessionfinish() -> None:
    with open(FIGURES, "a") as file:
        print(counts, *first, sep="\n", file=file)
