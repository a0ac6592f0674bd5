"""Registries of all kinds: of this program, and of real servers on this machine, over ssh, and in a container."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import truetty
from tests.client.far import container, far_machine
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


FAR = ("ssh", "container")
# What the far ones run without --long: one test of each kind of call. Everything takes a minute for each of them.
REPRESENTATIVE = (
    "test_a_new_terminal",
    "test_properties_are_up_to_date_when_a_call_returns",
    "test_run",
    "test_a_question",
    "test_a_callback_answers",
    "test_until_a_pattern",
    "test_interrupt",
    "test_reading_an_output",
    "test_the_screen",
    "test_events_of_a_command",
    "test_the_registry_finds_terminals",
    "test_busy",
)
# Of a far machine this is not so: a terminal has its server's environment and directory, and process ids are its own.
NOT_FAR = (
    "test_it_inherits_this_programs_environment_and_directory",
    "test_a_relative_directory_is_relative_to_this_program",
    "test_a_shell_that_is_killed",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    unwanted = [item for item in items if isinstance(item, pytest.Function) and _is_left_out(config, item)]
    config.hook.pytest_deselected(items=unwanted)
    items[:] = [item for item in items if item not in unwanted]


def _is_left_out(config: pytest.Config, item: pytest.Function) -> bool:
    params = item.callspec.params if hasattr(item, "callspec") else {}
    if params.get("registry") not in FAR:
        return False
    return item.originalname in NOT_FAR or not (config.getoption("--long") or item.originalname in REPRESENTATIVE)


@pytest.fixture(scope="session")
def ssh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a far machine, and the folder of the `ssh` that goes there."""
    folder = tmp_path_factory.mktemp("far")
    live = Live(folder / "state")
    with far_machine(folder, live.place.folder) as found:
        yield found
        live.end()


@pytest.fixture(scope="session")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    with container(tmp_path_factory.mktemp("box")) as words:
        yield words


@pytest.fixture(params=["local", "connected", *FAR])
async def registry(request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    """The same tests run on all of them: what you connect to is a registry."""
    match request.param:
        case "local":
            async with truetty.Registry() as registry:
                yield registry
            return
        case "connected":
            there: Any = address(request.getfixturevalue("shared_server"))
        case "ssh":
            there, folder = request.getfixturevalue("ssh")
            monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        case "container":
            there = request.getfixturevalue("box")
    async with truetty.connect(there) as registry:
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
