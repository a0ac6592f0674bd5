"""Tab stops: the columns where a tab ends, in order; None stands for one at every eighth column.

Rule: n stops on is one search, whatever n is: a program may set a stop at every column and ask for the 9999th.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from truetty.text.cells import TAB_WIDTH

Stops = tuple[int, ...] | None


def right_of(stops: Stops, x: int, count: int, last: int) -> int:
    """The column of the stop so many stops to the right; the `last` column where there are not so many."""
    if stops is None:
        return min((x // TAB_WIDTH + count) * TAB_WIDTH, last)
    at = bisect_right(stops, x) + count - 1
    return min(stops[at], last) if at < len(stops) else last


def left_of(stops: Stops, x: int, count: int) -> int:
    """The column of the stop so many stops to the left; the first column where there are not so many."""
    if stops is None:
        return max((-(-x // TAB_WIDTH) - count) * TAB_WIDTH, 0)
    at = bisect_left(stops, x) - count
    return stops[at] if at >= 0 else 0


def change(stops: Stops, x: int, columns: int, *, there: bool) -> tuple[int, ...]:
    """The stops with one at `x`, or without it."""
    found = tuple(range(0, columns, TAB_WIDTH)) if stops is None else stops
    first, last = bisect_left(found, x), bisect_right(found, x)
    return (*found[:first], x, *found[last:]) if there else found[:first] + found[last:]
