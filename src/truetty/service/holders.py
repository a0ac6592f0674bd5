"""The seats of a registry by the tasks that hold them. An acquire looks only at those that its caller may get.

Rule: a seat is filed anew whenever its state changes. Its place in the order is that of its making.
"""

from __future__ import annotations

from enum import Enum, auto

from truetty.service.seat import Seat
from truetty.service.states import Closing, Own


class _Nobody(Enum):
    """Where a seat is filed that no caller can get."""

    OPENER = auto()  # has it until it is closed
    CLOSING = auto()


Holder = str | None | _Nobody  # None: no task has it


class Holders:
    def __init__(self) -> None:
        self._seats: dict[Holder, dict[int, Seat]] = {}  # by the numbers of their making
        self._places: dict[Seat, tuple[Holder, int]] = {}
        self._made = 0

    def add(self, seat: Seat) -> None:
        self._made += 1
        self._put(seat, self._made)
        seat.on_state = self._file_anew

    def remove(self, seat: Seat) -> None:
        self._take(seat)

    @property
    def places(self) -> int:
        """How many are open or being opened."""
        return len(self._places) - len(self._seats.get(_Nobody.CLOSING, ()))

    def near(self, task: str | None) -> list[Seat]:
        """Those of a task, and those that no task has, in the order of their making."""
        found = {**self._seats.get(None, {}), **(self._seats.get(task, {}) if task is not None else {})}
        return [found[number] for number in sorted(found)]

    def _file_anew(self, seat: Seat) -> None:
        if seat in self._places and self._places[seat][0] != _holder(seat):
            self._put(seat, self._take(seat))

    def _put(self, seat: Seat, number: int) -> None:
        holder = _holder(seat)
        self._seats.setdefault(holder, {})[number] = seat
        self._places[seat] = holder, number

    def _take(self, seat: Seat) -> int:
        holder, number = self._places.pop(seat)
        of_holder = self._seats[holder]
        del of_holder[number]
        if not of_holder:
            del self._seats[holder]
        return number


def _holder(seat: Seat) -> Holder:
    if isinstance(seat.state, Closing):
        return _Nobody.CLOSING
    return _Nobody.OPENER if seat.state == Own(None) else seat.task
