"""The server over streamable HTTP: who gets in, and whose terminals are whose."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp import results
from tests.mcp.served import ERAS, JOB, PACKAGE, PATIENCE, alive, eventually, once, pids, two_lines
from truetty.core.errors import HostError, Misuse
from truetty.mcp.http import Listener
from truetty.server.wire import token
from truetty.server.wire.door import Receive, Scope, Send, guard, is_loopback

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


class Running:
    """`truetty mcp --http` as a process of its own."""

    def __init__(self, process: subprocess.Popen[str], home: Path, url: str, token_file: Path) -> None:
        self.process = process
        self.home = home
        self.url = url
        self.token_file = token_file
        self.token = token_file.read_text().strip()

    def http(self, **headers: str) -> httpx2.AsyncClient:
        given = {"Authorization": f"Bearer {self.token}", **ACCEPT, **headers}
        return httpx2.AsyncClient(headers=given, trust_env=False, timeout=PATIENCE)

    @asynccontextmanager
    async def client(self, era: str, name: str = "test") -> AsyncIterator[Client]:
        async with self.http() as http:
            transport = streamable_http_client(self.url, http_client=http)
            info = types.Implementation(name=name, version="1")
            async with Client(transport, mode=era, client_info=info) as client:
                yield client


@contextmanager
def running(home: Path) -> Iterator[Running]:
    with subprocess.Popen(
        [sys.executable, "-m", "truetty", "mcp", "--http", "--port", "0", "--shell", "bash", "--no-rc"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "HOME": str(home)},
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert line.startswith("truetty mcp: http://127.0.0.1:"), line
            url, _, path = line.removeprefix("truetty mcp: ").strip().partition(", token in ")
            made = Running(process, home, url, Path(path))
            assert made.token not in line
            yield made
        finally:
            process.terminate()
            process.wait(PATIENCE)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for the tests that do not end it: each is a client with a session or a name of its own."""
    with running(tmp_path_factory.mktemp("home")) as server:
        yield server


async def run(client: Client, command: str, **given: object) -> dict[str, Any]:
    result = await client.call_tool("run", {"command": command, **given})
    return results.data(result)


async def test_who_may_come_in(shared: Running) -> None:
    server = shared
    async with server.http() as http:
        assert server.token_file.stat().st_mode & 0o777 == 0o600
        assert server.token_file == server.home / ".local/state/truetty/mcp-token"

        async def status(**headers: str) -> int:
            return (await http.post(server.url, json=INITIALIZE, headers=headers)).status_code

        port = httpx2.URL(server.url).port
        assert await status() == 200
        for wrong in ("", "Bearer", f"Bearer {server.token}x", "Bearer wrong", f"Basic {server.token}", server.token):
            assert await status(Authorization=wrong) == 401, wrong
        assert await status(Authorization=f"bearer {server.token}") == 200
        for host in (
            "evil.example",
            f"evil.example:{port}",
            "127.0.0.1",
            f"127.0.0.1.evil.example:{port}",
            "localhost:1",
        ):
            assert await status(Host=host) == 421, host
        assert await status(Host=f"localhost:{port}") == 200
        for origin in ("http://evil.example", "null", "https://127.0.0.1", f"http://127.0.0.1:{port}.evil.example"):
            assert await status(Origin=origin) == 403, origin
        assert await status(Origin=f"http://127.0.0.1:{port}") == 200
        assert (await http.post(f"{server.url}?token={server.token}", headers={"Authorization": ""})).status_code == 401
        assert (await http.get(server.url, headers={"Authorization": ""})).status_code == 401
        preflight = await http.request("OPTIONS", server.url, headers={"Origin": "http://evil.example"})
        assert preflight.status_code == 403 and "access-control-allow-origin" not in preflight.headers


@pytest.mark.parametrize("era", ERAS)
async def test_commands_run_over_http_with_progress(shared: Running, home: Path, era: str) -> None:
    heard: list[str | None] = []
    go = home / "go"

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)
        go.touch()

    async with shared.client(era, "progress") as client:
        first = await run(client, "cd /tmp; export MARK=here; echo hi")
        assert (first["state"], first["output"]) == ("finished", "hi\n")
        assert (await run(client, "pwd; echo $MARK"))["output"] == "/tmp\nhere\n"
        await client.call_tool("run", {"command": two_lines(go), "wait": PATIENCE}, progress_callback=progress)
        assert "".join(message or "" for message in heard) == "one\ntwo\n"


async def test_sessions_do_not_see_each_other(shared: Running) -> None:
    async with shared.client("legacy") as one, shared.client("legacy") as two:
        mine = await run(one, "cd /tmp; cat")
        assert (await run(two, "pwd"))["cwd"] != "/tmp"
        other = await two.call_tool("stop", {"id": mine["command_id"]})
        assert other.is_error
    async with shared.client("2026-07-28", "editor") as one, shared.client("2026-07-28", "other") as two:
        await run(one, "cd /tmp")
        assert (await run(two, "pwd"))["output"] != "/tmp\n"
    async with shared.client("2026-07-28", "editor") as again:
        assert (await run(again, "pwd"))["output"] == "/tmp\n"


