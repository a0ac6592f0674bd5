"""`truetty mcp`: the MCP server, over standard input and output or over HTTP."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from math import inf
from typing import Annotated

import typer

from truetty.cli import early
from truetty.cli.commands import OURS
from truetty.cli.opening import OpeningOptions
from truetty.cli.options import InSandbox, NoRc, PolicyName, Shell
from truetty.cli.signals import ENDING
from truetty.core.errors import Misuse, SpawnFailed
from truetty.functions.table import RUN_WAIT
from truetty.functions.verbs import Patience
from truetty.host.keeper import kept
from truetty.host.local import LocalHost
from truetty.host.sandbox import problem
from truetty.host.wall import Sandbox
from truetty.mcp.session import Face, Setup


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
    policy: PolicyName = "settings",
    shell: Shell = None,
    cwd: Annotated[str | None, typer.Option(metavar="D", help="The directory commands begin in.")] = None,
    sandbox: InSandbox = None,
    structured: Annotated[
        bool, typer.Option("--structured", help="Results as structured content too, and the tools say its schema.")
    ] = False,
    prefix: Annotated[
        str, typer.Option(metavar="P", help="What the names of the tools begin with, such as terminal_.")
    ] = "",
    wait: Annotated[
        float, typer.Option(metavar="S", min=0, help="Seconds that run and wait take, where a call names none.")
    ] = RUN_WAIT,
    most_wait: Annotated[
        float | None,
        typer.Option(metavar="S", min=0, help="Seconds that a call takes at most: less than the client's time-out."),
    ] = None,
    no_rc: NoRc = False,
) -> int:
    """Serve terminals to an agent by the Model Context Protocol, over standard input and output or over HTTP.

    When the client goes, or this is ended, every terminal is closed with all that runs in it.
    """
    if prefix and re.fullmatch(r"[A-Za-z0-9_-]{1,40}", prefix) is None:
        raise Misuse(f"--prefix takes letters, digits, _ and -, at most 40 of them, not {prefix!r}", prefix=prefix)
    if cwd is not None and not os.path.isdir(cwd):
        raise Misuse(f"no such directory: {cwd}", cwd=cwd)
    settings = OpeningOptions(shell, cwd, rc=not no_rc, sandbox=sandbox).settings()
    # A missing program or sandbox is an error now, not in the agent's first call.
    if (walls := Sandbox.of(settings.sandbox)) is not None and (reason := problem(walls)) is not None:
        raise SpawnFailed(f"the sandbox cannot be made: {reason}", reason=reason)
    asyncio.run(LocalHost().find(settings.shell, settings.variables(os.environ)))
    try:
        from truetty.mcp import serving, token
    except ModuleNotFoundError as error:
        print(f"truetty: {error.name} is missing: pip install 'truetty[mcp]' brings it", file=sys.stderr)
        return OURS
    patience = Patience(wait, inf if most_wait is None else most_wait)
    setup = Setup.of(settings, policy, Face(structured, prefix, patience, reads_files=not http))
    kept.begin()
    if (warning := setup.guard.warning) is not None:
        print(f"truetty mcp: {warning}", file=sys.stderr, flush=True)
    if http:
        path = token_file or token.place(os.environ)
        address = serving.Address(
            host, port, token.read_or_make(path), path, expose, allow_host or [], allow_origin or []
        )
        asyncio.run(serving.over_http(setup, address, ENDING))
        kept.finish()
        return 0
    if sys.stdin is None or sys.stdout is None:
        raise Misuse(f"standard {'input' if sys.stdin is None else 'output'} is closed: the client needs it")
    if early.wire is None and sys.stdin.isatty():
        print("truetty mcp: this is for MCP clients, which start it by themselves; Ctrl-D ends it", file=sys.stderr)
    number = asyncio.run(serving.over_stdio(setup, ENDING, early.wire))
    kept.finish()
    if number:
        # A thread still reads standard input; everything else is closed, and Python would wait for that one.
        sys.stderr.flush()
        os._exit(128 + number)
    return 0
