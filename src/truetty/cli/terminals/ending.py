"""Signals that end `truetty run` while its command is one of the server: SIGTERM, SIGHUP and SIGINT.

    held ──the command is known, or a person is asked whether it may run──▸ open

Rule 1: while they are held, a request is under way that makes something, and its answer says what. The signal waits for
        that answer, so that we can say what is left. A second signal does not wait.
Rule 2: while they are open, a signal raises `Ended`.
Rule 3: a signal that was ignored when we were started (`nohup`) is ignored.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from typing import Final

ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Ended(Exception):
    """By this signal."""

    def __init__(self, number: int) -> None:
        self.number: Final = number
        self.name: Final = signal.Signals(number).name
        self.status: Final = 128 + number
        super().__init__(f"{self.name} has ended truetty run")


class Ending:
    """What the signals do, within `hold`."""

    def __init__(self) -> None:
        self._number: int | None = None  # the signal that is held
        self._is_open = False

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        heard = [number for number in ENDING if signal.getsignal(number) != signal.SIG_IGN]
        before = {number: signal.signal(number, self._come) for number in heard}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Within, a signal raises Ended; one that is held does at once."""
        self._is_open = True
        try:
            self.check()
            yield
        finally:
            self._is_open = False

    def check(self) -> None:
        """Raises Ended where a signal is held."""
        if self._number is not None:
            raise Ended(self._number)

    def _come(self, number: int, frame: object) -> None:
        is_second, self._number = self._number is not None, number
        if self._is_open or is_second:
            raise Ended(number)


def until_ended(work: Callable[[Ending], int]) -> int:
    """The status that the work gives; that of a signal where a second one has not waited for what it says."""
    ending = Ending()
    with ending.hold():
        try:
            return work(ending)
        except Ended as ended:
            return ended.status
