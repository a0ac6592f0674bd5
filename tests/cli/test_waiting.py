"""What commands say that read standard input, where a person has typed them."""

from __future__ import annotations

from pathlib import Path

import pytest

import truetty
from tests import warm
from tests.acceptance.watched import Watched


@pytest.mark.parametrize("command", ["clean", "mcp"])
def test_at_a_terminal_it_says_what_it_waits_for(command: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(truetty.__file__).parents[1]))
    monkeypatch.setenv("SHELL", "/bin/bash")
    with Watched(command) as person:
        person.until(f"truetty {command}: .*Ctrl-D ends it\r\n")
        person.type("\x04")
        assert person.ends() == 0


def test_into_a_pipe_it_says_nothing() -> None:
    assert warm.run("clean", stdin=b"text\n").stderr == b""
