"""/mcp of the server: MCP clients by streamable HTTP, on the socket and, with the token, on the page's port."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from tests.mcp.lasting import call, kill
from tests.mcp.served import ERAS, PATIENCE
from tests.web.browser import Page
from tests.web.test_programs import let_in
from truetty.mcp.shared_http import MOST_HERE

URL = "http://truetty/mcp"
ACCEPTED = {"Accept": "application/json, text/event-stream"}


def socket_of(page: Page) -> str:
    info = page.server.place.read_info()
    assert info is not None
    return str(info["socket"])


@asynccontextmanager
async def joined(page: Page, way: str, *, mode: str = "legacy", name: str = "tester") -> AsyncIterator[Client]:
    if way == "port":
        headers = {"Authorization": f"Bearer {let_in(page).read_text().strip()}"}
        http = httpx2.AsyncClient(headers=headers, trust_env=False, timeout=PATIENCE)
        url = f"{page.url}/mcp"
    else:
        transport = httpx2.AsyncHTTPTransport(uds=socket_of(page))
        http, url = httpx2.AsyncClient(transport=transport, trust_env=False, timeout=PATIENCE), URL
    async with http:
        info: Any = Implementation(name=name, version="1")
        async with Client(streamable_http_client(url, http_client=http), mode=mode, client_info=info) as client:
            yield client


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("way", ["port", "socket"])
async def test_a_client_runs_commands_in_the_servers_terminals(page: Page, way: str, era: str) -> None:
    async with joined(page, way, mode=era) as client:
        done = await call(client, "run", command="echo $((6 * 7)); cd /; (exit 3)", wait=PATIENCE)
        assert (done["output"], done["exit_code"]) == ("42\n", 3)
        (terminal,) = page.server.get("/v1/terminals")["terminals"]
        assert (terminal["id"], terminal["task"]) == (done["terminal_id"], "tester@mcp")
    async with joined(page, way, mode=era) as again:  # its terminal has outlived it
        done = await call(again, "run", command="pwd", wait=PATIENCE)
        assert (done["output"], done["terminal_id"]) == ("/\n", terminal["id"])


async def test_a_command_outlives_its_client_and_the_server(page: Page) -> None:
    async with joined(page, "socket") as client:
        begun = await call(client, "run", command="read x; echo got $x; (exit 7)", wait=PATIENCE)
        assert begun["state"] == "waiting"
    kill(page.server)
    async with joined(page, "socket") as again:
        answer = {"text": "it", "enter": True, "wait": PATIENCE, "until": "exit"}
        done = await call(again, "send", id=begun["command_id"], **answer)
        assert (done["state"], done["exit_code"]) == ("finished", 7) and "got it" in done["output"]


async def test_clients_that_say_no_goodbye_make_room_for_others(page: Page) -> None:
    """More sessions than there is room for, of which none is ended."""
    transport = httpx2.AsyncHTTPTransport(uds=socket_of(page))
    async with httpx2.AsyncClient(transport=transport, trust_env=False, timeout=PATIENCE) as http:
        for number in range(MOST_HERE + 2):
            session = await begin(http, f"client {number}")
            listed = await ask(http, session, "tools/call", name="terminals", arguments={})
            assert "error" not in listed, listed
        assert "error" not in await ask(http, session, "tools/call", name="terminals", arguments={})


async def begin(http: httpx2.AsyncClient, name: str) -> str:
    """A session of the earlier revisions; its id."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    answered = await http.post(URL, json=message, headers=ACCEPTED)
    session = str(answered.headers["mcp-session-id"])
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await http.post(URL, json=ready, headers={**ACCEPTED, "mcp-session-id": session})
    return session


async def ask(http: httpx2.AsyncClient, session: str, method: str, **params: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}
    answered = await http.post(URL, json=message, headers={**ACCEPTED, "mcp-session-id": session})
    (data,) = (line.removeprefix("data: ") for line in answered.text.splitlines() if line.startswith("data: {"))
    return json.loads(data)


def test_without_the_token_no_client_gets_in(page: Page) -> None:
    let_in(page)
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for token in (None, "Bearer wrong"):
        assert page.ask("POST", "/mcp", message, headers={"Authorization": token}).status in (401, 403)
    assert page.ask("POST", "/mcp", message, login=page.login()).status == 403  # a page is no program
