"""`truetty answer ID`: what a command of the server asks, answered.

Rule: a secret is typed without echo or comes from standard input. It is never an argument: every user of the machine
      sees the arguments of a process.
"""

from __future__ import annotations

import sys
from typing import Any

from truetty.cli.prompt import read_answer
from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import asked, sentence
from truetty.cli.terminals.starting import type_keys
from truetty.core.errors import HostError, Misuse
from truetty.text.quoting import on_one_line


def answer_command(id: str, text: str | None, on: str | None) -> int:
    server = Server(on, start=False)
    try:
        found = server.get(command(id))
    except HostError as error:
        if error.facts.get("reason") != "no server":
            raise
        what = f"{id!r} is not a truetty link, which looks like http://127.0.0.1:PORT/…"
        raise Misuse(f"{what} And no server runs in which it could be a terminal or a command.", id=id) from None
    if found["episode"] is None or found["waiting"] is None:
        raise Misuse(f"there is nothing to answer: {sentence(found)}", command_id=found["id"])
    waiting = found["waiting"]
    if text is not None and waiting["kind"] == "secret":
        message = f"{found['id']} asks for a secret, which is no argument; truetty answer{server.on} {found['id']}"
        raise Misuse(f"{message} asks you for it. Nothing was typed.", command_id=found["id"])
    if text is None:
        text = _read(waiting, f"$ {found['text']}")
    type_keys(server, command(found["id"], "/answer"), episode=found["episode"], text=text)
    return 0


def _read(waiting: dict[str, Any], what: str) -> str:
    if sys.stdin is not None and sys.stdin.isatty():
        print(on_one_line(what), file=sys.stderr)
    return _line(read_answer(f"{asked(waiting)} ", is_secret=waiting["kind"] == "secret"))


def _line(read: str) -> str:
    """Without its end. Nothing at all is no answer: an empty line is one."""
    if not read:
        raise Misuse("nothing was typed")
    return read.removesuffix("\n")
