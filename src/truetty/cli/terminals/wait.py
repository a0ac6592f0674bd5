"""`truetty wait`: until a command has settled, or what `--until` says."""

from __future__ import annotations

import time
from typing import Any, Final

from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import PATIENCE_OVER, print_json, sentence, status
from truetty.text.quoting import on_one_line

ENDS: Final = ("settled", "exit", "finished")  # what a command's own exit code answers
NOT_SEEN: Final = 1  # it has finished with 0, and what was waited for did not come


def wait(id: str, until: str, timeout: float | None, on: str | None, json: bool) -> int:
    outcome = _outcome(Server(on), id, "exit" if until == "finished" else until, timeout)
    came = outcome["reached"] not in ("exit", None)
    if json:
        print_json(outcome)
    elif until in (*ENDS, "input"):
        print(sentence(outcome))
    else:
        print(f"{on_one_line(until)} {'has come' if came else 'has not come'}: {sentence(outcome)}")
    if until in ENDS:
        return status(outcome)
    if came:
        return 0
    return (status(outcome) or NOT_SEEN) if outcome["state"] in ("finished", "lost") else PATIENCE_OVER


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
