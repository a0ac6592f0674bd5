"""What a command has left behind, as it is at the moment of asking.

Rule 1: a process that was forked and has executed nothing yet has the name of what has forked it: of the shell, or of
        setsid. It is on the CPU for about a millisecond; while it is, its name is not known. At rest it is a subshell,
        if its name is a shell's.
Rule 2: a process that has ended since is not named. One that is stopped is not called running.
Rule 3: what has left the shell's family (`setsid`, `(… &)`) is named as long as it has the terminal or its session. A
        daemon that has closed the terminal is not known. While a job of an earlier command runs, an orphan may be that
        job's, and is not named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from truetty.host.base import Family, Process
from truetty.shells import table

HALTED: Final = "Tt"
RUNNING: Final = "still running in the background"
STOPPED: Final = "stopped in the background"
# Processes that a note names; it counts the others.
MOST_NAMES: Final = 10
_ON_CPU: Final = "RD"


class Survivors:
    """`mark`: the last process id before the command.

    `job_is_stopped`: one of the shell was, this command's or an earlier one's.
    """

    def __init__(
        self,
        family: Family,
        found: Sequence[Process] = (),
        *,
        mark: int | None = None,
        job_is_stopped: bool = False,
    ) -> None:
        self.job_is_stopped: Final = job_is_stopped
        self._family = family
        self._found = list(found)
        self._mark = mark

    def are_named(self) -> bool:
        """Whether each that lives has a name of its own by now, or is at rest."""
        self._look()
        return not any(one.forked and one.state in _ON_CPU for one in self._found)

    def notes(self) -> list[str]:
        self._look()
        stopped = [one for one in self._found if one.state in HALTED]
        running = [one for one in self._found if one.state not in HALTED]
        notes = [f"{RUNNING}: {self._names(running)}"] if running else []
        return [*notes, f"{STOPPED}: {self._names(stopped)}"] if stopped else notes

    def _look(self) -> None:
        if self._found and (living := self._family.children()) is not None:
            pids, orphans = {one.pid for one in self._found}, self._family.orphans(self._mark)
            found = [one for one in (*living, *orphans) if one.pid in pids]
            if len(found) < len(pids):  # `setsid` forks and ends: what it started is an orphan from then on
                found += [one for one in orphans if one.pid not in pids]
            self._found = found

    def _names(self, processes: Iterable[Process]) -> str:
        named = [(f"a subshell of {one.name}" if _is_subshell(one) else one.name, one.pid) for one in processes]
        shown = ", ".join(f"{name} ({pid})" for name, pid in named[:MOST_NAMES])
        return f"{shown} and {len(named) - MOST_NAMES:,} more" if len(named) > MOST_NAMES else shown


def _is_subshell(one: Process) -> bool:
    return one.forked and table.lookup(one.name) is not None
