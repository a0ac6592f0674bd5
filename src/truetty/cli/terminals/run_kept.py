"""`truetty run --keep` and `truetty run --json`: a command in a terminal of the server that is opened for it.

Rule 1: a command that asks something while no person follows goes on waiting: 124, and how to answer it.
Rule 2: with `--keep` the terminal stays open. Without it, the server closes it when the command has finished, also
        after we have left it waiting. We close it when `--wait` is over, and when SIGINT, SIGTERM or SIGHUP ends us.
Rule 3: SIGTERM and SIGHUP are held back until the id of the terminal is known. So none is left open by them.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, NoReturn

from truetty.cli.terminals.run_in import LEFT, follow_command
from truetty.cli.terminals.server import Server, command, terminal
from truetty.cli.terminals.standing import PATIENCE_OVER, print_json, status
from truetty.cli.terminals.starting import Patience, Unanswered, start
from truetty.cli.terminals.telling import go_on, report_left, say_end, say_how_to_go_on
from truetty.core.errors import TruettyError

HANGUPS: Final = (signal.SIGTERM, signal.SIGHUP)


class Limits(NamedTuple):
    """Seconds; None: without end."""

    wait: float | None  # for which it is followed
    timeout: float | None  # after which the server ends it


class Printing(NamedTuple):
    """What is printed of a command."""

    json: bool
    raw: bool


def reach(on: str | None) -> Server:
    """One that answers. Raises HostError."""
    server = Server(on)
    server.get("/v1/hello")
    return server


def run_kept(
    server: Server, fields: Mapping[str, object], text: str, *, keep: bool, printing: Printing, limits: Limits
) -> int:
    """`fields` are those of the verb `open`."""
    patience = Patience(limits.wait)
    with _hangups(are_ends=not keep) as opening:
        with opening:
            opened = server.post("/v1/terminals", **fields, until_finished=not keep)["id"]
        stays = False  # a command that is refused leaves no terminal
        try:
            started = start(server, patience, command=text, terminal=opened, timeout=limits.timeout)["id"]
            stays = keep
            outcome = follow_command(server, started, printing.json, printing.raw, patience.left, leaves=keep)
            stands = server.get(command(started))
            stays = keep or (outcome is LEFT and stands["state"] == "waiting")
            _keep_explanation(server, started)
            if not printing.json and outcome is not LEFT:
                say_end(outcome, stands, limits.timeout)
            return _told(server, stands, outcome, printing, keep=keep, stays=stays)
        except Unanswered as unanswered:
            words = ["run", *server.words, *(["--keep"] if keep else [])]
            return unanswered.tell(text, words, json=printing.json)
        finally:
            if not stays:
                with contextlib.suppress(TruettyError):  # its shell has ended, or the server
                    server.again().delete(terminal(opened))


def _told(server: Server, stands: Any, outcome: Any, printing: Printing, *, keep: bool, stays: bool) -> int:
    """What is said of it, and the exit status."""
    if printing.json:
        report = report_left(server, stands) if outcome is LEFT else outcome
        more = {"go_on": go_on(server, stands)} if stays and outcome is LEFT else {}
        print_json({**report, **more}, indent=2 if sys.stdout.isatty() else None)
    elif outcome is LEFT:
        say_how_to_go_on(server, stands)
    elif keep and not stands["closed"]:
        id = stands["terminal_id"]
        print(f"truetty: terminal {id} stays open; truetty close{server.on} {id} ends it", file=sys.stderr)
    return PATIENCE_OVER if outcome is LEFT or stands["timed_out"] else status(outcome)


def _keep_explanation(server: Server, id: str) -> None:
    from truetty.cli import explain

    explain.keep(server.get(command(id, "/explain"), text=False)["text"])


@contextlib.contextmanager
def _hangups(*, are_ends: bool) -> Iterator[contextlib.AbstractContextManager[None]]:
    """Within, SIGTERM and SIGHUP raise SystemExit; within what is given, they wait."""

    def end(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in HANGUPS} if are_ends else {}
    try:
        yield _held_back()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _held_back() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*HANGUPS, signal.SIGINT))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
