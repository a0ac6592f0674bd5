"""Options that several commands have, each declared once."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

Shell = Annotated[str | None, typer.Option(metavar="S", help="The shell, by name or path. Default: yours.")]
Directory = Annotated[str | None, typer.Option(metavar="D", help="The directory to run in.")]
Variables = Annotated[
    list[str] | None, typer.Option(metavar="K=V", help="A variable for the shell; K alone unsets. Repeatable.")
]
InSandbox = Annotated[
    str | None,
    typer.Option(
        "--sandbox",
        metavar="read-only|workspace|none",
        help="What it may write and reach, held by the kernel. read-only: write nothing. workspace: write in its "
        "directory only. Both have private places for temporary files, and no network: +network opens it.",
    ),
]
NoRc = Annotated[bool, typer.Option("--no-rc", help="Do not read your start-up files.")]
PolicyName = Annotated[
    str,
    typer.Option(
        metavar="settings|allow|read-only",
        help="Which commands run without a question. settings: as your settings file says (everything, if it has "
        "no policy). allow: everything. read-only: only commands known to change nothing.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]


def command_line(words: list[str]) -> str:
    """One word is a command line as it stands; several are quoted and joined."""
    return words[0] if len(words) == 1 else shlex.join(words)
