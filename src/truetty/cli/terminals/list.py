"""`truetty list`: the terminals, those that wait for a person first.

Rule 1: `--watch` draws anew when the server tells of a change, and never on a timer. What was drawn has all that had
        happened up to its `seq`, so events up to that one are passed over, however many there are.
Rule 2: into a pipe, each table stands below the one before, and a table that is like that one is not printed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from truetty.cli.terminals.server import Server
from truetty.cli.terminals.standing import print_json, stray_line
from truetty.cli.terminals.table import table
from truetty.cli.terminals.wakeful import end_with_reader
from truetty.core.errors import ChannelLost, TruettyError

COMPLETION_SECONDS: Final = 0.2  # a person who has pressed Tab waits no longer
_UP: Final = "\x1b[{}F\x1b[J"  # to the beginning of so many lines above, and all from there on cleared


def list(all: bool, watch: bool, names: bool, on: str | None, json: bool) -> int:
    if names:
        return _print_names(on)
    server = Server(on)
    if watch:
        return _watch(server, all, json)
    found = server.get("/v1/terminals", all=all or None)
    if json:
        print_json(found)
    elif not found["terminals"]:
        print("no terminals are open", file=sys.stderr)
    else:
        print("\n".join(table(found["terminals"])))
    if not json:
        for one in found.get("strays", ()):
            print(stray_line(one), file=sys.stderr)
    return 0


def _print_names(on: str | None) -> int:
    """For completion: nothing is started, and a server that does not answer at once is passed over."""
    try:
        found = Server(on, start=False, patience=COMPLETION_SECONDS, quiet=True).get("/v1/terminals")["terminals"]
    except (TruettyError, OSError):
        return 0
    for name in [*(one["id"] for one in found), *(one["name"] for one in found if one["name"])]:
        print(name)
    return 0


def _watch(server: Server, all: bool, json: bool) -> int:
    drawn: Sequence[str] = ()  # the lines of the last table
    seq = -1
    live = sys.stdout.isatty() and not json
    end_with_reader()
    for event in _events(server):
        if event and event["seq"] <= seq:
            continue
        found = server.get("/v1/terminals", all=all or None)
        seq = found["seq"]
        if json:
            print_json(found)
            continue
        lines = [*table(found["terminals"])] if found["terminals"] else ["no terminals are open"]
        lines += map(stray_line, found.get("strays", ()))
        if live and (rows := os.get_terminal_size(sys.stdout.fileno()).lines):  # 0 where it does not say
            lines = lines[: max(rows - 1, 1)]
        if lines == drawn and not live:
            continue
        before = _UP.format(len(drawn)) if live and drawn else "\n" if drawn else ""
        print(before + "\n".join(lines), flush=True)
        drawn = lines
    return 0


def _events(server: Server) -> Iterator[dict[str, Any]]:
    """One at once, for how things stand, then each that comes. A server that is killed has a next one."""
    while True:
        stream = server.again().stream("/v1/events", since=server.get("/v1/terminals")["seq"])
        yield {}
        with suppress(ChannelLost):
            yield from stream
