"""The command line. It translates; it decides nothing.

Exit status: the command's own; 124 when patience or time-out ended the wait; 125 for an error of ours.
Each command has a file with its parameters and what it does, which is imported when it is used: `--help` stays quick.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from truetty.cli.commands import CommandGroup

app = typer.Typer(
    name="truetty",
    cls=CommandGroup,
    help="A terminal that tells the truth: what ran, what it printed, how it ended, what it is waiting for.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from truetty import __version__

        typer.echo(f"truetty {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # None where it was closed; what programs print is UTF-8 in any locale
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    app()
