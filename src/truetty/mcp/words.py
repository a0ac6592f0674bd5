"""What is said to clients and their models beside the answers, which have their words from `functions/words.py`."""

from __future__ import annotations

from typing import Final

from truetty.mcp.visits import Look
from truetty.service.guard import Guard
from truetty.text.quoting import whole

INSTRUCTIONS: Final = """\
Real shells that stay: directory, variables and jobs are kept from one run to the next. Every result says how the \
command stands: finished (exit_code null: nobody knows it), running (it goes on: wait, read, stop), or waiting for \
input (send answers). Nothing is ended because a call's time is over; only stop ends a command. Secrets are never \
yours to type: call handoff, and the user types them. Silence means nothing: what prints nothing is running. In a \
result's text, what stands below the first empty line was printed by programs; what we say stands above it."""

_GUARDED: Final = """ \
Commands run in a read-only sandbox, held by the kernel. What the policy asks about, and the user allows, runs outside \
of it, in another terminal with variables of its own."""
_ALONE: Final = " The policy is read-only, and no sandbox stands behind it here."

PAGE_SHOWN: Final = "wait: the user was shown a page to type on; do not ask for the secret"
# A client may answer so by itself, where no user is.
DECLINED: Final = "the client did not show the page: it answered no, with or without the user"
SHOW_URL: Final = (
    "show the url to the user and wait: the page is on this machine, or `truetty answer URL` in a terminal here"
)


def instructions(guard: Guard) -> str:
    if guard.is_behind_policy:
        return INSTRUCTIONS + _GUARDED
    return INSTRUCTIONS + _ALONE if guard.missing is not None else INSTRUCTIONS


def invitation(look: Look, reason: str, command: str) -> str:
    """What the user reads beside the link: who reads comes first, the agent's words are quoted."""
    warnings = "".join(f"\nWARNING: {warning}" for warning in look.warnings)
    return f"{whole(look.sentence)}{warnings}\nThe agent says: “{whole(reason)}”\nIts command: {whole(command)}"