async def test_a_session_that_is_ended_leaves_nothing(shared: Running) -> None:
    async with shared.client("legacy") as client:
        left = pids(await run(client, JOB))
    # The client says DELETE when it goes.
    await eventually(lambda: not any(map(alive, left)), "its processes are gone")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_server_that_is_ended_leaves_nothing(home: Path, number: signal.Signals) -> None:
    with running(home) as server:
        async with server.client("2026-07-28") as client:
            left = pids(await run(client, JOB))
            server.process.send_signal(number)
            await eventually(lambda: server.process.poll() is not None, "the server has ended")
            assert server.process.returncode == 0
            assert not any(map(alive, left))


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_hangs_up_ends_its_wait_only(shared: Running, home: Path, era: str) -> None:
    async with shared.client(era, "hangs up") as client:
        go = home / "go"
        calling = asyncio.ensure_future(run(client, f"{once(go)}; echo went on"))

        async def row(state: str) -> dict[str, Any]:
            """Of the one terminal there is, when it has come to this."""
            deadline = asyncio.get_running_loop().time() + PATIENCE
            while asyncio.get_running_loop().time() < deadline:
                found = results.data(await client.call_tool("terminals", {}))
                assert isinstance(found, dict)
                for one in found["terminals"]:
                    if one["state"] == state and one["command_id"] is not None:
                        return dict(one)
                await asyncio.sleep(0.02)
            pytest.fail(f"no terminal was ever {state}")

        await row("running")
        calling.cancel()
        await asyncio.wait({calling})
        assert (await row("running"))["exit_code"] is None
        go.touch()
        read = await client.call_tool("read", {"id": (await row("idle"))["command_id"]})
        assert results.data(read)["output"] == "went on\n"


async def exit_of(*options: str, home: Path) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "truetty", "mcp", "--http", *options),
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "HOME": str(home)},
    )
    _, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    return process.returncode, err.decode()


async def test_it_does_not_listen_elsewhere_unless_told(home: Path) -> None:
    code, err = await exit_of("--host", "0.0.0.0", "--port", "0", home=home)
    assert code == 125 and "--expose" in err
    code, err = await exit_of("--host", "256.1.1.1", "--port", "0", "--expose", home=home)
    assert code == 125 and "cannot listen" in err


async def test_a_token_others_could_read_is_refused(home: Path) -> None:
    file = home / "token"
    file.write_text("t" * 32)
    file.chmod(0o644)
    code, err = await exit_of("--port", "0", "--token-file", str(file), home=home)
    assert code == 125 and "mode 644" in err and "ttt" not in err


def test_no_folder_of_a_token_is_open_to_others(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        token.read_or_make(str(tmp_path / "state" / "truetty" / "mcp-token"))
    finally:
        os.umask(before)
    for made, mode in (("state", 0o700), ("state/truetty", 0o700), ("state/truetty/mcp-token", 0o600)):
        assert (tmp_path / made).stat().st_mode & 0o777 == mode


def test_tokens(tmp_path: Path) -> None:
    path = tmp_path / "a" / "token"
    made = token.read_or_make(str(path))
    assert len(made) >= 32 and path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    assert token.read_or_make(str(path)) == made
    path.write_text("short\n")
    with pytest.raises(Misuse, match="8 ASCII characters"):
        token.read_or_make(str(path))
    link = tmp_path / "link"
    link.symlink_to(path)
    with pytest.raises(Misuse):
        token.read_or_make(str(link))
    with pytest.raises(Misuse):
        token.read_or_make(str(tmp_path))
    assert token.place({"HOME": "/h"}) == "/h/.local/state/truetty/mcp-token"
    assert token.place({"HOME": "/h", "XDG_STATE_HOME": "/s"}) == "/s/truetty/mcp-token"
    assert token.place({"HOME": "/h", "XDG_STATE_HOME": "relative"}) == "/h/.local/state/truetty/mcp-token"


async def test_listeners() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "example.org", "localhost.example.org", "")))
    one = Listener("127.0.0.1", 0)
    try:
        assert f"127.0.0.1:{one.port}" in one.hosts and f"http://localhost:{one.port}" in one.origins
        with pytest.raises(HostError, match="in use"):
            Listener("127.0.0.1", one.port)
    finally:
        await one.close()


@pytest.mark.parametrize(
    ("headers", "is_let_in"),
    [
        ({"host": "127.0.0.1:1", "authorization": "Bearer secret"}, True),
        ({"host": "127.0.0.1:1", "origin": "http://127.0.0.1:1", "authorization": "Bearer secret"}, True),
        ({"host": "127.0.0.1:1"}, False),
        ({"host": "127.0.0.1:1", "authorization": "Bearer guess"}, False),
        ({"host": "evil.example", "authorization": "Bearer secret"}, False),
        ({"host": "127.0.0.1:1", "origin": "http://evil.example", "authorization": "Bearer secret"}, False),
        ({"authorization": "Bearer secret"}, False),
    ],
)
async def test_the_same_holds_for_a_websocket(headers: dict[str, str], is_let_in: bool) -> None:
    """A web page may open a WebSocket to any host: the browser asks only the server."""
    entered, sent = [], []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        entered.append(scope["type"])

    async def send(message: Any) -> None:
        sent.append(message["type"])

    async def receive() -> Any:
        raise AssertionError

    guarded = guard(app, {"127.0.0.1:1"}, {"http://127.0.0.1:1"}, "secret")
    scope = {"type": "websocket", "headers": [(name.encode(), value.encode()) for name, value in headers.items()]}
    await guarded(scope, receive, send)
    assert (entered, sent) == ((["websocket"], []) if is_let_in else ([], ["websocket.close"]))
