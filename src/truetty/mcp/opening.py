"""What a pipe (`pipe.py`) and a server of terminals (`shared.py`) say to each other on /v1/mcp beside the protocol.

    pipe   → an `Opening`                              first
    server → {"ok": {"truetty", "warning"}}            or {"error": {"code", "message", "facts"}}, and the end
    server → {"task": "claude-code@/home/me/app"}      when the client is known; the pipe brings it to the next server
    both     each other message is one message of MCP

A call of a tool has a line before it (`traffic.marked`): its key, and whether it was sent before and not answered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from truetty.core.errors import Misuse
from truetty.functions.table import RUN_WAIT
from truetty.server.shapes import made

PATH: Final = "/v1/mcp"


@dataclass(frozen=True, slots=True)
class Opening:
    """What the command line of the client says. What is None is as the server's settings have it."""

    session: str  # random: tells a pipe that comes again from another client
    workspace: str  # the client's directory: a part of its task
    task: str | None = None  # that the server before has given
    known_questions: Mapping[str, str] | None = None  # by command: the prompt that the client was told of last
    known_ends: tuple[str, ...] = ()  # commands of whose end a notice has told the client: the last ones
    here: bool = True  # the client is on the server's machine
    where: str | None = None  # the server's address, where it is not the user's own
    environ: Mapping[str, str] | None = None  # of the client
    policy: str = "settings"
    sandbox: str | None = None
    cwd: str | None = None
    shell: str | None = None
    rc: bool | None = None
    structured: bool = False
    prefix: str = ""
    wait: float = RUN_WAIT
    most_wait: float | None = None


def read(text: str) -> Opening:
    try:
        return made(Opening, json.loads(text))
    except (ValueError, RecursionError) as error:
        raise Misuse(f"the first message opens a session: {error}") from None
