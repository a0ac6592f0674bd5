"""Wrong commands, variables and sizes are refused before anything is done."""

from __future__ import annotations

from collections.abc import Mapping

from truetty.core.errors import BadCommand, Misuse
from truetty.core.kinds import LARGEST_SIDE


def check_text(command: str) -> None:
    reason = None
    if not isinstance(command, str):
        reason = "not text"
    elif "\0" in command:
        reason = "it holds a NUL, which no shell can be given"
    elif not command.strip():
        reason = "there is nothing in it to run"
    else:
        try:
            command.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            reason = "it holds half a character, which has no bytes"
    if reason is not None:
        raise BadCommand(f"cannot run this: {reason}", command=command, reason=reason)


def check_variables(env: Mapping[str, str | None]) -> None:
    for name, value in env.items():
        words = (name,) if value is None else (name, value)
        if not all(isinstance(word, str) and "\0" not in word for word in words) or not name or "=" in name:
            raise Misuse(f"not a variable: {name!r}", name=name, value=value)


def check_seconds(name: str, value: float | None) -> None:
    """None: there is no such limit."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise Misuse(f"{name} is a number of seconds, 0 or more, not {value!r}", **{name: value})


def check_size(columns: int, rows: int) -> None:
    if not (isinstance(columns, int) and isinstance(rows, int)):
        raise Misuse(f"a size is two whole numbers, not {columns!r} and {rows!r}", columns=columns, rows=rows)
    if not (0 < columns <= LARGEST_SIDE and 0 < rows <= LARGEST_SIDE):
        raise Misuse(f"a terminal cannot be {columns} × {rows}", columns=columns, rows=rows)
