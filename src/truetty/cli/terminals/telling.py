"""What `truetty run` says of a command of the server at the end: of one that has ended, and of one that goes on.

Rule: an object is made of one report, which is asked for when all is done that `run` does to the command. So it says
      how things stand when it is printed.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from typing import Any, Final

from truetty.cli.terminals.ending import Ended
from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import PATIENCE_OVER, print_json, sentence, status
from truetty.core.errors import TruettyError
from truetty.text.quoting import excerpt, on_one_line

OVER: Final = ("finished", "lost")


def tell_left(server: Server, id: str, ended: Ended | None, *, json: bool, indent: int | None = None) -> int:
    """Of a command that is followed no longer: a signal has ended us, the patience is over, or it asks. It goes on, or
    has ended meanwhile. The exit status."""
    try:
        report = server.again().get(command(id, "/report"))
    except TruettyError as error:
        if ended is None:
            raise
        return tell_unknown(id, f"{ended}: the server does not say how {id} stands: {error}", ended, json=json)
    is_over = report["state"] in OVER
    notes = [f"{ended}; the command goes on"] if ended is not None and not is_over else []
    if json:
        reached = "exit" if is_over else "input" if report["state"] == "waiting" else None
        more = {} if is_over else {"go_on": go_on(server, report)}
        print_json({**report, "notes": [*report["notes"], *notes], "reached": reached, **more}, indent)
    else:
        with contextlib.suppress(OSError):  # SIGHUP has ended us: our terminal may be gone
            print(f"truetty: {sentence(report)}", file=sys.stderr)
            if not is_over:
                print(f"It goes on: {'; '.join(go_on(server, report))}", file=sys.stderr)
    return ended.status if ended is not None else status(report) if is_over else PATIENCE_OVER


def tell_unknown(id: str | None, message: str, ended: Ended, *, json: bool) -> int:
    """Of a command of which the server says nothing. The exit status."""
    if json:
        print_json({"command_id": id, "state": "unknown", "message": message})
    else:
        print(f"truetty: {message}", file=sys.stderr)
    return ended.status


def go_on(server: Server, report: Mapping[str, Any]) -> list[str]:
    """Command lines for a command that goes on. A program that has the whole screen, and a shell, take no answer."""
    id = report["command_id"]
    wait = f"truetty wait{server.on} {id}"
    if report["state"] != "waiting":
        return [f"truetty log --follow{server.on} {id}", wait]
    if report["waiting"] is not None and report["waiting"]["kind"] in ("fullscreen", "shell"):
        return [f"truetty attach{server.on} {report['terminal_id']} --take", wait]
    return [f"truetty answer{server.on} {id}", wait]


def say_end(outcome: Mapping[str, Any], stands: Mapping[str, Any], timeout: float | None) -> None:
    """What the exit status does not say, as a `run` that is no server's says it."""
    from truetty.terminal.stop import TIMED_OUT

    for note in outcome["notes"]:
        if note != TIMED_OUT:  # it is said with the option's name
            print(f"truetty: {on_one_line(note)}", file=sys.stderr)
    text = f"'{on_one_line(excerpt(stands['text']))}'"
    if stands["timed_out"]:
        after = "" if timeout is None else f" after {timeout:g} s"
        print(f"truetty: stopped{after} (--timeout): {text} had not finished.", file=sys.stderr)
    elif outcome["state"] == "lost":
        print(f"truetty: the terminal of {text} is lost.", file=sys.stderr)
    elif outcome["exit_code"] is None:
        print("truetty: the command has ended, but its exit code is unknown", file=sys.stderr)
