"""`truetty run --in ID` and `truetty run --detach`: a command in a terminal of the server.

Rule 1: the command outlives us. Ctrl-C goes to it; a second one leaves it running, and so do SIGTERM and SIGHUP. How to
        find it is said.
Rule 2: where it asks something, the person who follows answers (`keyboard.py`). Where none does, it is left as it is:
        124, and how to answer it. A program that reads JSON gets every question, a script those that are certain.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from truetty.cli.person import has_person
from truetty.cli.terminals.ending import Ended, Ending, until_ended
from truetty.cli.terminals.follow import Way, follow
from truetty.cli.terminals.screen import Screen
from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import PATIENCE_OVER, print_json, status
from truetty.cli.terminals.starting import NotStarted, Patience, start
from truetty.cli.terminals.telling import say_end, tell_left
from truetty.core.errors import Misuse, TruettyError

LEFT: Final = None  # in place of an outcome: the command goes on


class Left(Exception):
    """The patience is over: the command goes on, and is followed no longer."""


class Place(NamedTuple):
    """Where a command of the server runs."""

    on: str | None
    terminal: str | None  # None: the server takes one of the caller's, or a new one
    cwd: str | None
    shell: str | None


def run_in(
    place: Place,
    text: str,
    again: Sequence[str],
    *,
    json: bool,
    raw: bool,
    detach: bool,
    wait: float | None,
    timeout: float | None,
) -> int:
    """`again`: the options of a command line that asks again."""
    if place.terminal is None and not detach:
        message = "--on goes with --in, --keep or --detach: without them a command runs here"
        raise Misuse(message, on=place.on)
    server, patience = Server(place.on), Patience(wait)

    def work(ending: Ending) -> int:
        try:
            started = _start(server, place, text, timeout, patience, ending)
        except NotStarted as refused:
            return refused.tell(text, ["run", *server.words, *again], json=json)
        id = started["id"]
        try:
            with ending.open():
                if detach:
                    print_json(started) if json else print(id)
                    return 0
                outcome = follow_command(server, id, json, raw, patience.left, leaves=True)
        except Ended as ended:
            return tell_left(server, id, ended, json=json)
        if outcome is LEFT:
            return tell_left(server, id, None, json=json)
        stands = server.get(command(id))
        print_json(outcome) if json else say_end(outcome, stands, timeout)
        return PATIENCE_OVER if stands["timed_out"] else status(outcome)

    return until_ended(work)


def _start(server: Server, place: Place, text: str, timeout: float | None, patience: Patience, ending: Ending) -> Any:
    fields: dict[str, Any] = {"command": text, "timeout": timeout}
    if place.terminal is not None:
        return start(server, patience, ending, **fields, terminal=place.terminal)
    return start(server, patience, ending, **fields, shell=place.shell, **server.surroundings(place.cwd))


def follow_command(server: Server, id: str, json: bool, raw: bool, wait: float | None, *, leaves: bool) -> Any:
    """Its outcome, or LEFT. A second Ctrl-C raises Ended (`leaves`), or ends the command."""
    way: Way = "nothing" if json else "bytes" if raw or sys.stdout.isatty() else "text"
    screen = Screen()
    try:
        with (
            _interrupts(server, id, screen, leaves=leaves),
            _patience(wait),
            _answering(server, id, json) as on_waiting,
        ):
            outcome = follow(server, id, way, on_waiting, screen)
            return LEFT if outcome is LEFT else {**outcome, "reached": "exit"}
    except Left:
        return LEFT


@contextlib.contextmanager
def _answering(server: Server, id: str, json: bool) -> Iterator[Callable[[Any], bool]]:
    """What is done about a question of the command: whether it is followed any further."""
    if json:
        yield lambda waiting: False
    elif sys.stdin is None or not sys.stdin.isatty():
        yield lambda waiting: not waiting["certain"]
    else:
        from truetty.cli.terminals.keyboard import Keyboard

        keyboard = Keyboard(server, id, is_shown=has_person())

        def take(waiting: Any) -> bool:
            keyboard.on_waiting(waiting)
            return True

        with keyboard.hold():
            yield take


@contextlib.contextmanager
def _interrupts(server: Server, id: str, screen: Screen, *, leaves: bool) -> Iterator[None]:
    pressed = 0

    def press(number: int, frame: object) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1 and leaves:
            raise Ended(number)
        screen.on_interrupt()
        with contextlib.suppress(TruettyError):  # it has finished meanwhile, or the stream says what is wrong
            server.again().post(command(id, "/interrupt" if pressed == 1 else "/stop"))

    before = signal.signal(signal.SIGINT, press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _patience(seconds: float | None) -> Iterator[None]:
    def leave(number: int, frame: object) -> None:
        raise Left

    before = signal.signal(signal.SIGALRM, leave)
    if seconds is not None:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
