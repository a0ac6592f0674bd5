"""A task of `map`, and what became of it.

Rule 1: a task is read from JSON as a program wrote it; a wrong or unknown field is refused before it runs.
Rule 2: unknown is None: a task that could not be begun has no outcome.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from truetty.core.checks import check_variables, fault
from truetty.core.errors import Misuse
from truetty.core.kinds import described, quoted
from truetty.core.outcome import Outcome

# done       every command has exited with 0
# failed     one has not: those behind it were not run
# timed_out  the task's time was over while one ran
# waiting    one asks for something, and no one answers here
# lost       the terminal, its machine or the way to it is gone
# refused    no terminal was opened, or a command was refused, by the policy for one: nothing of that was run
TaskState = Literal["done", "failed", "timed_out", "waiting", "lost", "refused"]


@dataclass(frozen=True, slots=True)
class Task:
    """Commands that run one after the other in a new terminal, until one fails."""

    id: str  # no two tasks of a run have the same
    commands: tuple[str, ...]  # as they would be typed
    setup: tuple[str, ...] = ()  # run before them; their outcomes are not in the result, unless one fails
    cwd: str | None = None  # in which the terminal begins; None: as the registry makes it
    env: Mapping[str, str] | None = None  # variables beside those that terminals have
    timeout: float | None = None  # seconds for the whole task, from when its terminal is open
    resources: Mapping[str, float] | None = None  # taken of a cluster's node while it runs; others pass over them

    @classmethod
    def of(cls, given: object) -> Task:
        """From a task, or from what its JSON says. Raises Misuse."""
        if isinstance(given, Task):
            return given
        if not isinstance(given, Mapping):
            raise Misuse(f"a task is a mapping with an id and commands, not {described(given)}")
        names = [field.name for field in dataclasses.fields(cls)]
        if strange := [name for name in given if name not in names]:
            raise Misuse(f"a task has no field {quoted(str(strange[0]))}; it has {', '.join(names)}", field=strange[0])
        id = given.get("id")
        if not isinstance(id, str) or not id:
            raise Misuse(f"the id of a task is a text that is not empty, not {described(id)}", field="id")
        return cls(
            id,
            _texts(id, "commands", given.get("commands")),
            _texts(id, "setup", given.get("setup", ())),
            _path(id, given.get("cwd")),
            _variables(id, given.get("env")),
            _seconds(id, given.get("timeout")),
            _amounts(id, given.get("resources")),
        )


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What became of a task, at its last attempt."""

    id: str  # of the task
    state: TaskState  # done, failed, timed_out, waiting, lost or refused
    outcomes: tuple[Outcome, ...]  # of its commands, in their order; the last one says why there are no more
    attempts: int  # how often it was begun
    duration: float  # seconds of the last attempt
    error: str | None = None  # what was refused or lost, in a sentence


def _wrong(id: str, name: str, wanted: str, value: object) -> Misuse:
    return Misuse(f"{name} of task {quoted(id)} must be {wanted}; got {described(value)}", task=id, field=name)


def _texts(id: str, name: str, value: object) -> tuple[str, ...]:
    found = (value,) if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
        raise _wrong(id, name, "a text or a list of texts", value)
    if name == "commands" and not found:
        raise _wrong(id, name, "at least one command", value)
    for number, one in enumerate(found, 1):
        if (reason := fault(one)) is not None:
            raise Misuse(f"{name} of task {quoted(id)}, number {number}: {reason}", task=id, field=name)
    return tuple(found)


def _path(id: str, value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or not value):
        raise _wrong(id, "cwd", "a path, which is not empty", value)
    return value


def _variables(id: str, value: Any) -> Any:
    found = _mapping(id, "env", value, lambda one: isinstance(one, str), "texts")
    try:
        check_variables(found or {})
    except Misuse as error:
        raise Misuse(f"env of task {quoted(id)}: {error}", task=id, field="env") from error
    return found


def _amounts(id: str, value: Any) -> Any:
    def fits(one: object) -> bool:
        return isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one <= sys.float_info.max

    return _mapping(id, "resources", value, fits, "numbers, 0 or more")


def _mapping(id: str, name: str, value: Any, fits: Callable[[object], bool], wanted: str) -> Any:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(key, str) and fits(one) for key, one in value.items()):
        raise _wrong(id, name, f"names with {wanted}", value)
    return dict(value)


def _seconds(id: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= sys.float_info.max:
        raise _wrong(id, "timeout", "a number of seconds, more than 0", value)
    return float(value)


STATES: Final[tuple[TaskState, ...]] = ("done", "failed", "timed_out", "waiting", "lost", "refused")
