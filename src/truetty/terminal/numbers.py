"""The ids of terminals: t1, t2, … Each number is given once in a process."""

from __future__ import annotations

import itertools

_numbers = itertools.count(1)


def next_id() -> str:
    return f"t{next(_numbers)}"


def begin_after(last: int) -> None:
    """From now on ids have higher numbers: a program that has terminals of several processes tells them apart."""
    global _numbers
    _numbers = itertools.count(last + 1)
