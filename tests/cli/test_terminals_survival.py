"""The commands that wait go on where the server is killed: the next one has its terminals."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import truetty
from tests.acceptance.watched import Watched
from tests.server.live import Live


@pytest.fixture
def server(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    monkeypatch.setenv("TRUETTY_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PYTHONPATH", str(Path(truetty.__file__).parents[1]))
    live = Live(tmp_path / "state")
    live.post("/v1/terminals", name="build", shell="bash", rc=False, cwd=str(tmp_path))
    yield live
    live.end()


def kill(server: Live) -> None:
    """Comes back when the next one answers."""
    os.kill(server.pid(), signal.SIGKILL)
    server.pid()


def go_on(server: Live) -> None:
    server.post("/v1/commands/t1-1/type", text="go\n")


ASKS = "echo first; read x; echo second; (exit 9)"


@pytest.mark.parametrize("words", [("run", "--in", "build", "--wait", "1000", ASKS), ("log", "build", "--follow")])
@pytest.mark.parametrize("raw", [False, True])
def test_output_comes_once(words: tuple[str, ...], raw: bool, server: Live) -> None:
    asks = ASKS.replace("read x", "read x <pipe")  # no question, at which `run` without a person would end
    server.post("/v1/run", command="mkfifo pipe; true", terminal="build", wait=60)
    words = tuple(asks if word == ASKS else word for word in words)
    if words[0] == "log":
        server.post("/v1/commands", command=asks, terminal="build")
    with Watched(*words[:1], *(["--raw"] if raw else []), *words[1:], person=False) as program:
        program.until("first")
        kill(server)
        (Path(server.get("/v1/terminals/t1")["cwd"]) / "pipe").write_text("go\n")
        assert program.ends() == 9
        assert program.seen.replace(b"\r", b"") == b"first\nsecond\n"


def test_a_wait(server: Live) -> None:
    server.post("/v1/commands", command="read x; (exit 9)", terminal="build")
    with Watched("wait", "build", "--until", "exit", person=False) as program:
        kill(server)
        go_on(server)
        assert program.ends() == 9


def test_a_watched_list(server: Live) -> None:
    with Watched("list", "--watch", person=False) as program:
        program.until("idle")
        kill(server)
        server.post("/v1/commands", command="read -p 'Sure? ' x", terminal="build")
        program.until("waiting .*Sure")
        server.ask("POST", "/v1/stop", {"force": True})
        assert program.ends() == 125
