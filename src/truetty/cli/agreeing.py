"""A question to the person at the terminal, answered with yes or no."""

from __future__ import annotations

import sys

from truetty.cli.prompt import read_line


def agrees(question: str) -> bool:
    """False where there is no person to ask. What follows stands on a line of its own, after Ctrl-C and Ctrl-D too."""
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        return False
    answer = ""
    try:  # the question is within: Ctrl-C may come before its print has returned
        answer = read_line(f"{question} [y/N] ")
    finally:
        if not answer.endswith("\n"):
            print(file=sys.stderr, flush=True)
    return answer.strip().lower() in ("y", "yes")
