"""Strangers at the HTTP port: none of them keeps a client with a token out, or the server from ending."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from tests.mcp.served import PATIENCE, eventually
from tests.mcp.test_http import INITIALIZE, Running, running
from truetty.mcp.http import Listener
from truetty.server.start.log import EVERY_SECONDS, SeldomHandler
from truetty.server.wire import connections
from truetty.server.wire.connections import MOST_CONNECTIONS, most_connections
from truetty.server.wire.door import Receive, Scope, Send

HALF_A_HEAD = b"POST /mcp HTTP/1.1\r\nHost: "
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class Server:
    """A listener whose app answers when it may."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()
        self.asked = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        self.asked += 1
        await self.may_answer.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def listening(server: Server) -> AsyncIterator[int]:
    listener = Listener("127.0.0.1", 0)
    await listener.start(server)
    try:
        yield listener.port
    finally:
        await listener.close()


Peer = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def connected(port: int, *sent: bytes) -> AsyncIterator[Peer]:
    async with asyncio.timeout(PATIENCE):
        peer = await asyncio.open_connection("127.0.0.1", port)
    for data in sent:
        peer[1].write(data)
    try:
        yield peer
    finally:
        peer[1].close()


async def received(peer: Peer) -> bytes:
    """Everything, until the connection is closed."""
    async with asyncio.timeout(PATIENCE):
        try:
            return await peer[0].read()
        except ConnectionResetError:
            return b""


@pytest.mark.parametrize("sent", [b"", b"G", HALF_A_HEAD], ids=["nothing", "a letter", "half a head"])
async def test_a_connection_without_a_request_is_closed(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)
    async with listening(Server()) as port, connected(port, sent) as peer:
        assert await received(peer) == b""


async def test_a_request_that_takes_long_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    server = Server()
    async with listening(server) as port, connected(port, REQUEST) as slow, connected(port) as silent:
        await eventually(lambda: server.asked == 1, "the request")
        assert await received(silent) == b""  # the time for a head is over for both
        server.may_answer.set()
        async with asyncio.timeout(PATIENCE):
            assert (await slow[0].readline()).split()[1] == b"204"


async def test_half_a_head_after_an_answer_is_closed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "NEXT_HEAD_SECONDS", 0.1)
    server = Server()
    server.may_answer.set()
    async with listening(server) as port, connected(port, REQUEST, HALF_A_HEAD) as peer:
        assert (await received(peer)).startswith(b"HTTP/1.1 204")


async def test_the_oldest_connection_without_a_request_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truetty.mcp.http.most_connections", lambda: 4)
    server = Server()
    async with listening(server) as port, AsyncExitStack() as stack:
        busy = await stack.enter_async_context(connected(port, REQUEST))
        await eventually(lambda: server.asked == 1, "the request")
        halves = [await stack.enter_async_context(connected(port, HALF_A_HEAD)) for _ in range(3)]
        client = await stack.enter_async_context(connected(port, REQUEST))
        assert await received(halves[0]) == b""
        await eventually(lambda: server.asked == 2, "the client's request")
        server.may_answer.set()
        for peer in (busy, client):
            async with asyncio.timeout(PATIENCE):
                assert (await peer[0].readline()).split()[1] == b"204"


async def test_where_each_has_a_request_the_new_one_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truetty.mcp.http.most_connections", lambda: 2)
    server = Server()
    async with listening(server) as port, connected(port, REQUEST) as first, connected(port, REQUEST) as second:
        await eventually(lambda: server.asked == 2, "both requests")
        async with connected(port) as third:
            assert await received(third) == b""
        server.may_answer.set()
        for peer in (first, second):
            async with asyncio.timeout(PATIENCE):
                assert (await peer[0].readline()).split()[1] == b"204"


@pytest.mark.parametrize(
    ("limit", "most"),
    [
        (1024, MOST_CONNECTIONS),
        (1 << 20, MOST_CONNECTIONS),
        (resource.RLIM_INFINITY, MOST_CONNECTIONS),
        (256, 64),
        (8, 8),
    ],
)
def test_descriptors_are_left_for_terminals(limit: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limit, limit))
    assert most_connections() == most


@contextmanager
def half_open(port: int, number: int) -> Iterator[list[socket.socket]]:
    made: list[socket.socket] = []
    try:
        for _ in range(number):
            made.append(socket.create_connection(("127.0.0.1", port), PATIENCE))
            made[-1].sendall(HALF_A_HEAD)
        yield made
    finally:
        for one in made:
            one.close()


def port_of(server: Running) -> int:
    return int(server.url.rpartition(":")[2].partition("/")[0])


async def test_half_sent_heads_keep_no_client_out_and_the_server_ends(home: Path) -> None:
    """More of them than the server has descriptors; and no program reads its standard error."""
    with running(home) as server:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (128, 128))
        with half_open(port_of(server), 300):
            async with server.http() as http:
                answer = await http.post(server.url, json=INITIALIZE)
            assert answer.status_code == 200
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(PATIENCE) == 0


# -- what is logged


class Log:
    """A handler that writes into a pipe, and its clock."""

    def __init__(self, write: int) -> None:
        self.now = 0.0
        self.logger = logging.Logger("library")
        self.logger.addHandler(SeldomHandler(write, lambda: self.now))


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    os.set_blocking(ends[0], False)
    yield ends
    for end in ends:
        os.close(end)


def test_one_record_of_a_kind_in_a_minute(pipe: tuple[int, int]) -> None:
    log = Log(pipe[1])
    for number in range(1000):
        log.logger.warning("out of %s", number)
    log.logger.error("something else")
    log.logger.info("nothing of importance")
    assert os.read(pipe[0], 65536) == b"truetty: library: out of 0\ntruetty: library: something else\n"
    log.now = EVERY_SECONDS
    log.logger.warning("out of %s", "paper")
    assert os.read(pipe[0], 65536) == b"truetty: library: out of paper (999 more since the last one)\n"


def test_a_pipe_that_nobody_reads_stops_nobody(pipe: tuple[int, int]) -> None:
    log = Log(pipe[1])
    for number in range(100):
        log.logger.warning(f"{number} {'x' * 4000}")
    held = len(os.read(pipe[0], 65536))
    assert 60_000 < held <= 65536
    log.logger.warning("there is room again")
    assert os.read(pipe[0], 65536) == b"truetty: library: there is room again\n"
