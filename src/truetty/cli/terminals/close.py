"""`truetty close`: the end of a terminal, with all that runs in it."""

from __future__ import annotations

from typing import Any, Final

from truetty.cli.agreeing import agrees
from truetty.cli.terminals.server import Server, terminal
from truetty.cli.terminals.standing import print_json
from truetty.core.errors import Busy
from truetty.text.quoting import excerpt, on_one_line

MOST_JOBS: Final = 5  # that are named


def close(id: str, force: bool, on: str | None, json: bool) -> int:
    server = Server(on)
    found = server.get(terminal(id))
    if not force and (work := _work(server, found)) is not None:
        message = f"in {found['id']} runs {work}"
        if json or not agrees(f"truetty: {message}. End it?"):
            raise Busy(f"{message}; --force ends it", terminal_id=found["id"])
    closed = server.delete(terminal(found["id"]))
    if json:
        print_json(closed)
    return 0


def _work(server: Server, found: Any) -> str | None:
    """What would end with the terminal; None: nothing that can be seen."""
    if found["closed"]:
        return None
    if found["busy"]:
        command = found["command"]
        return f"{command['id']}, '{on_one_line(excerpt(command['text']))}'" if command else "a program"
    jobs = server.get(terminal(found["id"], "/jobs"))["jobs"] or []
    named = [f"{on_one_line(job['name'])} (process {job['pid']})" for job in jobs[:MOST_JOBS]]
    more = f" and {len(jobs) - MOST_JOBS} more" if len(jobs) > MOST_JOBS else ""
    return f"in the background {', '.join(named)}{more}" if named else None
