"""One story from end to end, as an agent would live it: the official SDK's client over stdio, in both eras."""

from __future__ import annotations

import hashlib
import re
import socket
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client

from tests.mcp import results
from tests.mcp.served import ERAS, JOB, PATIENCE, alive, eventually, over_stdio, pids, two_lines

LINES = 24000
PRINT = f"for number in range({LINES}): print(f'{{number:06}} the quick brown fox jumps over a lazy dog')"


class Agent:
    def __init__(self, client: Client, go: Path) -> None:
        self.client = client
        self.go = go  # made when live output was heard
        self.live: list[str] = []

    async def __call__(self, name: str, /, **given: object) -> dict[str, Any]:
        async def progress(progress: float, total: float | None, message: str | None) -> None:
            self.live.append(message or "")
            self.go.touch()

        result = await self.client.call_tool(name, given, progress_callback=progress)
        return results.both(result)


@pytest.mark.parametrize("era", ERAS)
async def test_the_story(home: Path, era: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    async with over_stdio("--cwd", str(home), mode=era) as client:
        call = Agent(client, home / "go")
        assert len((await client.list_tools()).tools) == 8

        first = await call("run", cmd="echo hello; pwd")
        assert (first["state"], first["exit_code"], first["output"]) == ("finished", 0, f"hello\n{home}\n")

        call.live.clear()
        call.go.unlink(missing_ok=True)
        long = await call("run", command=two_lines(call.go), wait=PATIENCE)
        assert (long["exit_code"], long["output"]) == (0, "one\ntwo\n")
        assert "".join(call.live) == "one\ntwo\n"

        asked = await call("run", command="read -p 'Continue? [y/N] ' a; echo you said $a")
        assert asked["state"] == "waiting" and asked["waiting"]["choices"] == ["y", "n"]
        answered = await call("send", session_id=asked["command_id"], chars="y\n")
        assert answered["exit_code"] == 0 and answered["output"].endswith("you said y\n")

        secret = await call("run", command="read -s -p 'Password: ' p; echo; echo ${#p} characters")
        assert secret["waiting"]["kind"] == "secret"
        refused = await call("send", id=secret["command_id"], text="hunter2\n")
        assert refused["is_error"] and refused["error"]["code"] == "denied"
        offered = await call("handoff", id=secret["command_id"], reason="the password of the example")
        async with httpx2.AsyncClient(trust_env=False) as person:
            page = await person.get(offered["url"])
            key = re.search(r'name="key" value="([^"]+)"', page.text)
            assert key is not None
            form = {"key": key[1], "text": "hunter2", "enter": "yes"}
            await person.post(str(httpx2.URL(offered["url"]).join("/type")), data=form)
        typed = await call("wait", id=secret["command_id"], wait=PATIENCE)
        assert typed["exit_code"] == 0 and "7 characters" in typed["output"] and "hunter2" not in typed["text"]

        server = await call("run", command=f"python3 -m http.server {port} --bind 127.0.0.1", run_in_background=True)
        assert server["state"] == "running"
        ready = await call("wait", id=server["command_id"], port=port, wait=PATIENCE)
        assert ready["reached"] == "port"
        beside = await call("run", command=f"curl -s -o /dev/null -w '%{{http_code}}' http://127.0.0.1:{port}/")
        assert beside["output"] == "200" and beside["terminal_id"] != server["terminal_id"]
        stopped = await call("stop", id=server["command_id"])
        assert stopped["state"] == "finished"

        (home / "print.py").write_text(PRINT)
        printed = await call("run", command="python3 print.py")
        assert printed["omitted"] > 0 and printed["complete"]
        original = "".join(f"{number:06} the quick brown fox jumps over a lazy dog\n" for number in range(LINES))
        pages, offset = [], 0
        while offset is not None:
            page_read = await call("read", id=printed["command_id"], offset=offset, limit=200_000)
            pages.append(page_read["output"])
            offset = page_read["next_offset"]
        assert len(original) > 1_000_000 and len(pages) == -(-len(original) // 200_000)
        assert hashlib.sha256("".join(pages).encode()).digest() == hashlib.sha256(original.encode()).digest()

        unknown = await call("wait", id="t12345")
        assert unknown["is_error"] and printed["terminal_id"] in unknown["error"]["known"]
        left = pids(await call("run", command=JOB))
    await eventually(lambda: not any(map(alive, left)), "nothing is left when the client has gone")
