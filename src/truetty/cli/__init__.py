"""The command line. It translates; it decides nothing.

Exit status: the command's own; 124 when `--wait` or `--timeout` was over; 125 for an error of ours.
`table/` describes every command. The file of a command is imported when the command is used: `--help` stays quick.
An MCP client is answered before anything else is imported (`early.py`).
"""

from __future__ import annotations

import sys
from io import TextIOWrapper


def main() -> None:
    if sys.argv[1:2] == ["mcp"]:
        from truetty.cli import early

        early.begin(sys.argv[2:])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # None where it was closed; what programs print is UTF-8 in any locale
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    from truetty.cli.commands import call

    sys.exit(call(sys.argv[1:]))
