"""What a command prints, while it prints it: for `truetty log --follow` and `truetty run --in`.

Rule 1: the server tells when there is more (`/events`). Text comes with that; bytes are read by their offset.
Rule 2: it ends with the command, and goes on where the server was killed and the next one has its terminals.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any, Final, Literal

from truetty.cli.terminals.screen import Screen
from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import print_json
from truetty.core.errors import ChannelLost

Way = Literal["text", "bytes", "json", "nothing"]
COALESCE: Final = 0.03  # seconds between two pieces of output: a person sees no difference
MOST_SILENT: Final = 3


def follow(
    server: Server,
    id: str,
    way: Way,
    on_waiting: Callable[[Any], bool] = lambda waiting: True,
    screen: Screen | None = None,
) -> Any:
    """The outcome; None: `on_waiting`, which is called with each question, did not want to go on."""
    show = _Show(server, id, way, screen or Screen())
    at: int | None = None  # the place of the last event: the next stream goes on behind it
    silent = 0  # streams that have ended before they said anything
    is_over = False  # a stream was cut, and the command had ended by then
    while silent < MOST_SILENT:
        silent += 1
        with contextlib.suppress(ChannelLost):
            for event in server.again().stream(command(id, "/events"), coalesce=COALESCE, at=at):
                if event["event"] != "started" or at is None:  # each stream begins with it
                    show.take(event)
                silent, at = 0, event.get("at", at)
                match event["event"]:
                    case "waiting" if not on_waiting(event["waiting"]):
                        return None
                    case "finished":
                        return event["outcome"]
        # The terminal was closed, or the server was killed and the next one has its terminals. What the stream that was
        # cut has not given, another one gives.
        if server.get(command(id))["state"] in ("finished", "lost"):
            if is_over:
                show.end()
                return server.get(command(id, "/report"))
            is_over = True
    raise ChannelLost(f"the server does not say what {id} prints", command_id=id, reason="it says nothing")


class _Show:
    def __init__(self, server: Server, id: str, way: Way, screen: Screen) -> None:
        self._server = server
        self._screen = screen
        self._id = id
        self._way = way
        self._offset = 0  # of the bytes that were shown

    def take(self, event: Any) -> None:
        kind = event["event"]
        if self._way == "json":
            print_json(event)
        elif self._way == "bytes" and kind in ("output", "gap", "finished"):
            self._offset = copy(self._server, self._id, self._screen, self._offset)
        elif self._way == "text" and kind == "output":
            sys.stdout.write(event["text"])
            sys.stdout.flush()
        elif self._way == "text" and kind == "gap" and event["bytes"]:
            how = f"truetty log{self._server.on} {self._id}"
            print(f"truetty: {event['bytes']:,} bytes are left out; {how}", file=sys.stderr)
        if kind == "finished":
            self.end()

    def end(self) -> None:
        if self._way == "bytes":
            self._offset = copy(self._server, self._id, self._screen, self._offset)
            self._screen.end()


def copy(server: Server, id: str, screen: Screen, offset: int = 0) -> int:
    """The bytes from this offset on. Gives the offset behind the last one."""
    while True:
        answer = server.read(command(id, "/raw"), offset=offset)
        if answer.status >= 400:
            answer.json()
        screen.write(answer.body)
        after = int(answer.headers["truetty-next-offset"])
        if after <= offset or after >= int(answer.headers["truetty-size"]):
            return after
        offset = after
