"""Servers of the tests: each is ended by the test that has started it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.server.live import Live


@pytest.fixture
def make_server(home: Path, tmp_path: Path) -> Iterator[Callable[..., Live]]:
    made: list[Live] = []

    def make(name: str = "state", **arguments: object) -> Live:
        made.append(Live(tmp_path / name, **arguments))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.end()


@pytest.fixture
def server(make_server: Callable[..., Live]) -> Live:
    return make_server()
