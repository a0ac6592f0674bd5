"""Every test here needs a wall, and most a place that no profile covers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.walls import public_place, require_wall


@pytest.fixture(autouse=True)
def wall() -> None:
    require_wall()


@pytest.fixture
def place() -> Iterator[Path]:
    with public_place() as place:
        yield place


@pytest.fixture
def workspace(place: Path) -> Path:
    (place / "work").mkdir()
    return place / "work"
