"""The table of terminals that `truetty list` prints.

Rule 1: those that wait for a person come first, whether the policy asks or a command does, then those that run.
Rule 2: on a terminal the last column is cut to its width; into a pipe nothing is cut.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from truetty.cli.style import Look, has_colours, styled, terminal_width
from truetty.cli.terminals.standing import asked
from truetty.text.quoting import on_one_line

Form = Mapping[str, Any]  # of a terminal

DAY: Final = 24 * 3600
_ORDER: Final = ("asking", "waiting", "running", "idle", "lost", "closed")
_LOOKS: Final[dict[str, Look]] = {
    "asking": "yellow",
    "waiting": "yellow",
    "running": "green",
    "lost": "red",
    "closed": "dim",
}


def state(terminal: Form) -> str:
    if terminal["closed"]:
        return "closed"
    if terminal["questions"]:
        return "asking"
    return str(terminal["command"]["state"]) if terminal["busy"] and terminal["command"] else "idle"


def table(terminals: list[Form]) -> Iterator[str]:
    rows = sorted(terminals, key=lambda one: _ORDER.index(state(one)))
    named = any(one["name"] for one in rows)
    cells = [("ID", *(["NAME"] if named else []), "STATE", "SINCE", "WHAT")]
    for one in rows:
        name = [one["name"] or "-"] if named else []
        cells.append((one["id"], *name, state(one), _since(one), _what(one)))
    widths = [max(_width(row[column]) for row in cells) for column in range(len(cells[0]) - 1)]
    colours, room = has_colours(sys.stdout), terminal_width() if sys.stdout.isatty() else None
    left = None if room is None else max(room - sum(widths) - 2 * len(widths), 0)
    looks: list[tuple[Look, ...]] = [("bold",), *(_look(state(one)) for one in rows)]
    for row, look in zip(cells, looks, strict=True):
        padded = [cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=False)]
        yield styled("  ".join([*padded, _cut(row[-1], left)]).rstrip(), *look, on=colours)


def _look(state: str) -> tuple[Look, ...]:
    return (_LOOKS[state],) if state in _LOOKS else ()


def _since(terminal: Form) -> str:
    """When its command has started, or since when it is idle; of a closed one it is unknown."""
    at = None if terminal["closed"] else _state_begin(terminal)
    if at is None:
        return "-"
    return time.strftime("%H:%M" if 0 <= time.time() - at < DAY else "%b %d", time.localtime(at))


def _state_begin(terminal: Form) -> float | None:
    command = terminal["command"]
    if command is None or command["started_at"] is None:
        begin: float | None = terminal["opened_at"]
        return begin
    return float(command["started_at"]) + (0.0 if terminal["busy"] else command["duration"])


def _what(terminal: Form) -> str:
    command = terminal["command"]
    if terminal["closed"]:
        code = terminal["exit_code"]
        return "" if code is None else f"exit code {code}"
    parts = []
    if terminal["questions"]:
        parts.append("; ".join(f"truetty allow {one}" for one in terminal["questions"]))
    if terminal["lease"] is not None:
        parts.append(f"{on_one_line(terminal['lease']['holder'])} has the keyboard")
    if not terminal["busy"] or command is None:
        parts.append(on_one_line(terminal["cwd"] or terminal["shell"]))
    else:
        text = on_one_line(command["text"].strip())
        parts.append(f"{asked(command['waiting'])} ({text})" if command["state"] == "waiting" else text)
    return "; ".join(parts)


def _width(text: str) -> int:
    """Columns on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def _cut(text: str, most: int | None) -> str:
    if most is None or _width(text) <= most:
        return text
    while text and _width(text) >= most:
        text = text[:-1]
    return f"{text}…" if most else ""
