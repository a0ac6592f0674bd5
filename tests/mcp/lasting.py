"""A real server of terminals, and real clients of `truetty mcp --shared` on it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.mcp.results import both
from tests.mcp.served import server
from tests.server.live import Live
from truetty.host.kernel import proc


def shared(live: Live, *options: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Any:
    """How a client starts ours."""
    made = server("--shared", *options, env={"TRUETTY_STATE": live.place.folder, **(env or {})})
    return made.model_copy(update={"cwd": cwd})


def joined(parameters: StdioServerParameters, *, mode: str = "legacy", name: str = "tester", **more: Any) -> Client:
    from mcp_types import Implementation

    return Client(stdio_client(parameters), mode=mode, client_info=Implementation(name=name, version="1"), **more)


async def call(client: Client, tool: str, /, **arguments: object) -> dict[str, Any]:
    """The data of a result, with the text that a model reads."""
    result: Any = await client.call_tool(tool, arguments)
    return both(result)


def kill(live: Live) -> None:
    """The server, with -9; comes back when the next one answers."""
    pid = live.pid()
    os.kill(pid, signal.SIGKILL)
    while live.pid() == pid:
        pass


def descendants(pid: int, suits: Callable[[str], bool]) -> list[int]:
    """Processes below this one with such a command line."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and (stat := proc.stat(int(folder.name))) is not None and stat.parent == pid:
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            found += [int(folder.name)] * suits(words) + descendants(int(folder.name), suits)
    return found
