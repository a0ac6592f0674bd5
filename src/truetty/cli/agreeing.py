"""A question to the person at the terminal, answered with yes or no."""

from __future__ import annotations

import sys


def agrees(question: str) -> bool:
    """False where there is no person to ask."""
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
