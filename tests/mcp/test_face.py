"""How the tools look to a client: `truetty mcp --prefix`, `--wait`, `--most-wait` and `--structured`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

from tests.mcp.results import both
from tests.mcp.served import ERAS, PATIENCE, server
from truetty.functions.result import FIELDS


@asynccontextmanager
async def client(*options: str, era: str = ERAS[0]) -> AsyncIterator[Client]:
    async with Client(stdio_client(server(*options)), mode=era) as made:
        yield made


@pytest.mark.parametrize("era", ERAS)
async def test_a_prefix_is_in_the_names_and_in_the_advice(home: Path, era: str) -> None:
    async with client("--prefix", "terminal_", era=era) as made:
        names = [tool.name for tool in (await made.list_tools()).tools]
        assert names[0] == "terminal_run" and all(name.startswith("terminal_") for name in names)
        asked = both(await made.call_tool("terminal_run", {"command": "read -p 'send(x)? ' x", "wait": PATIENCE}))
        assert f'next: terminal_send(id="{asked["command_id"]}"' in asked["text"] and '"send(x)? "' in asked["text"]
        running = both(await made.call_tool("terminal_wait", {"id": asked["command_id"], "until": "exit", "wait": 0}))
        assert "send(x)" in running["text"]
        with pytest.raises(Exception, match="Unknown tool: run; there are terminal_run"):
            await made.call_tool("run", {"command": "true"})


async def test_patience_is_what_the_options_say(home: Path) -> None:
    async with client("--wait", "0.2", "--most-wait", "0.4") as made:
        (tool,) = [tool for tool in (await made.list_tools()).tools if tool.name == "run"]
        assert tool.input_schema["properties"]["wait"]["default"] == 0.2
        for given in ({}, {"wait": PATIENCE}):
            running = both(await made.call_tool("run", {"command": "sleep 1000", **given}))
            assert running["state"] == "running"


async def test_structured_content_takes_the_place_of_the_data(home: Path) -> None:
    async with client("--structured") as made:
        assert all(tool.output_schema for tool in (await made.list_tools()).tools)
        result = await made.call_tool("run", {"command": "echo hi"})
        assert isinstance(result.structured_content, dict) and list(result.structured_content) == list(FIELDS)
        assert result.structured_content["output"] == "hi\n" and "truetty/result" not in (result.meta or {})
        (content,) = result.content
        assert isinstance(content, types.TextContent) and content.text.endswith("\n\nhi\n")


async def test_the_whole_output_is_in_a_file_where_some_is_left_out(home: Path) -> None:
    async with client() as made:
        cut = both(await made.call_tool("run", {"command": "seq 20000", "wait": PATIENCE}))
        file = Path(cut["file"])
        assert f"\nfile: {file}\n" in cut["text"] and cut["omitted"]
        assert file.read_text() == "".join(f"{number}\n" for number in range(1, 20_001))
        assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        running = both(await made.call_tool("run", {"command": "seq 20000; sleep 1000", "until": "match:^20000$"}))
        assert running["omitted"] and running["file"] is None
        whole = both(await made.call_tool("run", {"command": "true", "wait": PATIENCE}))
        assert whole["file"] is None and "file:" not in whole["text"]
    assert not file.parent.exists()
