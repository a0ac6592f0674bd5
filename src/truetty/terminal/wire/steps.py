"""One thing after the other: what happens while something is being dealt with comes next, never in the middle of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeVarTuple, Unpack

Arguments = TypeVarTuple("Arguments")


class Steps:
    """`after` is called after each step, inside the turn of the step."""

    def __init__(self, after: Callable[[], None]) -> None:
        self._after = after
        self._busy = False
        self._next: deque[Callable[[], None]] = deque()

    def take(self, step: Callable[[Unpack[Arguments]], None], *arguments: *Arguments) -> None:
        """Now; from inside another step, when that is done."""
        if self._busy:
            self._next.append(lambda: step(*arguments))
            return
        self._busy = True
        try:
            step(*arguments)
        finally:
            try:
                self._after()
            finally:
                self._finish()

    def _finish(self) -> None:
        """Take the steps that came meanwhile, each though the one before it failed; then raise what failed first."""
        failure: Exception | None = None
        while self._next:
            try:
                self._next.popleft()()
                self._after()
            except Exception as error:
                failure = failure or error
        self._busy = False
        if failure is not None:
            raise failure
