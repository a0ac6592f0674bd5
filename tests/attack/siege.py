"""The other half of the attack: no line is decided, and all run behind truetty's own wall.

Rule 1: a line runs in one shell of its dialects, behind a wall for a workspace. One in four runs behind a read-only
        wall too, which is the same wall with a workspace that is shut.
Rule 2: a breach is a line that touches what its profile keeps from it. Many lines share a wall. Where one of them has
        touched something, each is run again alone; where none of these does it, all of them are the breach.
"""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tests.attack.cage import shells_of
from tests.attack.campaign import by_parts
from tests.attack.lines import Line
from tests.attack.wall import Run, WalledCage

TOGETHER: Final = 100  # lines behind one wall
SHARES: Final = {"workspace": 1, "read-only": 4}  # by profile: one of so many lines


@dataclass(frozen=True, slots=True)
class Breach:
    profile: str
    lines: tuple[tuple[str, str], ...]  # a shell's name and a text
    touched: tuple[str, ...]

    def __str__(self) -> str:
        lines = "; ".join(f"{text!r} in {shell}" for shell, text in self.lines)
        return f"behind {self.profile}: {lines}: {', '.join(self.touched)}"


@dataclass(slots=True)
class Sieges:
    run: Counter[str] = field(default_factory=Counter)  # by profile
    shells: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)  # by profile: lines of which a program tried the wall
    unfinished: int = 0
    breaches: list[Breach] = field(default_factory=list)

    def add(self, other: Sieges) -> None:
        self.run.update(other.run)
        self.shells.update(other.shells)
        self.attempts.update(other.attempts)
        self.unfinished += other.unfinished
        self.breaches += other.breaches

    def report(self, seed: int) -> str:
        shells = ", ".join(f"{name} {count}" for name, count in sorted(self.shells.items()))
        breaches = Counter(breach.profile for breach in self.breaches)
        profiles = [
            f"  wall {name}: {count} lines run undecided, of which {self.attempts[name]} started a program that tries "
            f"every canary; canaries touched by {breaches[name]}"
            for name, count in sorted(self.run.items())
        ]
        head = f"attack on the wall, seed {seed}: run by shell: {shells} ({self.unfinished} ended before their end)"
        return "\n".join([head, *profiles])


def besiege(lines: Sequence[Line], shares: Mapping[str, int] = SHARES) -> Sieges:
    sieges = Sieges()
    with WalledCage() as cage:
        for profile, share in shares.items():
            runs = [_run(line) for line in lines[::share]]
            for start in range(0, len(runs), TOGETHER):
                _storm(cage, profile, runs[start : start + TOGETHER], sieges)
    return sieges


def _run(line: Line) -> Run:
    shells = shells_of(line.dialects)
    return shells[zlib.crc32(line.text.encode()) % len(shells)], line.text


def _storm(cage: WalledCage, profile: str, runs: Sequence[Run], sieges: Sieges) -> None:
    siege = cage.run(profile, runs)
    sieges.run[profile] += len(runs)
    sieges.shells.update(shell.name for shell, _ in runs)
    sieges.attempts[profile] += siege.attempts
    sieges.unfinished += siege.unfinished
    if siege.touched:
        alone = [Breach(profile, _names([run]), cage.run(profile, [run]).touched) for run in runs]
        together = Breach(profile, _names(runs), siege.touched)
        sieges.breaches += [breach for breach in alone if breach.touched] or [together]


def _names(runs: Sequence[Run]) -> tuple[tuple[str, str], ...]:
    return tuple((shell.name, text) for shell, text in runs)


def besiege_all(lines: Iterable[Line]) -> Sieges:
    sieges = Sieges()
    # Undecided lines wait for input and time, until they are ended: with one worker per core that is a third of it.
    for part in by_parts(lines, besiege, workers=2 * (os.cpu_count() or 1)):
        sieges.add(part)
    return sieges
