"""`truetty log`: what a command has printed, or prints."""

from __future__ import annotations

import sys
from typing import Final

from truetty.cli.terminals.follow import Way, copy, follow
from truetty.cli.terminals.screen import Screen
from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import print_json, status
from truetty.cli.terminals.wakeful import end_with_reader
from truetty.core.errors import Misuse

PIECE: Final = 1_000_000  # characters of one request
WHOLE: Final = 16 << 20  # characters: more than a server gives at once
NOT_FOUND: Final = 1  # as grep has it


def log(id: str, live: bool, tail: int | None, grep: str | None, raw: bool, on: str | None, json: bool) -> int:
    if sum((live, tail is not None, grep is not None)) > 1:
        raise Misuse("--follow, --tail and --grep are three things: name one of them")
    if raw and (json or tail is not None or grep is not None):
        raise Misuse("--raw prints all bytes as they are: it goes with --follow only")
    server = Server(on)
    found = server.get(command(id))["id"]  # from here on the same one, however many are started
    if live:
        return _follow(server, found, raw, json)
    if json:
        page = server.get(command(found, "/output"), offset=0 if grep is None and tail is None else None,
                          limit=WHOLE, tail=tail, grep=grep)  # fmt: skip
        print_json(page)
        return NOT_FOUND if page["match_count"] == 0 else 0
    if raw:
        screen = Screen()
        copy(server, found, screen)
        screen.end()
    elif grep is not None:
        matches = server.get(command(found, "/grep"), pattern=grep)["matches"]
        for match in matches:
            print(match["line"])
        return 0 if matches else NOT_FOUND
    elif tail is not None:
        _print(server.get(command(found, "/text"), tail=tail)["text"])
    else:
        _print_all(server, found)
    return 0


def _follow(server: Server, id: str, raw: bool, json: bool) -> int:
    way: Way = "json" if json else "bytes" if raw or sys.stdout.isatty() else "text"
    end_with_reader()
    return status(follow(server, id, way))


def _print_all(server: Server, id: str) -> None:
    offset = 0
    while text := server.get(command(id, "/page"), offset=offset, limit=PIECE)["text"]:
        offset += len(text)
        sys.stdout.write(text)
        if len(text) < PIECE:
            break
    sys.stdout.flush()


def _print(text: str) -> None:
    sys.stdout.write(text if text.endswith("\n") or not text else f"{text}\n")
