"""Tab stops: n on at once is n times one on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from truetty.text.stops import Stops, change, left_of, right_of

STOPS: st.SearchStrategy[Stops] = st.one_of(
    st.none(), st.frozensets(st.integers(0, 30)).map(lambda at: tuple(sorted(at)))
)


@given(STOPS, st.integers(0, 30), st.integers(1, 40))
def test_many_at_once_are_one_after_the_other(stops: Stops, x: int, count: int) -> None:
    right = left = x
    for _ in range(count):
        right = right_of(stops, right, 1, 30)
        left = left_of(stops, left, 1)
    assert right_of(stops, x, count, 30) == right
    assert left_of(stops, x, count) == left


def test_stops_are_set_and_cleared() -> None:
    assert change(None, 3, 20, there=True) == (0, 3, 8, 16)
    assert change((0, 3, 8), 3, 20, there=False) == (0, 8)
    assert change((), 5, 20, there=False) == ()
    assert [right_of((2, 9), x, 1, 19) for x in (0, 2, 9)] == [2, 9, 19]
    assert [left_of((2, 9), x, 1) for x in (1, 2, 3, 19)] == [0, 0, 2, 9]
