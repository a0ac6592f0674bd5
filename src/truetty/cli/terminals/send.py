"""`truetty send`: keys, to whatever reads a terminal."""

from __future__ import annotations

from truetty.cli.terminals.server import Server, command, terminal
from truetty.cli.terminals.starting import type_keys
from truetty.core.errors import Misuse


def send(id: str, text: str | None, key: list[str], enter: bool, on: str | None) -> int:
    keys = [*key, *(["Enter"] if enter else [])]
    if not text and not keys:
        raise Misuse("send needs TEXT, --key or --enter: there is nothing to type", id=id)
    # A command's id is for that command alone; a terminal's for what reads there now, its shell too.
    path = command(id, "/type") if "-" in id and id.rpartition("-")[2].isdigit() else terminal(id, "/type")
    type_keys(Server(on), path, text=text or "", keys=keys)
    return 0
