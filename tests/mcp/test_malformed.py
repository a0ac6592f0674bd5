"""Lines of a client that are no messages of JSON-RPC: each is answered, by both servers over standard input."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.lasting import shared
from tests.mcp.served import PATIENCE, server
from tests.server.live import Live
from truetty.mcp.malformed import refusal

LINES = {
    "garbage": (None, -32700),
    '{"jsonrpc": "2.0", "id": 7': (None, -32700),
    "[1, 2]": (None, -32600),
    "7": (None, -32600),
    '{"id": "seven"}': ("seven", -32600),
    '{"id": [7]}': (None, -32600),
}
PING = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'


@pytest.fixture
def live(home: Path, tmp_path: Path) -> Iterator[Live]:
    made = Live(tmp_path / "state")
    yield made
    made.end()


@pytest.mark.parametrize("line", ["", "  \r\n", PING, '{"jsonrpc": "2.0", "id": 1, "result": {}}'])
def test_a_message_is_not_refused(line: str) -> None:
    assert refusal(line) is None


@pytest.mark.parametrize("is_shared", [False, True])
async def test_each_line_that_is_no_message_is_answered(live: Live, is_shared: bool) -> None:
    parameters = shared(live) if is_shared else server()
    process = await asyncio.create_subprocess_exec(
        parameters.command, *parameters.args, env=parameters.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None

    async def answer() -> dict[str, Any]:
        assert process.stdout is not None
        found: dict[str, Any] = json.loads(await asyncio.wait_for(process.stdout.readline(), PATIENCE))
        return found

    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    greeting = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening})
    process.stdin.write(f'{greeting}\n{{"jsonrpc": "2.0", "method": "notifications/initialized"}}\n'.encode())
    assert (await answer())["id"] == 0
    for line, (id, code) in LINES.items():
        process.stdin.write(f"{line}\n".encode())
        refused = await answer()
        assert (refused["id"], refused["error"]["code"]) == (id, code)
    process.stdin.write(f"\n{PING}\n".encode())
    assert await answer() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
