"""The lean start of `truetty mcp`: the client's first requests are answered while the rest is still being imported.

Rule 1: only where the command line leaves no doubt: standard input and output, by a client and not by a person, and no
        option but those that change nothing of what is answered. Everything else starts as any command does.
Rule 2: the command line is still read by `cli/mcp.py`. What is wrong with a value (a directory, a shell) is said there.
"""

from __future__ import annotations

import os
import sys

from truetty.mcp.wire import Wire

# Options of `truetty mcp` that no answer of `mcp/greeting.json` depends on; whether a value follows.
SAME_ANSWERS = {"--policy": True, "--shell": True, "--cwd": True, "--sandbox": True, "--no-rc": False}

wire: Wire | None = None  # of this process, if it has begun early


def begin(words: list[str]) -> None:
    global wire
    if is_plain(words) and None not in (sys.stdin, sys.stdout, sys.stderr) and not os.isatty(0):
        wire = Wire()


def is_plain(words: list[str]) -> bool:
    """Whether these words behind `mcp` mean standard input and output, and the answers that every client gets."""
    rest = list(words)
    while rest:
        option, equals, _ = rest.pop(0).partition("=")
        if option not in SAME_ANSWERS or bool(equals) > SAME_ANSWERS[option]:
            return False
        if SAME_ANSWERS[option] and not equals:
            if not rest:
                return False
            rest.pop(0)
    return True
