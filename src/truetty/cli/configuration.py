"""The commands about truetty itself: settings, setup, schema. Their bodies are imported when they run."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command()(settings)
    app.command()(setup)
    app.command()(schema)


def settings(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")] = False,
) -> None:
    """Print every setting as it is in effect, and where it came from: the default, your file, or the environment."""
    from truetty.cli import _guarded
    from truetty.cli.settings import main

    raise typer.Exit(_guarded(lambda: main(json=json)))


def setup(
    client: Annotated[
        str | None, typer.Argument(metavar="CLIENT", help="Whose configuration; without it, all are listed.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--print", help="Show what would be written, and where; change nothing.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take truetty out of it again.")] = False,
    project: Annotated[
        bool, typer.Option("--project", help="The file of the project in this directory, not your own.")
    ] = False,
) -> None:
    """Put truetty into an MCP client: Claude Code, Claude Desktop, VS Code, Cursor, Codex, Gemini CLI."""
    from truetty.cli import _guarded
    from truetty.cli.setup.setup import main

    raise typer.Exit(_guarded(lambda: main(client, show=show, undo=undo, project=project)))


def schema(
    form: Annotated[
        str | None, typer.Argument(metavar="FORM", help="openai (the default), responses, anthropic or bash.")
    ] = None,
) -> None:
    """Print the tools as function schemas for agent frameworks, as JSON."""
    from truetty.cli import _guarded
    from truetty.cli.schema import main

    raise typer.Exit(_guarded(lambda: main(form)))
