"""The commands for what a terminal has shown: record, replay, shot, clean. Their bodies are imported when they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from typer._click.core import Context


class FileFirst(TyperCommand):
    """FILE, with our options before or behind it; then COMMAND, whose options are its own."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        before, rest = self._options(ctx, args)
        if rest:
            file, *rest = rest
            behind, rest = self._options(ctx, rest)
            args = [*before, *behind, "--", file, *rest]
        return super().parse_args(ctx, args)

    def _options(self, ctx: Context, args: list[str]) -> tuple[list[str], list[str]]:
        """Our options at the beginning, and what comes after them."""
        found, _, _ = self.make_parser(ctx).parse_args(list(args))
        file, command = found.get("file"), found.get("command")
        words = [file, *(command if isinstance(command, list | tuple) else [])]
        others = [word for word in words if isinstance(word, str)]
        ours = args[: len(args) - len(others)]
        return (ours[:-1] if ours[-1:] == ["--"] else ours), args[len(args) - len(others) :]


Shell = Annotated[str | None, typer.Option(metavar="S", help="The shell, by name or path. Default: yours.")]
Directory = Annotated[str | None, typer.Option(metavar="D", help="The directory to run in.")]
NoRc = Annotated[bool, typer.Option("--no-rc", help="Do not read your start-up files.")]


def register(app: typer.Typer) -> None:
    alone = {"allow_interspersed_args": False}
    app.command(cls=FileFirst, context_settings=alone)(record)
    app.command()(replay)
    app.command(cls=FileFirst, context_settings=alone)(shot)
    app.command()(clean)


def record(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The recording: an asciicast, usually FILE.cast.")],
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND]", help="What to run. Default: your shell."),
    ] = None,
    format: Annotated[int, typer.Option(metavar="2|3", help="Which version of asciicast to write.")] = 3,
    input: Annotated[
        bool, typer.Option("--input", help="Record what is typed too, but only what the terminal echoes: no passwords.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace FILE if it is there already.")] = False,
    title: Annotated[str | None, typer.Option(metavar="T", help="A title for the recording.")] = None,
    idle_limit: Annotated[
        float | None, typer.Option(metavar="S", help="Ask players to make no pause longer than S seconds.")
    ] = None,
    shell: Shell = None,
    cwd: Directory = None,
    env: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="A variable for the shell; K alone unsets. Repeatable.")
    ] = None,
    no_rc: NoRc = False,
) -> None:
    """Record your shell, or COMMAND, to FILE; the exit status is the shell's or the command's.

    FILE can be played by `truetty replay` and by every player of asciicasts. It is readable by you alone.
    """
    from truetty.cli import _guarded
    from truetty.cli.record import Request, main

    request = Request(
        file, command or [], shell, cwd, env or [], format, input, overwrite, title, idle_limit, rc=not no_rc
    )
    raise typer.Exit(_guarded(lambda: main(request)))


def replay(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An asciicast, version 2 or 3; - is standard input.")],
    speed: Annotated[
        float | None, typer.Option(metavar="X", help="So many times as fast; inf does not wait at all.")
    ] = None,
    idle_limit: Annotated[
        float | None, typer.Option(metavar="S", help="Make no pause longer than S seconds. Default: as FILE says.")
    ] = None,
) -> None:
    """Play a recording as it was. Into a pipe it goes at once, unless --speed is given. Ctrl-C stops."""
    from truetty.cli import _guarded
    from truetty.cli.replay import Request, main

    raise typer.Exit(_guarded(lambda: main(Request(file, speed, idle_limit))))


def shot(
    file: Annotated[str, typer.Argument(metavar="FILE.svg", help="The picture; - is standard output.")],
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND]", help="One shell command line: its output is the picture.")
    ] = None,
    cast: Annotated[str | None, typer.Option(metavar="FILE", help="A picture of this recording instead.")] = None,
    at: Annotated[
        float | None, typer.Option(metavar="S", help="How it looked after S seconds. Default: at its end.")
    ] = None,
    size: Annotated[str, typer.Option(metavar="COLUMNSxROWS", help="How large COMMAND's screen is.")] = "120x30",
    title: Annotated[str | None, typer.Option(metavar="T", help="A bar above the picture that says T.")] = None,
    screen: Annotated[
        bool, typer.Option("--screen", help="The whole screen, prompt and command line too; not the output alone.")
    ] = False,
    wait: Annotated[
        float | None,
        typer.Option(metavar="S", min=0, help="Seconds of patience; then the picture is taken as things are."),
    ] = None,
    shell: Shell = None,
    cwd: Directory = None,
    no_rc: NoRc = False,
) -> None:
    """Take a picture of what COMMAND has printed when it has finished or waits for input, or of a recording."""
    from truetty.cli import _guarded
    from truetty.cli.shot import Request, main

    request = Request(file, command or [], cast, at, size, title, screen, wait, shell, cwd, rc=not no_rc)
    raise typer.Exit(_guarded(lambda: main(request)))


def clean(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="What a terminal printed. Default: standard input.")
    ] = None,
    columns: Annotated[int, typer.Option(metavar="N", help="How wide the terminal was.")] = 120,
    rows: Annotated[int, typer.Option(metavar="N", help="How high it was.")] = 30,
) -> None:
    """Turn what a terminal printed into the text a person would have read: no colours, no redrawn lines."""
    from truetty.cli import _guarded
    from truetty.cli.clean import main

    raise typer.Exit(_guarded(lambda: main(file, columns, rows)))
