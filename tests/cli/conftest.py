"""A real server of terminals for the command line, and the environment in which commands find it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import truetty
from tests.server.live import Live


@pytest.fixture
def own_server(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    """It is started by the first call, and has no terminal."""
    monkeypatch.setenv("TRUETTY_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PYTHONPATH", str(Path(truetty.__file__).parents[1]))
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("TRUETTY_ON", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    live = Live(tmp_path / "state")
    yield live
    live.end()
