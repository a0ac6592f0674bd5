"""`truetty mcp --shared` and `--on`: the client's terminals are those of a server, and outlive the client."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from typing import Final

from truetty.cli import early
from truetty.cli.opening import OpeningOptions
from truetty.cli.signals import ENDING
from truetty.cli.terminals.server import WHERE
from truetty.client.dial import address
from truetty.core.errors import Misuse
from truetty.functions.table import RUN_WAIT
from truetty.mcp.opening import Opening
from truetty.mcp.pipe import Pipe
from truetty.mcp.wire import Wire
from truetty.server.limits import MOST_VARIABLES
from truetty.settings import PREFIX

SESSION_BYTES: Final = 16


def serve(
    on: str | None,
    opened: OpeningOptions,
    policy: str,
    structured: bool,
    prefix: str,
    wait: float | None,
    most_wait: float | None,
) -> int:
    where = on or os.environ.get(WHERE) or None
    place = address(where)
    _refuse_variables(opened if place.is_here else opened._replace(cwd=None))
    cwd = os.path.abspath(opened.cwd) if opened.cwd is not None and place.is_here else opened.cwd
    opening = Opening(
        session=secrets.token_urlsafe(SESSION_BYTES),
        workspace=cwd or os.getcwd(),
        here=place.is_here,
        where=where,
        environ=dict(list(os.environ.items())[:MOST_VARIABLES]) if place.is_here else None,
        policy=policy,
        sandbox=opened.sandbox,
        cwd=cwd,
        shell=opened.shell,
        rc=None if opened.rc else False,
        structured=structured,
        prefix=prefix,
        wait=RUN_WAIT if wait is None else wait,
        most_wait=most_wait,
    )
    wire = early.wire or Wire(greets=False)
    number = asyncio.run(Pipe(place, opening, wire).run(ENDING))
    # A thread may still read standard input; everything else is closed, and Python would wait for that one.
    sys.stderr.flush()
    os._exit(128 + number if number else 0)


def _refuse_variables(opened: OpeningOptions) -> None:
    """The server has read its settings when it started, without the variables of this process."""
    origins = opened.settings().origins.values()
    if variables := sorted(origin for origin in origins if origin.startswith(PREFIX)):
        message = f"{variables[0]} is a setting of this process, and with --shared or --on terminals are the server's"
        raise Misuse(f"{message}: use an option, or the settings file", variable=variables[0])
