"""The machine in parts against the machine as one class: the same inputs give the same states and endings."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import astuple
from math import inf

import pytest

from tests.core.oracle import ending as old_ending
from tests.core.oracle import machine as old
from truetty.core import machine as new
from truetty.core.observation import Observation, ReadKind, Seen
from truetty.core.signs import Hint, Mark, Mode, Query
from truetty.core.testimony import DRAWING
from truetty.testing import SECRETS

SHELL = 100
OLD_SECRETS = old_ending.Secrets(**{name: getattr(SECRETS, name) for name in ("start", "end", "answer", "key")})
DELAYS = (0.0, 0.0, 0.0003, 0.001, 0.004, 0.01, 0.02, 0.03, 0.06, 0.11, 0.2, 0.5, 1.1, 2.5, 6.0)
SEEN: tuple[Seen, ...] = ("ready", "ready", "ready", "waiting", "waiting", "waiting", "running", "stopped", "unknown")
KINDS: tuple[ReadKind | None, ...] = ("line", "secret", "key", "continuation", "shell", None)
LETTERS = "CCDDPPH2M"
RIGHT = {"C": "begin", "D": "finish", "H": "reply", "P": "key", "2": "key", "M": "begin"}


class Pair:
    """Both machines, and the one clock; the owner's part of the old one is played here."""

    def __init__(self, *, marked: bool, limit: float, dirty: bool, sees: bool, alternate: bool) -> None:
        self.now = 0.0
        self.old = old.Machine(OLD_SECRETS, 0.0, shell=SHELL, marked=marked, limit=limit, dirty=dirty, sees=sees)
        self.old.alternate_screen = alternate
        self.new = new.Machine(
            SECRETS, 0.0, shell=SHELL, marked=marked, limit=limit, dirty=dirty, sees=sees, alternate_screen=alternate
        )
        self._claimed_at = 0.0

    def compare(self) -> None:
        one, two = self.old, self.new
        assert one.state.name == two.state.name
        assert [want.name for want in one.wants] == [want.name for want in two.wants]
        assert one.deadline == two.deadline
        assert (one.ending and astuple(one.ending)) == (two.ending and astuple(two.ending))
        assert (one.waiting and astuple(one.waiting)) == (two.waiting and astuple(two.waiting))
        assert (one.episode, one.stopped, one.can_tell_waiting) == (two.episode, two.stopped, two.can_tell_waiting)
        assert (one.output_from, one.strategy, one.downgraded) == (two.output_from, two.strategy, two.downgraded)
        assert (one.healed, one.asked_at) == (two.healed, two.asked_at)
        if two.ending is None:
            assert one.hooked == two.prompt_claimed

    def take(self) -> None:
        self.old.wants.clear()
        self.new.wants.clear()

    def mark(self, mark: Mark, in_front: bool | None) -> None:
        self.old.on_event(mark, self.now, in_front=in_front)
        self.new.on_event(mark, self.now, in_front=in_front)
        if mark.letter == "P" and mark.secret == SECRETS.key and self.old.state is old.State.RUNNING:
            self._claimed_at = self.now

    def look(self, look: Observation) -> None:
        self.old.on_observation(look, self.now)
        self.new.on_observation(look, self.now)
        drawn = self.now > self._claimed_at + DRAWING
        if self.old.hooked and (drawn or (look.seen == "waiting" and look.kind != "shell")):
            self.old.hooked = False

    def echo(self, at: int) -> None:
        if self.old.output_from is not None:
            self.old.output_from = at
            self.new.on_echo(at)

    def both(self, does: Callable[[old.Machine | new.Machine], None]) -> None:
        does(self.old)
        does(self.new)


