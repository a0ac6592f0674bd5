"""The commands for agents and the people beside them: mcp, answer. Their bodies are imported when they run."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command()(mcp)
    app.command()(answer)


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP instead of standard input and output.")] = False,
    host: Annotated[str, typer.Option(metavar="H", help="With --http: the address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="With --http: the port; 0: a free one.")
    ] = 7717,
    token_file: Annotated[
        str | None,
        typer.Option(metavar="F", help="With --http: the file with the token, for you alone; made if it is not there."),
    ] = None,
    expose: Annotated[
        bool, typer.Option("--expose", help="With --http: listen where other machines can reach it. Put TLS in front.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST:PORT", help="With --http: one more Host that may be asked for. Repeatable."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="With --http: a web page's Origin that may call. Repeatable."),
    ] = None,
    policy: Annotated[
        str,
        typer.Option(
            metavar="settings|allow|read-only",
            help="What runs unasked: what your settings allow (all, if they say nothing), all, or what only reads.",
        ),
    ] = "settings",
    shell: Annotated[str | None, typer.Option(metavar="S", help="The shell, by name or path. Default: yours.")] = None,
    cwd: Annotated[str | None, typer.Option(metavar="D", help="The directory commands begin in.")] = None,
    no_rc: Annotated[bool, typer.Option("--no-rc", help="Do not read your start-up files.")] = False,
) -> None:
    """Serve terminals to an agent by the Model Context Protocol, over standard input and output or over HTTP.

    When the client goes, or this is ended, every terminal is closed with all that runs in it.
    """
    from truetty.cli import _guarded
    from truetty.cli.mcp import Request, main

    request = Request(
        http, host, port, token_file, expose, allow_host or [], allow_origin or [], policy, shell, cwd, rc=not no_rc
    )
    raise typer.Exit(_guarded(lambda: main(request)))


def answer(
    url: Annotated[str, typer.Argument(metavar="URL", help="The link an agent gave you when it handed over.")],
) -> None:
    """Type what an agent's command asks for, a password above all. The agent does not see it, and nothing keeps it."""
    from truetty.cli import _guarded
    from truetty.cli.answer import main

    raise typer.Exit(_guarded(lambda: main(url)))
