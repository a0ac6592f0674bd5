"""`truetty run --in ID` and `truetty run --detach`: a command in a terminal of the server.

Rule 1: the command outlives us. Ctrl-C goes to it; a second one leaves it running and says how to find it.
Rule 2: where it asks something and no person follows, it is left as it is: 124, and how to answer it.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from truetty.cli.terminals.follow import Way, follow
from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import PATIENCE_OVER, asked, print_json, sentence, status
from truetty.core.errors import Misuse, TruettyError


class Left(Exception):
    """The command goes on, and is followed no longer."""


class Place(NamedTuple):
    """Where a command of the server runs."""

    on: str | None
    terminal: str | None  # None: the server takes one of the caller's, or a new one
    cwd: str | None
    shell: str | None


def run_in(
    place: Place, text: str, *, json: bool, raw: bool, detach: bool, wait: float | None, timeout: float | None
) -> int:
    if place.terminal is None and not detach:
        raise Misuse("--on goes with --in or --detach: without them a command runs here", on=place.on)
    server = Server(place.on)
    started = _start(server, place, text, timeout)
    if detach:
        if json:
            print_json(started)
        else:
            print(started["id"])
        return 0
    outcome = _follow(server, started["id"], json, raw, wait)
    if json:
        print_json(outcome or server.get(command(started["id"], "/report")))
    if outcome is None:
        if not json:
            _say_how_to_go_on(server, started["id"])
        return PATIENCE_OVER
    if timeout is not None and server.get(command(started["id"]))["timed_out"]:
        return PATIENCE_OVER
    return status(outcome)


def _start(server: Server, place: Place, text: str, timeout: float | None) -> Any:
    fields: dict[str, Any] = {"command": text, "timeout": timeout}
    if place.terminal is not None:
        return server.post("/v1/commands", **fields, terminal=place.terminal)
    return server.post("/v1/commands", **fields, shell=place.shell, **server.surroundings(place.cwd))


def _follow(server: Server, id: str, json: bool, raw: bool, wait: float | None) -> Any:
    """Its outcome; None: it goes on."""
    person = not json and sys.stdin is not None and sys.stdin.isatty()
    way: Way = "nothing" if json else "bytes" if raw or sys.stdout.isatty() else "text"
    try:
        with _interrupts(server, id), _patience(wait):
            return follow(server, id, way, _Questions(server, id, person).take)
    except Left:
        return None


def _say_how_to_go_on(server: Server, id: str) -> None:
    stands = server.get(command(id))
    print(f"truetty: {sentence(stands)}", file=sys.stderr)
    verb = "answer" if stands["state"] == "waiting" else "log --follow"
    print(f"It goes on: truetty {verb}{server.on} {id}", file=sys.stderr)


class _Questions:
    def __init__(self, server: Server, id: str, person: bool) -> None:
        self._server = server
        self._id = id
        self._person = person

    def take(self, waiting: Any) -> bool:
        """A person who follows is told; a script goes no further, if the question is certain to be one."""
        if self._person:
            told = f"it asks: {asked(waiting)}; truetty answer{self._server.on} {self._id}"
            print(f"\ntruetty: {told}", file=sys.stderr)
        return self._person or not waiting["certain"]


@contextlib.contextmanager
def _interrupts(server: Server, id: str) -> Iterator[None]:
    pressed = 0

    def press(number: int, frame: object) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1:
            raise Left
        with contextlib.suppress(TruettyError):  # it has finished meanwhile, or the stream says what is wrong
            server.again().post(command(id, "/interrupt"))

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
