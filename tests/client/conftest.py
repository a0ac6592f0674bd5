"""Registries of both kinds: one of this program, and one of a real server in a process of its own."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import truetty
from tests.server.live import Live


@pytest.fixture
def server(home: Path, tmp_path: Path) -> Iterator[Live]:
    live = Live(tmp_path / "state")
    yield live
    live.end()


@pytest.fixture
def where(server: Live) -> str:
    """The address of a server that runs."""
    return address(server)


def address(server: Live) -> str:
    server.pid()  # it answers
    return f"unix:{next(path for path in server.place.sockets() if os.path.exists(path))}"


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One for many tests, each of which leaves no terminal in it."""
    live = Live(tmp_path_factory.mktemp("shared") / "state")
    yield live
    live.end()


@pytest.fixture(params=["local", "connected"])
async def registry(request: pytest.FixtureRequest, home: Path) -> AsyncIterator[Any]:
    """The same tests run on both: what you connect to is a registry."""
    if request.param == "local":
        async with truetty.Registry() as registry:
            yield registry
        return
    async with truetty.connect(address(request.getfixturevalue("shared_server"))) as registry:
        assert registry.list() == []
        yield registry
        for terminal in registry.list():
            await terminal.close()


Open = Callable[..., Any]


@pytest.fixture
def opened(registry: Any) -> Open:
    async def open(**arguments: Any) -> Any:
        return await registry.open("bash", rc=False, **arguments)

    return open


@pytest.fixture
async def terminal(opened: Open) -> Any:
    return await opened()