def step(pair: Pair, draw: random.Random, at: int) -> None:
    """One random input to both."""
    pair.now += draw.choice(DELAYS)
    now = pair.now
    match draw.randrange(17):
        case 0 | 1:
            pair.both(lambda machine: machine.on_bytes(now))
        case 2 | 3 | 4 | 5:
            letter = draw.choice(LETTERS)
            secret = RIGHT[letter] if draw.random() < 0.9 else draw.choice(["finish", "key", "other"])
            code = draw.choice([0, 0, 3, 130, None])
            start = pair.old.output_from or at if draw.random() < 0.2 else at
            pair.both(lambda machine: machine.on_bytes(now))
            pair.mark(Mark(start, start + 9, letter, secret, code), draw.choice([True, True, True, False, None]))
        case 6:
            hint = Hint(at, at + 5, "133", draw.choice("ABCD"), draw.choice([0, 4, None]))
            pair.both(lambda machine: machine.on_event(hint, now))
        case 7:
            mode = Mode(at, at + 5, draw.choice(["alternate-screen", "bracketed-paste"]), draw.random() < 0.5)
            pair.both(lambda machine: machine.on_event(mode, now))
        case 8:
            pair.both(lambda machine: machine.on_event(Query(at, at + 4, "CPR"), now))
        case 9:
            pair.both(lambda machine: machine.on_input(now))
        case 10 | 11 | 12 | 13:
            look = Observation(
                draw.choice(SEEN), draw.random() < 0.7, draw.choice(KINDS), draw.choice([SHELL, SHELL, 7, None]),
                draw.choice(["bash", None]), draw.choice([1, 1, 2]), draw.choice([None, 50, 2000]), draw.random() < 0.2,
            )  # fmt: skip
            for _ in range(draw.choice([1, 1, 2, 3, 9, 60])):
                pair.now += draw.choice(DELAYS[:8])
                pair.look(look)
                pair.compare()
        case 14:
            for _ in range(draw.choice([1, 1, 4])):
                pair.now = max(pair.now, min(pair.old.deadline, pair.now + 10))
                pair.both(lambda machine: machine.on_time(pair.now))
                pair.compare()
        case 15:
            owner(pair, draw)
        case 16:
            rare(pair, draw, at)


def owner(pair: Pair, draw: random.Random) -> None:
    """What the owner does when it is asked to; at times unasked."""
    now, needed = pair.now, draw.choice([0, 40, 1000])
    flag = draw.random() < 0.5
    asked = {want.name for want in pair.old.wants}
    if ("SEND" in asked or pair.old.state.name == "QUEUED") and draw.random() < 0.8:
        pair.both(lambda machine: machine.on_send(now, needed, probing=flag))
    elif "ASK" in asked and draw.random() < 0.8:
        pair.both(lambda machine: machine.on_ask(now, needed, telling=flag))
    elif pair.old.state.name == "QUEUED":
        pair.both(lambda machine: machine.on_clear(now))
    pair.take()


def rare(pair: Pair, draw: random.Random, at: int) -> None:
    now = pair.now
    match draw.randrange(12):
        case 0:
            pair.both(lambda machine: machine.on_exit(3, None, now))
        case 1:
            pair.both(lambda machine: machine.on_lost(now))
        case 2:
            pair.both(lambda machine: machine.on_unsent(now))
        case 3:
            pair.both(lambda machine: machine.on_silence(now))
        case 4 | 5:
            pair.echo(at)
        case _:
            pair.take()


def sequence(seed: int) -> Pair:
    draw = random.Random(seed)
    pair = Pair(
        marked=draw.random() < 0.85,
        limit=draw.choice([inf, inf, 3.0]),
        dirty=draw.random() < 0.3,
        sees=draw.random() < 0.75,
        alternate=draw.random() < 0.2,
    )
    if draw.random() < 0.8:
        pair.both(lambda machine: machine.on_send(0.0, 0, probing=seed % 3 == 0))
    for number in range(draw.choice([5, 15, 40])):
        step(pair, draw, 10 * number + 1)
        pair.compare()
    return pair


def test_random_sequences() -> None:
    for seed in range(500):
        sequence(seed)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_a_hundred_thousand_random_sequences(part: int) -> None:
    for seed in range(part * 10_000, (part + 1) * 10_000):
        sequence(seed)
