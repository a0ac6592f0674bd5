"""`truetty mcp`: the MCP server, over standard input and output or over HTTP."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass

from truetty.cli import OURS
from truetty.core.errors import Misuse
from truetty.mcp.session import Setup
from truetty.settings import Settings
from truetty.shells import table


@dataclass(frozen=True, slots=True)
class Request:
    http: bool
    host: str
    port: int
    token_file: str | None
    expose: bool
    hosts: list[str]
    origins: list[str]
    policy: str
    shell: str | None
    cwd: str | None
    rc: bool


def main(request: Request) -> int:
    if request.cwd is not None and not os.path.isdir(request.cwd):
        raise Misuse(f"no such directory: {request.cwd}", cwd=request.cwd)
    settings = Settings.load(
        shell=request.shell,
        workspace=os.path.abspath(request.cwd) if request.cwd is not None else None,
        rc=None if request.rc else False,
    )
    table.find(settings.shell, os.environ)  # a shell that is not there is said now, not to the agent later
    try:
        from truetty.mcp import serving, token
    except ModuleNotFoundError as error:
        print(f"truetty: {error.name} is missing: pip install 'truetty[mcp]' brings it", file=sys.stderr)
        return OURS
    setup = Setup.of(settings, request.policy)
    if request.http:
        path = request.token_file or token.place(os.environ)
        address = serving.Address(
            request.host,
            request.port,
            token.read_or_make(path),
            path,
            request.expose,
            request.hosts,
            request.origins,
        )
        asyncio.run(serving.over_http(setup, address))
        return 0
    if sys.stdin is not None and sys.stdin.isatty():
        print("truetty mcp: an MCP client starts this and speaks to it; Ctrl-D ends it", file=sys.stderr)
    number = asyncio.run(serving.over_stdio(setup))
    if number:
        # A thread still reads standard input; everything else is closed, and Python would wait for that one.
        sys.stderr.flush()
        os._exit(128 + number)
    return 0
