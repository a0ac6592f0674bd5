"""What a connection has beside the names of local objects, and what it has not."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import truetty
from tests.patience import PATIENCE
from truetty.host.fake import FakeHost
from truetty.sandbox import Sandbox

LONG = PATIENCE


@pytest.fixture
def port(where: str) -> Iterator[int]:
    """A TCP port that leads to the server."""
    listening = socket.create_server(("127.0.0.1", 0))

    def pump(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            one.close()

    def accept() -> None:
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(where.removeprefix("unix:"))
            for pair in ((near, far), (far, near)):
                threading.Thread(target=pump, args=pair, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield listening.getsockname()[1]
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


async def test_a_port_and_a_token(port: int) -> None:
    async with truetty.connect(f"http://127.0.0.1:{port}", token="secret") as registry:
        terminal = await registry.open("bash", rc=False)
        await terminal.run("echo hi", wait=LONG)
        assert "hi" in terminal.screen().text
        assert "secret" not in repr(registry)


async def test_what_is_not_there(where: str, tmp_path: Any) -> None:
    async with truetty.connect(where) as registry:
        with pytest.raises(truetty.Misuse, match="host belongs to the program"):
            await registry.open(host=FakeHost())
        with pytest.raises(truetty.Misuse, match="a sandbox is named"):
            await registry.open(sandbox=Sandbox("workspace", workspace="/srv"))
        terminal = await registry.open("bash", rc=False)
        with pytest.raises(truetty.Misuse, match="cannot be recorded"):
            terminal.record(tmp_path / "file")
        with pytest.raises(truetty.Misuse, match="known to the server only"):
            _ = terminal.options
        assert list(tmp_path.glob("file")) == [] and [one.id for one in registry.list()] == [terminal.id]


async def test_names_and_beginnings(where: str) -> None:
    async with truetty.connect(where) as registry:
        build = await registry.open("bash", rc=False, name="build")
        assert registry.get("build") is build is registry.get("bu")
        with pytest.raises(truetty.Misuse, match="is called 'build' already"):
            await registry.open("bash", name="build")
        with pytest.raises(truetty.Misuse):
            await registry.open("bash", name="t7")
        for wrong in (7, None):
            with pytest.raises(truetty.Misuse):
                registry.get(wrong)  # type: ignore[arg-type]


async def test_what_happens_on_the_server(where: str) -> None:
    async with truetty.connect(where) as registry, truetty.connect(where) as other:
        stream = registry.events()
        following = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        terminal = await other.open("bash", rc=False)
        await terminal.run("true", wait=LONG)
        await terminal.close()
        found = [await following]
        while found[-1]["event"] != "closed":
            found.append(await anext(stream))
        assert [event["event"] for event in found] == ["opened", "started", "finished", "closed"]
        assert registry.list() == []
        following = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        await registry.close()
        with pytest.raises(truetty.Misuse, match="closed"):
            await following


async def test_a_connection_that_was_not_opened() -> None:
    connecting = truetty.connect("unix:/nowhere")
    with pytest.raises(truetty.HostError):
        await connecting


async def test_many_at_once(where: str) -> None:
    """On one connection: each caller gets its own outcome."""
    async with truetty.connect(where) as registry:
        terminals = await asyncio.gather(*(registry.open("bash", rc=False) for _ in range(4)))

        async def work(terminal: Any) -> list[str]:
            return [(await terminal.run(f"echo {terminal.id} {number}", wait=LONG)).output for number in range(25)]

        for terminal, found in zip(terminals, await asyncio.gather(*map(work, terminals)), strict=True):
            assert found == [f"{terminal.id} {number}\n" for number in range(25)]
