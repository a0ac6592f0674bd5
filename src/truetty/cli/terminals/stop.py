"""`truetty stop`: the end of a command. Its terminal stays."""

from __future__ import annotations

from truetty.cli.commands import OURS
from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import print_json, sentence


def stop(id: str, on: str | None, json: bool) -> int:
    outcome = Server(on).post(command(id, "/stop"))
    if json:
        print_json(outcome)
    else:
        print(sentence(outcome))
    return 0 if outcome["state"] in ("finished", "lost") else OURS
