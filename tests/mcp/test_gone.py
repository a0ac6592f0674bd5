"""Clients and servers that end badly: no process may be left."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.served import JOB, PACKAGE, PATIENCE, alive, eventually, pids, server

# A client that starts the server as clients do, says which processes there are, and waits for ever.
CLIENT = """
import asyncio, json, sys
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

async def main():
    parameters = StdioServerParameters.model_validate_json(sys.argv[1])
    async with Client(stdio_client(parameters), mode="legacy") as client:
        command = "sleep 1012 & echo $! $$ $PPID; cat"
        running = (await client.call_tool("run", {"command": command})).meta["truetty/result"]
        print(json.dumps([int(pid) for pid in running["output"].split()[-3:]]), flush=True)
        await client.call_tool("wait", {"id": running["command_id"], "wait": 1000})

asyncio.run(main())
"""


async def test_a_client_killed_in_mid_call_leaves_no_process(home: Path) -> None:
    parameters = server().model_dump_json()
    client = await asyncio.create_subprocess_exec(sys.executable, "-c", CLIENT, parameters, stdout=subprocess.PIPE)
    assert client.stdout is not None
    job, shell, ours = json.loads(await asyncio.wait_for(client.stdout.readline(), PATIENCE))
    assert all(map(alive, (job, shell, ours)))
    client.kill()
    await client.wait()
    await eventually(lambda: not any(map(alive, (job, shell, ours))), f"{job}, {shell} and {ours} are gone")


class Raw:
    """A client that writes the protocol by hand."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, *options: str) -> Raw:
        parameters = server(*options)
        process = await asyncio.create_subprocess_exec(
            *(parameters.command, *parameters.args),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=parameters.env,
        )
        raw = cls(process)
        info = {"name": "raw", "version": "1"}
        await raw.ask(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info})
        raw.tell("notifications/initialized")
        return raw

    def tell(self, method: str, params: dict[str, Any] | None = None, **more: object) -> None:
        assert self.process.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {}), **more}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def ask(self, id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdout is not None
        self.tell(method, params, id=id)
        while True:
            line = await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == id:
                return answer

    async def run(self, id: int, command: str, **given: object) -> dict[str, Any]:
        answer = await self.ask(id, "tools/call", {"name": "run", "arguments": {"command": command, **given}})
        found: dict[str, Any] = answer["result"]["_meta"]["truetty/result"]
        return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
async def test_a_server_that_is_told_to_end_closes_everything_first(home: Path, number: signal.Signals) -> None:
    raw = await Raw.start()
    left = pids(await raw.run(2, JOB))
    raw.process.send_signal(number)
    assert await asyncio.wait_for(raw.process.wait(), PATIENCE) == 128 + number
    assert not any(map(alive, left))


async def test_the_end_of_standard_input_is_the_end(home: Path) -> None:
    raw = await Raw.start()
    running = await raw.run(2, f"trap '' HUP TERM; {JOB}")
    left = pids(running)
    raw.tell("tools/call", {"name": "wait", "arguments": {"id": running["command_id"], "wait": 1000}}, id=3)
    assert raw.process.stdin is not None and raw.process.stderr is not None
    raw.process.stdin.close()
    assert await asyncio.wait_for(raw.process.wait(), PATIENCE) == 0
    assert not any(map(alive, left))
    assert await raw.process.stderr.read() == b""


async def test_what_is_no_message_is_passed_over_and_commands_cannot_reach_the_wire(home: Path) -> None:
    raw = await Raw.start()
    assert raw.process.stdin is not None
    raw.process.stdin.write(b"this is not JSON\n{}\n[1]\n\xff\xfe\n")
    printed = await raw.run(2, 'echo \'{"jsonrpc":"2.0"}\' > /proc/$PPID/fd/1; echo well')
    assert printed["output"].endswith("well\n")
    unseen = await raw.run(3, "printf '\\377\\376 \\033[31mred\\033[0m'")
    assert "red" in unseen["output"]
    raw.process.stdin.close()
    assert await asyncio.wait_for(raw.process.wait(), PATIENCE) == 0


async def test_without_the_extra_it_says_what_is_missing(home: Path, tmp_path: Path) -> None:
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("raise ModuleNotFoundError('no', name='mcp')\n")
    environ = {**os.environ, "PYTHONPATH": f"{tmp_path}:{PACKAGE.parent}"}
    ended = subprocess.run(
        [sys.executable, "-m", "truetty", "mcp"], env=environ, input="", capture_output=True, text=True, check=False
    )
    assert ended.returncode == 125 and "'.[mcp]'" in ended.stderr and ended.stdout == ""
