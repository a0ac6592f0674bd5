"""What `truetty run` says of a command of the server at the end: of one that has ended, and of one that goes on."""

from __future__ import annotations

import sys
from typing import Any

from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import sentence
from truetty.text.quoting import excerpt, on_one_line


def report_left(server: Server, stands: Any) -> Any:
    """The report of a command that goes on."""
    reached = "input" if stands["state"] == "waiting" else None
    return {**server.get(command(stands["id"], "/report")), "reached": reached}


def go_on(server: Server, stands: Any) -> list[str]:
    """Command lines for a command that goes on."""
    verb = "answer" if stands["state"] == "waiting" else "log --follow"
    return [f"truetty {one}{server.on} {stands['id']}" for one in (verb, "wait")]


def say_how_to_go_on(server: Server, stands: Any) -> None:
    print(f"truetty: {sentence(stands)}", file=sys.stderr)
    print(f"It goes on: {'; '.join(go_on(server, stands))}", file=sys.stderr)


def say_end(outcome: Any, stands: Any, timeout: float | None) -> None:
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
