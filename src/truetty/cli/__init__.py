"""The command line. It translates; it decides nothing.

Exit status: the command's own; 124 when patience or time-out ended the wait; 125 for an error of ours.
Each subcommand is imported when it is used, so that `--help` stays quick.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from truetty.cli import agents, configuration, recordings

OURS = 125
USAGE = 2  # what the library that reads command lines ends with when it cannot read one
_begun: list[bool] = []  # a command's body has run

app = typer.Typer(
    name="truetty",
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


@app.command(context_settings={"allow_interspersed_args": False, "ignore_unknown_options": False})
def run(
    command: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND", help="One shell command line; several words are quoted and joined."),
    ],
    shell: Annotated[str | None, typer.Option(metavar="S", help="The shell, by name or path. Default: yours.")] = None,
    cwd: Annotated[str | None, typer.Option(metavar="D", help="The directory to run in.")] = None,
    env: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="A variable for the shell; K alone unsets. Repeatable.")
    ] = None,
    wait: Annotated[
        float | None,
        typer.Option(metavar="S", min=0, help="Seconds of patience; then it ends with status 124."),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(metavar="S", min=0, help="Seconds after which the command is ended.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object with the outcome, and nothing else.")
    ] = False,
    no_rc: Annotated[bool, typer.Option("--no-rc", help="Do not read your start-up files.")] = False,
) -> None:
    """Run COMMAND in a real shell on a terminal of its own, and exit with its exit code.

    Output streams as it comes. What the command asks for is passed to you if you are at a terminal, and read from
    standard input if that is a pipe or a file. With --json a command that waits for input, and gets none from standard
    input, is reported as it stands. Ctrl-C goes to the command.
    """
    from truetty.cli.run import Request, main

    raise typer.Exit(_guarded(lambda: main(Request(command, shell, cwd, env or [], wait, timeout, json, not no_rc))))


@app.command()
def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")] = False,
    no_rc: Annotated[bool, typer.Option("--no-rc", help="Try the shells without your start-up files.")] = False,
) -> None:
    """Say which shells are here and how well each one works, tried and not assumed, and what the kernel lets us see."""
    from truetty.cli.doctor import main

    raise typer.Exit(_guarded(lambda: main(json=json, rc=not no_rc)))


recordings.register(app)
agents.register(app)
configuration.register(app)


def _guarded(work: Callable[[], int]) -> int:
    """Our own errors are one clear line and status 125."""
    from truetty.core.errors import TruettyError

    _begun.append(True)
    try:
        return work()
    except TruettyError as error:
        print(f"truetty: {error}", file=sys.stderr)
        return OURS
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        print(f"truetty: {error.strerror}", file=sys.stderr)
        return OURS


def main() -> None:
    try:
        app()
    except SystemExit as ended:
        # A wrong command line is an error of ours too; 2 may be a command's own.
        if ended.code == USAGE and not _begun:
            raise SystemExit(OURS) from None
        raise
