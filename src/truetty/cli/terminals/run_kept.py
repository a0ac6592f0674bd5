"""`truetty run --keep` and `truetty run --json`: a command in a terminal of the server that is opened for it.

Rule 1: a command that asks something while no person follows goes on waiting: 124, and how to answer it.
Rule 2: with `--keep` the terminal stays open. Without it, the server closes it when the command has finished, also
        after we have left it waiting. We close it when `--wait` is over, and when SIGINT, SIGTERM or SIGHUP ends us.
Rule 3: signals are held back until the id of the terminal is known (`ending.py`). So none is left open by them.
Rule 4: a terminal that we close is closed before anything is said: the object says how the command has ended.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from truetty.cli.leftovers import notes_at_close
from truetty.cli.terminals.ending import Ended, Ending
from truetty.cli.terminals.run_in import LEFT, follow_command
from truetty.cli.terminals.server import Server, command, terminal
from truetty.cli.terminals.standing import PATIENCE_OVER, WAIT_OVER, print_json, status
from truetty.cli.terminals.starting import NotStarted, Patience, start
from truetty.cli.terminals.telling import say_end, tell_left, tell_unknown
from truetty.core.errors import TruettyError


class Limits(NamedTuple):
    """Seconds; None: without end."""

    wait: float | None  # for which it is followed
    timeout: float | None  # after which the server ends it


class Printing(NamedTuple):
    """What is printed of a command."""

    json: bool
    raw: bool

    @property
    def indent(self) -> int | None:
        """Of an object."""
        return 2 if sys.stdout.isatty() else None


def reach(on: str | None) -> Server:
    """One that answers. Raises HostError."""
    server = Server(on)
    server.get("/v1/hello")
    return server


def run_kept(
    server: Server,
    fields: Mapping[str, object],
    text: str,
    again: Sequence[str],
    ending: Ending,
    *,
    keep: bool,
    printing: Printing,
    limits: Limits,
) -> int:
    """`fields` are those of the verb `open`; `again` are the options of a command line that asks again."""
    patience, ended, before = Patience(limits.wait), None, None
    opened = server.post("/v1/terminals", **fields, until_finished=not keep)["id"]
    stays = False  # a command that is refused leaves no terminal
    try:
        id = start(server, patience, ending, command=text, terminal=opened, timeout=limits.timeout)["id"]
        stays = keep
        try:
            with ending.open():
                outcome = follow_command(server, id, printing.json, printing.raw, patience.left, leaves=keep)
        except Ended as signal:
            outcome, ended = LEFT, signal
        if outcome is LEFT and ended is None and not keep:
            before = server.get(command(id, "/report"))
            stays = before["state"] == "waiting"
    except NotStarted as refused:
        return refused.tell(text, ["run", *server.words, *again], json=printing.json)
    finally:
        if not stays:
            with contextlib.suppress(TruettyError):  # its shell has ended, or the server
                server.again().delete(terminal(opened))
    if outcome is LEFT and stays:
        _keep_explanation(server, id)
        return tell_left(server, id, ended, json=printing.json, indent=printing.indent)
    if outcome is LEFT:
        return _tell_end(server, id, ended, before, printing)
    return _tell_outcome(server, id, outcome, printing, limits, keep=keep)


def _tell_outcome(server: Server, id: str, outcome: Any, printing: Printing, limits: Limits, *, keep: bool) -> int:
    """Of a command that has finished. The exit status."""
    stands = server.get(command(id))
    _keep_explanation(server, id)
    if not keep:
        outcome = {**outcome, "notes": notes_at_close(outcome["notes"])}
    if printing.json:
        print_json(outcome, printing.indent)
    else:
        say_end(outcome, stands, limits.timeout)
        if keep and not stands["closed"]:
            name = stands["terminal_id"]
            print(f"truetty: terminal {name} stays open; truetty close{server.on} {name} ends it", file=sys.stderr)
    return PATIENCE_OVER if stands["timed_out"] else status(outcome)


def _tell_end(server: Server, id: str, ended: Ended | None, before: Any, printing: Printing) -> int:
    """Of a command that was ended with its terminal. `before`: how it stood when `--wait` was over; None: a signal has
    ended us. The exit status."""
    try:
        report = before or server.again().get(command(id, "/report"))
    except TruettyError as error:
        if ended is None:
            raise
        return tell_unknown(id, f"{ended}: the server does not say how {id} has ended: {error}", ended, json=True)
    with contextlib.suppress(TruettyError):
        _keep_explanation(server, id)
    note = WAIT_OVER if ended is None else f"{ended}, and the command with it"
    print_json({**report, "closed": True, "notes": [*report["notes"], note]}, printing.indent)
    return PATIENCE_OVER if ended is None else ended.status


def _keep_explanation(server: Server, id: str) -> None:
    from truetty.cli import explain

    explain.keep(server.get(command(id, "/explain"), text=False)["text"])
