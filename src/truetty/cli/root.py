"""`truetty` itself: its commands, and the options that belong to no command."""

from __future__ import annotations

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
