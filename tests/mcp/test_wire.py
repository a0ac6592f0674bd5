"""A real server whose SDK is still being imported: what it says by then, and what becomes of the rest."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from tests.mcp.served import PACKAGE, PATIENCE, server
from tests.mcp.test_greeting import tool
from tests.server.live import Live
from truetty.cli.early import EARLY, SHARED, STRUCTURED

# In every Python that is started with it: an import of the SDK waits until the fifo is opened for writing.
HOLD = """
import os, sys

class Hold:
    def find_spec(self, name, path=None, target=None):
        if name == "mcp":
            os.close(os.open(os.environ["HOLD"], os.O_RDONLY))
            print("stray words")

sys.meta_path.insert(0, Hold())
"""
# As it is without an early start: the SDK answers everything.
SDK_ALONE = "import sys; from truetty.cli.commands import call; sys.exit(call(sys.argv[1:]))"


class Held:
    """A server; `release` lets it have the SDK."""

    def __init__(self, process: asyncio.subprocess.Process, fifo: Path) -> None:
        self.process = process
        self._fifo = fifo

    def say(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(lines).encode())

    async def line(self) -> bytes:
        assert self.process.stdout is not None
        return await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)

    async def release(self) -> None:
        os.close(await asyncio.to_thread(os.open, self._fifo, os.O_WRONLY))

    async def rest(self) -> tuple[bytes, bytes, int | None]:
        """What it still says when its client has nothing more to say, on both streams; and its exit status."""
        output, errors = await asyncio.wait_for(self.process.communicate(b""), PATIENCE)
        return output, errors, self.process.returncode


@asynccontextmanager
async def held(folder: Path, *options: str) -> AsyncIterator[Held]:
    (folder / "sitecustomize.py").write_text(HOLD)
    fifo = folder / "hold"
    os.mkfifo(fifo)
    parameters = server(*options, env={"PYTHONPATH": f"{folder}:{PACKAGE.parent}", "HOLD": str(fifo)})
    process = await asyncio.create_subprocess_exec(
        *(parameters.command, *parameters.args),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=parameters.env,
    )
    try:
        yield Held(process, fifo)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


def greeting(version: str) -> list[str]:
    """What a client says first."""
    if version in MODERN_PROTOCOL_VERSIONS:
        envelope = tool.envelope(version)
        return [tool.request(method, envelope, id=method) for method in ("server/discover", "tools/list")]
    lines = [tool.initialize(version), tool.request("ping", id="ping"), tool.request("tools/list", id="list")]
    return [lines[0], INITIALIZED, *lines[1:]]


def call(id: str, **arguments: object) -> str:
    return tool.request("tools/call", {"name": "run", "arguments": arguments}, id=id)


@pytest.mark.parametrize(
    ("version", "options"),
    [*((version, ()) for version in KNOWN_PROTOCOL_VERSIONS), ("2025-11-25", (STRUCTURED,))],
)
async def test_the_first_requests_are_answered_while_the_sdk_is_imported(
    home: Path, tmp_path: Path, version: str, options: tuple[str, ...]
) -> None:
    lines = greeting(version)
    expected = [line.encode() for line in await tool.ask(lines, structured=STRUCTURED in options)]
    async with held(tmp_path, *options) as waiting:
        waiting.say(*lines)
        assert [await waiting.line() for _ in expected] == expected
        await waiting.release()
        output, errors, status = await waiting.rest()
        assert (output, status) == (b"", 0)  # nothing is answered twice
        assert errors == b"stray words\n"  # only the protocol is on the wire


async def test_a_call_waits_for_the_sdk_and_finds_it_greeted(home: Path, tmp_path: Path) -> None:
    async with held(tmp_path) as waiting:
        waiting.say(*greeting("2025-11-25"), call("early", command="echo one"))
        assert [json.loads(await waiting.line())["id"] for _ in range(3)] == [1, "ping", "list"]
        await waiting.release()
        early: dict[str, Any] = json.loads(await waiting.line())
        assert early["id"] == "early" and "one" in early["result"]["content"][0]["text"]
        # An id may be used again by a client that has its answer.
        waiting.say(call("list", command="echo two"), tool.request("ping", id="late"))
        late = [json.loads(await waiting.line()) for _ in range(2)]
        assert {answer["id"] for answer in late} == {"list", "late"}
        assert await waiting.rest() == (b"", b"stray words\n", 0)


async def test_lines_come_through_whole_however_they_are_cut(home: Path, tmp_path: Path) -> None:
    async with held(tmp_path) as waiting:
        text = "".join([*greeting("2025-11-25"), call("long", command=f"printf %s {'ä' * 50_000} | wc -c")])
        for begin in range(0, len(text), 997):
            waiting.say(text[begin : begin + 997])
        assert [json.loads(await waiting.line())["id"] for _ in range(3)] == [1, "ping", "list"]
        await waiting.release()
        assert "100000" in json.loads(await waiting.line())["result"]["content"][0]["text"]


async def test_a_client_that_resets_its_socket_ends_the_server(home: Path) -> None:
    parameters = server()
    ours, its = socket.socketpair()
    with ours, its:
        process = await asyncio.create_subprocess_exec(
            *(parameters.command, *parameters.args), stdin=its.fileno(), stdout=its.fileno(), env=parameters.env
        )
        its.close()
        ours.sendall(tool.initialize("2025-11-25").encode())
        await asyncio.to_thread(ours.recv, 1)
    # What was not read is lost with our side: the kernel resets the other.
    try:
        assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
    finally:
        if process.returncode is None:
            process.kill()


VALUES = {"--policy": "settings", "--shell": "sh", "--cwd": "/", "--sandbox": "none"}


@pytest.mark.parametrize(("structured", "shared"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_no_other_option_changes_an_answer(
    home: Path, tmp_path: Path, version: str, structured: bool, shared: bool
) -> None:
    """All at once, and the SDK answers."""
    left_out = {STRUCTURED: not structured, SHARED: not shared}
    names = [name for name in EARLY if not left_out.get(name)]
    options = [word for name in names for word in ([name, VALUES[name]] if EARLY[name] else [name])]
    lines = greeting(version)
    live = Live(tmp_path / "state")
    parameters = server(env={"TRUETTY_STATE": live.place.folder})
    process = await asyncio.create_subprocess_exec(
        *(parameters.command, "-c", SDK_ALONE, "mcp", *options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=parameters.env,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("".join(lines).encode())
    expected = [line.encode() for line in await tool.ask(lines, structured=structured, lasts=shared)]
    found = [await asyncio.wait_for(process.stdout.readline(), PATIENCE) for _ in expected]
    assert sorted(found) == sorted(expected)
    await asyncio.wait_for(process.communicate(b""), PATIENCE)
    live.end()
