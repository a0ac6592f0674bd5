"""`truetty wait`: until a command has settled, or what `--until` says."""

from __future__ import annotations

import time
from typing import Any, Final

from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import PATIENCE_OVER, print_json, sentence, status

ENDS: Final = ("settled", "exit", "finished")  # what a command's own exit code answers
NOT_SEEN: Final = 1  # it has finished with 0, and what was waited for did not come


def wait(id: str, until: str, timeout: float | None, on: str | None, json: bool) -> int:
    outcome = _outcome(Server(on), id, "exit" if until == "finished" else until, timeout)
    if json:
        print_json(outcome)
    else:
        print(sentence(outcome))
    if until in ENDS:
        return status(outcome)
    if outcome["state"] in ("finished", "lost"):
        return (status(outcome) or NOT_SEEN) if outcome["reached"] in ("exit", None) else 0
    return 0 if outcome["reached"] is not None else PATIENCE_OVER


def _outcome(server: Server, id: str, until: str, timeout: float | None) -> Any:
    """A wait over HTTP takes a minute at most, so it is asked again. It is of a caller that knows nothing yet: what was
    printed or asked before counts, whatever other callers have waited for."""
    end = None if timeout is None else time.monotonic() + timeout
    known = server.get(command(id))["id"]
    while True:
        left = None if end is None else max(end - time.monotonic(), 0)
        outcome = server.get(command(known, "/wait"), timeout=left, until=until, after_episode=0, after_byte=0)
        over = end is not None and time.monotonic() >= end
        if outcome["reached"] is not None or outcome["state"] in ("finished", "lost") or over:
            return outcome
