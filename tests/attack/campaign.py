"""The attack: lines are made, decided by each policy, and what one allows is run in the cage.

Rule 1: a seed decides everything: the same seed makes the same lines, in the same order.
Rule 2: a way round is a line that a policy allows and that runs a canary; under the read-only policy also one that
        changes a file or tries what needs rights, under the others one that changes a file outside the workspace. It
        counts when it is seen again in a cage of its own.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Final, TypeVar

from tests.attack import expansions, mutants, programs, syntax, variables
from tests.attack.cage import Cage, Effect, shells_of
from tests.attack.keeper import WORK
from tests.attack.lines import Line
from tests.attack.policies import READS_ONLY, USERS, policies
from tests.attack.reading import Reader
from truetty.policy import Policy
from truetty.shells.row import Dialect

CHUNK: Final = 1000  # lines for one cage, which takes as long to make as dozens of lines

# The name by which a policy knows the language.
_SPEAKERS: Final = {Dialect.BASH: "bash", Dialect.ZSH: "zsh", Dialect.POSIX: "dash", Dialect.MKSH: "mksh"}

T = TypeVar("T")
Decide = Callable[[Line, Dialect], Sequence[str]]  # the names of the policies that allow it


@dataclass(frozen=True, slots=True)
class Family:
    make: Callable[[random.Random], Iterable[Line]]
    dialects: int = 1  # in how many of its dialects a line is decided, by lot
    policies: int = 1  # by how many of the users' policies, by lot


# How many random lines the whole attack has of each kind.
CLUSTERS: Final = 4_000
DOUBLES: Final = 12_000
JOINED: Final = 5_000

FAMILIES: Final[dict[str, Family]] = {
    "variable": Family(lambda chance: variables.setting(), 2),
    "expansion": Family(lambda chance: expansions.expanding()),
    "runner": Family(lambda chance: expansions.running(), 2),
    "test and printf": Family(lambda chance: syntax.testing()),
    "here-document": Family(lambda chance: syntax.here_documents()),
    "syntax": Family(lambda chance: syntax.constructing(), 2),
    "line end": Family(lambda chance: syntax.line_ends()),
    "option": Family(lambda chance: programs.options()),
    "long option": Family(lambda chance: programs.long_options()),
    "dash": Family(lambda chance: programs.dashes(), 4),
    "cluster": Family(lambda chance: programs.clusters(chance, CLUSTERS)),
    "sed and awk": Family(lambda chance: programs.scripts()),
    "git": Family(lambda chance: programs.gits(), policies=3),
    "users' rules": Family(lambda chance: programs.usual(), policies=3),
    "mutant": Family(lambda chance: mutants.single()),
    "mutant by two": Family(lambda chance: mutants.double(chance, DOUBLES)),
    "mutant, joined": Family(lambda chance: mutants.joined(chance, JOINED)),
}


def make(seed: int, most: int | None = None) -> Iterator[Line]:
    """All lines, each once, with the dialects it is decided in; or at most so many of each family."""
    seen: set[str] = set()
    for name, family in FAMILIES.items():
        if name == "long option" and most is not None:
            continue  # it asks every program for its help
        chance = random.Random(f"{seed} {name}")
        fresh = list({line.text: line for line in family.make(chance) if line.text not in seen}.values())
        seen.update(line.text for line in fresh)
        if most is not None and len(fresh) > most:
            fresh = chance.sample(fresh, most)
        for line in fresh:
            count = min(family.dialects, len(line.dialects))
            dialects, users = chance.sample(line.dialects, count), chance.sample(USERS, family.policies)
            yield Line(line.text, tuple(dialects), tuple(users))


@dataclass(frozen=True, slots=True)
class WayRound:
    text: str
    shell: str
    policies: tuple[str, ...]
    effect: Effect

    def __str__(self) -> str:
        did = [f"ran {', '.join(dict.fromkeys(self.effect.canaries))}"] if self.effect.canaries else []
        did += [f"changed {', '.join(self.effect.changed)}"] if self.effect.changed else []
        did += [f"tried: {', '.join(self.effect.refusals)}"] if self.effect.refusals else []
        return f"{self.text!r} in {self.shell}, allowed by {', '.join(self.policies)}: {'; '.join(did)}"


@dataclass(slots=True)
class Counts:
    made: int = 0
    decided: Counter[str] = field(default_factory=Counter)  # by policy: a line in a dialect
    allowed: Counter[str] = field(default_factory=Counter)  # by policy
    run_for: Counter[str] = field(default_factory=Counter)  # by policy
    run: Counter[str] = field(default_factory=Counter)  # by shell
    unfinished: int = 0
    written: int = 0  # runs that changed a file in a user's workspace, which is none of the ways round
    ways_round: list[WayRound] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        self.made += other.made
        self.decided.update(other.decided)
        self.allowed.update(other.allowed)
        self.run_for.update(other.run_for)
        self.run.update(other.run)
        self.unfinished += other.unfinished
        self.written += other.written
        self.ways_round += other.ways_round

    def report(self, seed: int) -> str:
        run = ", ".join(f"{name} {count}" for name, count in sorted(self.run.items()))
        ways = Counter(name for way in self.ways_round for name in way.policies)
        head = (
            f"attack on the policies, seed {seed}: {self.made} lines made; run by shell: {run} "
            f"({self.unfinished} ended before their end, {self.written} wrote in a user's workspace)"
        )
        policies = [
            f"  policy {name}: {count} decided, {self.allowed[name]} allowed, {self.run_for[name]} run; "
            f"canaries touched by {ways[name]}"
            for name, count in self.decided.items()
        ]
        return "\n".join([head, *policies])


def decide(line: Line, dialect: Dialect) -> Sequence[str]:
    """What the read-only policy allows is in the rules of the others too: these are asked where it does not."""
    every = _policies()
    if _allows(every[READS_ONLY], line.text, dialect):
        return [READS_ONLY]
    return [name for name in line.policies if _allows(every[name], line.text, dialect)]


def _allows(policy: Policy, text: str, dialect: Dialect) -> bool:
    try:
        return policy.decide(text, cwd=WORK, shell=_SPEAKERS[dialect]).verdict == "allow"
    except Exception as error:
        error.add_note(f"the line: {text!r} in {dialect}")
        raise


@functools.cache
def _policies() -> dict[str, Policy]:
    return policies(Reader())


def attack(chunk: Sequence[Line], by: Decide = decide) -> Counts:
    """Decide these lines and run what is allowed, in one cage."""
    counts = Counts(made=len(chunk))
    allowed: list[tuple[str, Dialect, Sequence[str]]] = []
    for line in chunk:
        for dialect in line.dialects:
            names = by(line, dialect)
            counts.decided.update([READS_ONLY] if READS_ONLY in names else [READS_ONLY, *line.policies])
            if names:
                counts.allowed.update(names)
                allowed.append((line.text, dialect, names))
    if allowed:
        with Cage() as cage:
            for text, dialect, names in allowed:
                _run(cage, text, dialect, names, counts)
    return counts


def _run(cage: Cage, text: str, dialect: Dialect, names: Sequence[str], counts: Counts) -> None:
    for shell in shells_of([dialect]):
        effect = cage.run(shell, text)
        counts.run[shell.name] += 1
        counts.run_for.update(names)
        counts.unfinished += not effect.finished
        if is_way_round(effect, names):
            with Cage() as alone:
                effect = alone.run(shell, text)
            if is_way_round(effect, names):
                counts.ways_round.append(WayRound(text, shell.name, tuple(names), effect))
        elif effect.changed:
            counts.written += 1


def is_way_round(effect: Effect, names: Iterable[str]) -> bool:
    if READS_ONLY in names:
        return bool(effect.canaries or effect.changed or effect.refusals)
    outside = any(not path.startswith(f"{WORK}/") for path in effect.changed)
    return outside or any(not canary.startswith("ssh ") for canary in effect.canaries)  # `git fetch host:x` means ssh


def attack_all(lines: Iterable[Line], workers: int | None = None) -> Counts:
    counts = Counts()
    for part in by_parts(lines, attack, workers):
        counts.add(part)
    return counts


def by_parts(lines: Iterable[Line], work: Callable[[Sequence[Line]], T], workers: int | None = None) -> Iterator[T]:
    """In several processes: each parse is a process of its own already, and Python must not be what they wait for."""
    every = list(lines)
    workers = workers or os.cpu_count() or 1
    # Neighbours are alike: dealt out by turns, each cage has some of every kind.
    count = max(workers, -(-len(every) // CHUNK))
    chunks = [every[start::count] for start in range(count)]
    # A fresh interpreter for each: the one that pytest runs in may have threads.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(work, chunks)
