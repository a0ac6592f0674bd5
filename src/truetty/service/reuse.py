"""Which terminal a caller gets, and which is closed: decided on values, without a clock, a descriptor or a wait.

Rule 1: a task's own terminal in the directory first, then a free one there, then any idle one (its own first), then a
        warm one; otherwise a new one is opened.
Rule 2: no caller gets a terminal in which something runs, in front or in the background, unless it is the task's own
        and only the background is busy. A terminal that another task holds is never given away.
Rule 3: a terminal fits only a request for the same shell, variables, size and so on.
Rule 4: at the limit a terminal is closed that no task holds and in which nothing runs, the longest unused first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from truetty.core.errors import LimitReached


@dataclass(frozen=True, slots=True)
class Limits:
    terminals: int | None = None
    per_task: int | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller asks for. `anywhere`: it named no directory, so a task's own terminal is right as it was left."""

    cwd: str  # as the kernel would say it, without links; "": where the host starts shells
    task: str | None = None
    anywhere: bool = False
    require_cwd: bool = False
    fresh: bool = False  # only a new one will do: what there was could not be brought to the directory
    own_only: bool = False  # a free one, which another caller has used, will not do


@dataclass(frozen=True, slots=True)
class SeatView:
    """One terminal at the moment of deciding."""

    task: str | None = None
    cwd: str | None = None
    idle: bool = True  # no command runs in it, and no caller is about to start one
    again: bool = False  # it is kept for this very caller, who has not used it yet
    quiet: bool = True  # nothing runs in its background
    fits: bool = True
    warm: bool = False  # never handed out yet
    used_at: float = 0.0  # inf: it is still being opened


@dataclass(frozen=True, slots=True)
class Reuse:
    index: int
    move: bool = False


@dataclass(frozen=True, slots=True)
class Open:
    instead_of: int | None = None


@dataclass(frozen=True, slots=True)
class Refuse:
    limit: str
    value: int


Choice = Reuse | Open | Refuse


def decide(wish: Wish, seats: Sequence[SeatView], limits: Limits) -> Choice:
    """`seats` is everything that counts: terminals that are open, and places kept for those being opened."""
    own = [at for at, one in enumerate(seats) if wish.task is not None and one.task == wish.task]
    full = limits.per_task is not None and wish.task is not None and len(own) >= limits.per_task
    if not wish.fresh and (found := _reusable(wish, seats, own, full)) is not None:
        return found
    if full and limits.per_task is not None:
        return Refuse("per_task", limits.per_task)
    if not wish.fresh and (warm := _first(seats, lambda one: one.warm and one.fits and one.idle)) is not None:
        return Reuse(warm, move=wish.cwd not in ("", seats[warm].cwd))
    if limits.terminals is None or len(seats) < limits.terminals:
        return Open()
    if (victim := _first(seats, lambda one: one.warm)) is None:
        victim = _first(seats, lambda one: one.task is None and one.idle and one.quiet)
    return Refuse("terminals", limits.terminals) if victim is None else Open(instead_of=victim)


def refusal(refuse: Refuse, task: str | None, ids: Sequence[str]) -> LimitReached:
    """The error of a refusal; `ids` are the terminals that the caller's registry has open."""
    if refuse.limit == "per_task":
        message = f"task {task!r} has {refuse.value} terminals already (the limit), and none of them can be taken"
    else:
        message = f"there are {refuse.value} terminals already (the limit), all held or in use: {', '.join(ids)}"
    return LimitReached(message, limit=refuse.limit, value=refuse.value, task=task, terminals=list(ids))


def _reusable(wish: Wish, seats: Sequence[SeatView], own: Iterable[int], full: bool) -> Reuse | None:
    mine = [at for at in own if seats[at].fits and (seats[at].idle or seats[at].again)]
    for at in mine:
        if wish.anywhere or seats[at].cwd == wish.cwd:
            return Reuse(at)
    free = [] if full or wish.own_only else [at for at, one in enumerate(seats) if _is_free(one) and one.fits]
    for at in free:
        if seats[at].cwd == wish.cwd:
            return Reuse(at)
    if not wish.require_cwd:
        for at in (*mine, *free):
            if seats[at].idle:
                return Reuse(at, move=True)
    return None


def _is_free(one: SeatView) -> bool:
    return one.task is None and one.idle and one.quiet and not one.warm


def _first(seats: Sequence[SeatView], suits: Callable[[SeatView], bool]) -> int | None:
    """Of those that suit, the one that was used the longest ago."""
    found = [at for at, one in enumerate(seats) if suits(one)]
    return min(found, key=lambda at: seats[at].used_at, default=None)
