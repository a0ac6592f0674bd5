"""The server over stdio, spoken to line by line: for what no client of an SDK sends, such as a number without end."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

from tests.mcp.served import PATIENCE, server
from truetty.mcp.greeting import CAPABILITIES, CLIENT, VERSION

LONGEST_LINE = 1 << 24


class RawClient:
    """One call at a time."""

    def __init__(self, process: asyncio.subprocess.Process, meta: Mapping[str, object]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._input, self._output = process.stdin, process.stdout
        self._numbers = itertools.count(1)
        self._meta = {"_meta": meta} if meta else {}

    def write(self, method: str, params: Mapping[str, object], id: int | None = None) -> None:
        number = {} if id is None else {"id": id}
        message = {"jsonrpc": "2.0", "method": method, "params": {**params, **self._meta}, **number}
        self._input.write(json.dumps(message).encode() + b"\n")

    def send(self, method: str, params: Mapping[str, object]) -> int:
        """Ask without waiting for the answer: its number, for `answer`."""
        id = next(self._numbers)
        self.write(method, params, id)
        return id

    async def answer(self, id: int) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            while True:
                message = json.loads(await self._output.readline())
                if message.get("id") == id and "method" not in message:
                    return cast(dict[str, Any], message)

    async def request(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        return await self.answer(self.send(method, params))

    async def call(self, name: str, arguments: Mapping[str, object]) -> tuple[str, bool]:
        """The text that a model reads, and whether it is an error."""
        answer = await self.request("tools/call", {"name": name, "arguments": arguments})
        assert "result" in answer, answer
        return answer["result"]["content"][0]["text"], bool(answer["result"].get("isError"))


def command_id(text: str) -> str:
    """The command that a result is about."""
    found = re.search(r"\[(t\d+-\d+)", text)
    assert found is not None, text
    return found[1]


@asynccontextmanager
async def raw_client(
    *options: str,
    env: Mapping[str, str] | None = None,
    elicitation: Mapping[str, object] | None = None,
    modern: bool = False,
) -> AsyncIterator[RawClient]:
    """`elicitation`: what the client says it can do; `modern`: by the revision without sessions."""
    made = server(*options, env=env)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        made.command, *made.args, env=made.env, stdin=pipe, stdout=pipe, limit=LONGEST_LINE
    )
    capabilities = {} if elicitation is None else {"elicitation": elicitation}
    info = {"name": "raw", "version": "1"}
    meta = {VERSION: "2026-07-28", CAPABILITIES: capabilities, CLIENT: info} if modern else {}
    client = RawClient(process, meta)
    try:
        if not modern:
            about = {"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": info}
            await client.request("initialize", about)
            client.write("notifications/initialized", {})
        yield client
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.wait_for(process.wait(), PATIENCE)
