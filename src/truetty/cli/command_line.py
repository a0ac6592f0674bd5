"""COMMAND, as a line for the shell."""

from __future__ import annotations

import shlex


def command_line(words: list[str]) -> str:
    """One word is a command line as it stands; several are quoted and joined."""
    return words[0] if len(words) == 1 else shlex.join(words)
