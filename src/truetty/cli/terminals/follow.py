"""What a command prints, while it prints it: for `truetty log --follow` and `truetty run --in`.

Rule 1: the server tells when there is more (`/events`). Text comes with that; bytes are read by their offset.
Rule 2: it ends with the command.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, Literal

from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import print_json
from truetty.core.errors import ChannelLost

Way = Literal["text", "bytes", "json", "nothing"]
COALESCE: Final = 0.03  # seconds between two pieces of output: a person sees no difference


def follow(server: Server, id: str, way: Way, on_waiting: Callable[[Any], bool] = lambda waiting: True) -> Any:
    """The outcome; None: `on_waiting`, which is called with each question, did not want to go on."""
    shown = 0
    for event in server.again().stream(command(id, "/events"), coalesce=COALESCE):
        if way == "json":
            print_json(event)
        elif way == "bytes" and event["event"] in ("output", "gap", "finished"):
            shown = copy(server, id, shown)
        elif way == "text":
            _print(event, id, server)
        match event["event"]:
            case "waiting" if not on_waiting(event["waiting"]):
                return None
            case "finished":
                return event["outcome"]
    raise ChannelLost("the server has ended, or the terminal was closed", command_id=id, reason="no more events")


def copy(server: Server, id: str, offset: int = 0) -> int:
    """The bytes from this offset on, to standard output. Gives the offset behind the last one."""
    while True:
        answer = server.read(command(id, "/raw"), offset=offset)
        if answer.status >= 400:
            answer.json()
        if answer.body:
            sys.stdout.buffer.write(answer.body)
            sys.stdout.buffer.flush()
        after = int(answer.headers["truetty-next-offset"])
        if after <= offset or after >= int(answer.headers["truetty-size"]):
            return after
        offset = after


def _print(event: Any, id: str, server: Server) -> None:
    if event["event"] == "output":
        sys.stdout.write(event["text"])
        sys.stdout.flush()
    elif event["event"] == "gap" and event["bytes"]:
        print(f"truetty: {event['bytes']:,} bytes are left out; truetty log{server.on} {id}", file=sys.stderr)
