"""Who gets which terminal, on values."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.rows import each_row
from truetty.service.reuse import Choice, Limits, Open, Refuse, Reuse, SeatView, Wish, decide

HERE, THERE = "/here", "/there"


@each_row(
    ("wish", "seen", "limits", "choice"),
    [
        # The task's own in the directory, then a free one there, then any idle one, its own first.
        (Wish(HERE, "a"), [SeatView(None, HERE), SeatView("a", THERE), SeatView("a", HERE)], Limits(), Reuse(2)),
        (Wish(HERE, "a"), [SeatView(None, THERE), SeatView("a", THERE), SeatView(None, HERE)], Limits(), Reuse(2)),
        (Wish(HERE, "a"), [SeatView(None, THERE), SeatView("a", THERE)], Limits(), Reuse(1, move=True)),
        (Wish(HERE, "a"), [SeatView(None, THERE)], Limits(), Reuse(0, move=True)),
        (Wish(HERE), [SeatView(None, THERE), SeatView(None, HERE)], Limits(), Reuse(1)),
        (Wish(HERE), [], Limits(), Open()),
        # No terminal is moved for a caller who needs the directory.
        (Wish(HERE, "a", require_cwd=True), [SeatView(None, THERE), SeatView("a", THERE)], Limits(), Open()),
        # A task that names no directory gets its own as it is; others do not.
        (Wish(HERE, "a", anywhere=True), [SeatView("a", THERE)], Limits(), Reuse(0)),
        (Wish(HERE, "b", anywhere=True), [SeatView(None, THERE)], Limits(), Reuse(0, move=True)),
        # What is busy, held, kept for a caller, or of another kind is not given away.
        (Wish(HERE, "a"), [SeatView("a", HERE, idle=False)], Limits(), Open()),
        (Wish(HERE, "a"), [SeatView("b", HERE)], Limits(), Open()),
        (Wish(HERE), [SeatView("b", HERE)], Limits(), Open()),
        (Wish(HERE), [SeatView(None, HERE, fits=False)], Limits(), Open()),
        (Wish(HERE), [SeatView(None, HERE, quiet=False)], Limits(), Open()),
        (Wish(HERE, "a"), [SeatView("a", HERE, quiet=False)], Limits(), Reuse(0)),
        # Asking again: the same terminal for the same directory, and never for another one.
        (Wish(HERE, "a"), [SeatView("a", HERE, idle=False, again=True)], Limits(), Reuse(0)),
        (Wish(THERE, "a"), [SeatView("a", HERE, idle=False, again=True)], Limits(), Open()),
        # A warm one instead of a new one, and not before a used one.
        (Wish(HERE), [SeatView(None, HERE, warm=True)], Limits(), Reuse(0)),
        (Wish(HERE, require_cwd=True), [SeatView(None, THERE, warm=True)], Limits(), Reuse(0, move=True)),
        (Wish(HERE), [SeatView(None, HERE, warm=True), SeatView(None, THERE)], Limits(), Reuse(1, move=True)),
        # What could not be brought there is not tried again.
        (Wish(HERE, fresh=True), [SeatView(None, THERE), SeatView(None, HERE, warm=True)], Limits(), Open()),
        # At the limit: a warm one goes, then the longest unused that no task holds and in which nothing runs.
        (Wish(HERE), [SeatView(None, HERE, fits=False)], Limits(2), Open()),
        (Wish(HERE), [SeatView(fits=False, used_at=2), SeatView(fits=False, used_at=1)], Limits(2), Open(instead_of=1)),
        (Wish(HERE), [SeatView(fits=False), SeatView(fits=False, warm=True, used_at=9)], Limits(2), Open(instead_of=1)),
        (Wish(HERE), [SeatView("b"), SeatView(idle=False), SeatView(quiet=False)], Limits(3), Refuse("terminals", 3)),
        (Wish(HERE), [SeatView("b"), SeatView(idle=False)], Limits(), Open()),
        # A task has so many and no more, wherever they would come from.
        (Wish(HERE, "a"), [SeatView("a", idle=False), SeatView(None, HERE)], Limits(per_task=1), Refuse("per_task", 1)),
        (Wish(HERE, "a"), [SeatView("a", THERE), SeatView(None, HERE)], Limits(per_task=1), Reuse(0, move=True)),
        (Wish(HERE, "b"), [SeatView("a", idle=False)], Limits(per_task=1), Open()),
        (Wish(HERE), [SeatView(None, idle=False)], Limits(per_task=1), Open()),
    ],
)
def test_who_gets_what(wish: Wish, seen: list[SeatView], limits: Limits, choice: Choice) -> None:
    assert decide(wish, seen, limits) == choice


PLACES = st.sampled_from([HERE, THERE])
TASKS = st.sampled_from([None, "a", "b"])
SEEN = st.builds(
    SeatView,
    task=TASKS,
    cwd=PLACES,
    idle=st.booleans(),
    again=st.booleans(),
    quiet=st.booleans(),
    fits=st.booleans(),
    warm=st.just(False),
    used_at=st.floats(0, 9),
)
WISHES = st.builds(Wish, PLACES, TASKS, st.booleans(), st.booleans(), st.booleans())
NUMBERS = st.one_of(st.none(), st.integers(1, 4))


@given(WISHES, st.lists(SEEN, max_size=6), st.builds(Limits, NUMBERS, NUMBERS))
def test_nobody_gets_what_another_has(wish: Wish, seen: list[SeatView], limits: Limits) -> None:
    seen = seen[: limits.terminals]  # there were never more
    match decide(wish, seen, limits):
        case Reuse(index, move):
            one = seen[index]
            assert one.fits and not wish.fresh
            assert one.task is None or one.task == wish.task
            assert one.idle or (one.again and one.task == wish.task and not move)
            assert one.quiet or one.task is not None
            assert move or one.cwd == wish.cwd or (wish.anywhere and one.task is not None)
            assert not (move and wish.require_cwd)
        case Open(instead_of):
            assert limits.terminals is None or len(seen) - (instead_of is not None) < limits.terminals
            if instead_of is not None:
                assert seen[instead_of].task is None and seen[instead_of].idle and seen[instead_of].quiet
        case Refuse(limit, value):
            own = sum(one.task == wish.task for one in seen)
            assert value <= (own if limit == "per_task" else len(seen))
