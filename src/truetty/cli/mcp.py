"""`truetty mcp`: the MCP server, over standard input and output or over HTTP."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from math import inf

from truetty.cli import early
from truetty.cli.commands import OURS
from truetty.cli.opening import OpeningOptions
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
    shared: bool,
    on: str | None,
    http: bool,
    host: str,
    port: int,
    token_file: str | None,
    expose: bool,
    allow_host: list[str],
    allow_origin: list[str],
    policy: str,
    shell: str | None,
    cwd: str | None,
    sandbox: str | None,
    structured: bool,
    prefix: str,
    wait: float | None,
    most_wait: float | None,
    no_rc: bool,
) -> int:
    if prefix and re.fullmatch(r"[A-Za-z0-9_-]{1,40}", prefix) is None:
        raise Misuse(f"--prefix takes letters, digits, _ and -, at most 40 of them, not {prefix!r}", prefix=prefix)
    opened = OpeningOptions(shell, cwd, rc=not no_rc, sandbox=sandbox)
    if shared or on is not None:
        if http:
            raise Misuse("--http serves terminals of its own, --shared and --on those of a server: choose one")
        _check_streams()
        from truetty.cli.shared_mcp import serve

        return serve(on, opened, policy, structured, prefix, wait, most_wait)
    if cwd is not None and not os.path.isdir(cwd):
        raise Misuse(f"no such directory: {cwd}", cwd=cwd)
    settings = opened.settings()
    # A missing program or sandbox is an error now, not in the agent's first call.
    if (walls := Sandbox.of(settings.sandbox)) is not None and (reason := problem(walls)) is not None:
        raise SpawnFailed(f"the sandbox cannot be made: {reason}", reason=reason)
    asyncio.run(LocalHost().find(settings.shell, settings.variables(os.environ)))
    try:
        from truetty.mcp import serving
        from truetty.server.wire import token
    except ModuleNotFoundError as error:
        print(
            f"truetty: {error.name} is missing: the extra brings it, pip install '.[mcp]' in a checkout of truetty",
            file=sys.stderr,
        )
        return OURS
    patience = Patience(RUN_WAIT if wait is None else wait, inf if most_wait is None else most_wait)
    setup = Setup.of(settings, policy, Face(structured, prefix, patience, reads_files=not http))
    kept.begin()
    if (warning := setup.guard.warning) is not None:
        print(f"truetty mcp: {warning}", file=sys.stderr, flush=True)
    if http:
        path = token_file or token.place(os.environ)
        address = serving.Address(host, port, token.read_or_make(path), path, expose, allow_host, allow_origin)
        asyncio.run(serving.over_http(setup, address, ENDING))
        kept.finish()
        return 0
    _check_streams()
    number = asyncio.run(serving.over_stdio(setup, ENDING, early.wire))
    kept.finish()
    if number:
        # A thread still reads standard input; everything else is closed, and Python would wait for that one.
        sys.stderr.flush()
        os._exit(128 + number)
    return 0


def _check_streams() -> None:
    if sys.stdin is None or sys.stdout is None:
        raise Misuse(f"standard {'input' if sys.stdin is None else 'output'} is closed: the client needs it")
    if early.wire is None and sys.stdin.isatty():
        print("truetty mcp: this is for MCP clients, which start it by themselves; Ctrl-D ends it", file=sys.stderr)
