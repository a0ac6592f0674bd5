"""How far a map is: one line on a person's terminal, drawn anew; into a pipe only the last word.

Rule 1: the line is drawn at most ten times a second, however many tasks end.
Rule 2: a refused task is not finished, for it has not run: it is in no count but `refused`, and not in the rate.
Rule 3: only tasks of this run are counted and named. The file of results may have others: those of earlier tasks.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final, Self

from truetty.batch.task import STATES, Task, TaskResult
from truetty.cli.style import has_colours, styled

PERIOD: Final = 0.1
MOST_NAMED: Final = 10
BAR: Final = 20
FAILURES: Final = tuple(state for state in STATES if state != "done")


class Tally:
    """What is known of all tasks, by their ids. `has_file`: another run can go on from this one."""

    def __init__(self, tasks: Collection[str], *, has_file: bool) -> None:
        self.total: Final = len(tasks)
        self._tasks: Final = tasks
        self.has_file: Final = has_file
        self.states: Final[Counter[str]] = Counter()  # of this run
        self.earlier: Final[Counter[str]] = Counter()  # of earlier runs; refused: begun, and then refused a command
        self._unfinished: set[str] = set()  # begun by an earlier run, and not begun again
        self.running: set[str] = set()
        self.started_at = time.monotonic()

    def begin(self, finished: dict[str, str], unfinished: Iterable[str]) -> None:
        self.earlier.update(finished[task] for task in self._tasks if task in finished)
        self._unfinished = set(unfinished)

    def start(self, task: Task) -> None:
        self.running.add(task.id)

    def take(self, result: TaskResult) -> None:
        self.running.discard(result.id)
        self.states[result.state] += 1

    def stop(self) -> None:
        """No more are run: those that run now are begun and not finished."""
        self._unfinished |= self.running
        self.running = set()

    @property
    def unfinished(self) -> list[str]:
        """Begun and not finished, in the order of the tasks."""
        return [task for task in self._tasks if task in self._unfinished]

    @property
    def finished(self) -> int:
        """By this run."""
        return _finished(self.states)

    @property
    def rate(self) -> float:
        """Tasks of this run in a second."""
        return self.finished / max(time.monotonic() - self.started_at, 1e-3)

    @property
    def is_complete(self) -> bool:
        return self.states["done"] + self.earlier["done"] == self.total

    def line(self, columns: int, *, colours: bool) -> str:
        """At most so wide."""
        finished = self.finished + _finished(self.earlier)
        share = finished / self.total if self.total else 1.0
        bar = ("█" * round(share * BAR)).ljust(BAR, "░")
        words = f"{finished:,} of {self.total:,}  {len(self.running)} running  {self.rate:.1f}/s"
        text = f"  {words}  {_kinds(self.states, ('done',))}".rstrip()[: max(0, columns - BAR)]
        failures = f"  {_kinds(self.states, FAILURES)}".rstrip()[: max(0, columns - BAR - len(text))]
        return styled(bar, "green", on=colours) + text + styled(failures, "red", on=colours)

    def summary(self) -> list[str]:
        earlier = f" Of an earlier run: {_kinds(self.earlier)}." if self.earlier else ""
        run = f"{_kinds(self.states)} ({self.rate:.1f}/s)" if self.states else "none was finished now"
        lines = [f"{_count(self.total, 'task')}: {run}.{earlier}"]
        if unfinished := self.unfinished:
            more = f" and {len(unfinished) - MOST_NAMED:,} more" if len(unfinished) > MOST_NAMED else ""
            named = ", ".join(unfinished[:MOST_NAMED]) + more
            advice = " --again runs them once more." if self.has_file else ""
            lines.append(f"Begun and not finished: {named}.{advice}")
        return lines


class Progress:
    """Draws while it is entered, and says the summary at the end."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._draws = sys.stderr is not None and sys.stderr.isatty()
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        if self._draws:
            self._redraw()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
            print("\r\x1b[K", end="", file=sys.stderr)
        for line in self._tally.summary():
            print(f"truetty: {line}", file=sys.stderr)

    def _redraw(self) -> None:
        columns = shutil.get_terminal_size().columns
        line = self._tally.line(columns - 1, colours=has_colours(sys.stderr))
        print(f"\r{line}\x1b[K", end="", file=sys.stderr, flush=True)
        self._timer = asyncio.get_running_loop().call_later(PERIOD, self._redraw)


def _finished(states: Counter[str]) -> int:
    return states.total() - states["refused"]


def _kinds(states: Counter[str], which: Collection[str] = STATES) -> str:
    return ", ".join(f"{states[one]:,} {one.replace('_', ' ')}" for one in which if states[one])


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
