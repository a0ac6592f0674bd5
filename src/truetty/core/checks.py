"""Arguments that cannot be meant are refused before anything is done.

Rule 1: a refusal is a `Misuse`. It says what is wrong, what was given and, where that is short, what to write instead.
Rule 2: `ran` is the sentence that ends a refusal by what would have run a command.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from math import inf
from typing import Final

from truetty.core.errors import BadCommand, Misuse
from truetty.core.kinds import LARGEST_SIDE, described

NOTHING_RAN: Final = " Nothing was run."
ENDLESS: Final = ", or None to wait without end"


def check_text(command: str) -> None:
    reason = fault(command)
    if reason is not None:
        raise BadCommand(f"{reason}.{NOTHING_RAN}", command=command, reason=reason)


def fault(command: object) -> str | None:
    """Why no shell can be given this as a command. None: it can."""
    if isinstance(command, list | tuple) and all(isinstance(word, str) for word in command):
        return f"a command is one text, not a list: use shlex.join({list(command)!r}), which is {shlex.join(command)!r}"
    if not isinstance(command, str):
        return f"a command is text, not {described(command)}"
    if "\0" in command:
        return "the command holds a NUL, which no shell can be given"
    if not command.strip():
        return "the command is empty"
    if not _has_bytes(command):
        return "the command holds half a character, which has no bytes"
    return None


def _has_bytes(text: str) -> bool:
    """Half a character has none, unless it stands for a byte that is no UTF-8."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def check_variables(env: Mapping[str, str | None]) -> None:
    for name, value in env.items():
        if not isinstance(name, str):
            raise Misuse(f"the name of a variable is text, not {described(name)}", name=name, value=value)
        if (reason := _name_fault(name)) is not None:
            raise Misuse(f"{name!r} cannot be the name of a variable: {reason}", name=name, value=value)
        if value is not None and not isinstance(value, str):
            what = f"env[{name!r}] must be text, or None to unset it; got {described(value)}"
            raise Misuse(what, name=name, value=value)
        if value is not None and "\0" in value:
            raise Misuse(f"env[{name!r}] holds a NUL, which no variable can hold", name=name, value=value)
        if value is not None and not _has_bytes(value):
            raise Misuse(f"env[{name!r}] holds half a character, which has no bytes", name=name, value=value)


def _name_fault(name: str) -> str | None:
    if not name:
        return "it is empty"
    if "=" in name:
        return 'it holds "="'
    if "\0" in name:
        return "it holds a NUL"
    return None if _has_bytes(name) else "it holds half a character"


def check_seconds(name: str, value: float | None, *, none: str = "", ran: str = "") -> None:
    """0 or more, or None. `none` says what None means, where that is worth saying."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Misuse(f"{name} must be a number of seconds, not {described(value)}.{ran}", **{name: value})
    if not value >= 0:
        raise Misuse(f"{name} must be 0 or more seconds{none}; got {value!r}.{ran}", **{name: value})


def check_wait(value: float | None, name: str = "wait", *, ran: str = "") -> None:
    """Of patience."""
    if value is not None:
        check_seconds(name, value, none=ENDLESS, ran=ran)


def limit_of(timeout: float | None, kill_after: float | None) -> float | None:
    """The time after which a command is ended, by one of its two names."""
    if timeout is None and kill_after is None:
        return None
    _check_limit("timeout", timeout)
    _check_limit("kill_after", kill_after)
    if timeout is not None and kill_after is not None:
        raise Misuse(f"timeout and kill_after mean the same: give one of them.{NOTHING_RAN}")
    return timeout if timeout is not None else kill_after


def _check_limit(name: str, value: float | None) -> None:
    check_seconds(name, value, ran=NOTHING_RAN)
    if value == 0:
        message = f"{name} must be more than 0 seconds. To come back at once, use start() or wait=0.{NOTHING_RAN}"
        raise Misuse(message, **{name: value})


def check_finite(name: str, value: float) -> None:
    check_seconds(name, value)
    if value is None or value == inf:
        raise Misuse(f"{name} must be a finite number of seconds; got {value!r}.", **{name: value})


def check_count(name: str, value: int | None, least: int = 1) -> None:
    """A whole number, or None for no limit."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        what = f"{name} must be a whole number, {least} or more, or None for no limit; got {described(value)}"
        raise Misuse(what, **{name: value})


def check_flag(name: str, value: bool) -> None:
    if not isinstance(value, bool):
        raise Misuse(f"{name} must be True or False, not {described(value)}", **{name: value})


def check_size(columns: int, rows: int) -> None:
    for side in (columns, rows):
        if not isinstance(side, int) or isinstance(side, bool):
            raise Misuse(f"a size is two whole numbers, not {columns!r} and {rows!r}", columns=columns, rows=rows)
    if not (0 < columns <= LARGEST_SIDE and 0 < rows <= LARGEST_SIDE):
        what = f"a terminal cannot be {columns} × {rows}: each side is from 1 to {LARGEST_SIDE}"
        raise Misuse(what, columns=columns, rows=rows)
