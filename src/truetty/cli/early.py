"""The lean start of `truetty mcp`: the client's first requests are answered while the rest is still being imported.

Rule 1: it is used only for standard input and output, by a client and not by a person, and only with options whose
        effect on the first answers is known. Everything else starts as any command.
Rule 2: the command line is still read by `cli/mcp.py`. What is wrong with a value (a directory, a shell) is said there.
"""

from __future__ import annotations

import os
import sys

from truetty.mcp.wire import Wire

# With this option the tools have a schema of their results.
STRUCTURED = "--structured"
# With this one the instructions say that terminals last. Another server than the user's own may be another version.
SHARED = "--shared"
OTHER_SERVER = "TRUETTY_ON"
# Options of `truetty mcp` with which it begins early; whether a value follows. The others change no first answer.
EARLY = {
    **dict.fromkeys(("--policy", "--shell", "--cwd", "--sandbox"), True),
    **dict.fromkeys(("--no-rc", STRUCTURED, SHARED), False),
}
# The instructions name the sandbox that stands behind this policy, or say that none does.
OTHER_ANSWERS = {("--policy", "read-only")}

wire: Wire | None = None  # of this process, if it has begun early


def begin(words: list[str]) -> None:
    global wire
    if SHARED in words and os.environ.get(OTHER_SERVER):
        return
    if is_plain(words) and None not in (sys.stdin, sys.stdout, sys.stderr) and not os.isatty(0):
        wire = Wire(structured=STRUCTURED in words, lasts=SHARED in words)


def is_plain(words: list[str]) -> bool:
    """Whether these words behind `mcp` are options of `EARLY`, as they should be."""
    rest = list(words)
    while rest:
        option, equals, value = rest.pop(0).partition("=")
        if option not in EARLY or bool(equals) > EARLY[option]:
            return False
        if EARLY[option] and not equals:
            if not rest:
                return False
            value = rest.pop(0)
        if (option, value) in OTHER_ANSWERS:
            return False
    return True
