"""The ids of terminals: t1, t2, … Each number is given once in a process."""

from __future__ import annotations

import itertools

_numbers = itertools.count(1)


def next_id() -> str:
    return f"t{next(_numbers)}"
