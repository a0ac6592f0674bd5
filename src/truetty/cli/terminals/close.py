"""`truetty close`: the end of a terminal, with all that runs in it."""

from __future__ import annotations

from truetty.cli.agreeing import agrees
from truetty.cli.terminals.server import Server, terminal
from truetty.cli.terminals.standing import print_json
from truetty.core.errors import Busy
from truetty.text.quoting import excerpt, on_one_line


def close(id: str, force: bool, on: str | None, json: bool) -> int:
    server = Server(on)
    found = server.get(terminal(id))
    if found["busy"] and not force:
        command = found["command"]
        what = f"{command['id']}, '{on_one_line(excerpt(command['text']))}'" if command else "a program"
        message = f"in {found['id']} runs {what}"
        if json or not agrees(f"truetty: {message}. End it?"):
            raise Busy(f"{message}; --force ends it", terminal_id=found["id"])
    closed = server.delete(terminal(found["id"]))
    if json:
        print_json(closed)
    return 0
