"""Terminals outlive the server that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.server.live import Live
from tests.server.storm import Blow, kill_keeper, kill_server, reached, storm, upgrade
from truetty.core.errors import HostError
from truetty.host.kernel import proc


def kill(server: Live) -> None:
    """And come back when the next one answers."""
    pid = server.pid()
    os.kill(pid, signal.SIGKILL)
    while server.pid() == pid:
        pass


def test_a_command_goes_on_without_its_server(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False, name="build", task="fix")
    first = server.post("/v1/run", command="echo one; (exit 3)", terminal=terminal["id"])
    started = server.post("/v1/commands", command="read x; echo got $x; exit 7", terminal="build")
    waiting = server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}")
    kill(server)
    (found,) = server.get("/v1/terminals")["terminals"]
    same = ("id", "name", "task", "pid", "shell", "opened_at", "client", "strategy")
    assert {name: found[name] for name in same} == {name: terminal[name] for name in same}
    again = server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}")
    assert (waiting["state"], again["state"]) == ("waiting", "waiting")
    kill(server)
    server.post(f"/v1/commands/{started['id']}/send", text="it", keys=["Enter"], wait=0)
    ended = server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}&until=finished")
    assert (ended["exit_code"], ended["evidence"], ended["closed"]) == (7, "exit", True)
    assert "got it" in ended["output"]
    kill(server)
    past = server.get(f"/v1/commands/{first['command_id']}/wait")
    assert (past["exit_code"], past["output"], past["evidence"]) == (3, "one\n", "mark")


def test_a_request_that_comes_again_to_the_next_server_is_carried_out_once(server: Live, tmp_path: Path) -> None:
    file = tmp_path / "ran"
    key = {"Idempotency-Key": "k" * 22}
    terminal = server.ask("POST", "/v1/terminals", {"shell": "bash", "rc": False}, {"Idempotency-Key": "o" * 22}).json
    order = {"command": f"echo x >>{file}; cat", "terminal": terminal["id"]}
    first = server.ask("POST", "/v1/commands", order, key).json
    typing = {"text": "one", "keys": ["Enter"], "wait": 0}
    path = f"/v1/commands/{first['id']}/send"
    assert server.ask("POST", path, typing, {"Idempotency-Key": "s" * 22}).status == 200
    kill(server)
    assert server.ask("POST", "/v1/commands", order, key).json["id"] == first["id"]
    again = server.ask("POST", "/v1/terminals", {"shell": "bash", "rc": False}, {"Idempotency-Key": "o" * 22}).json
    assert again["id"] == terminal["id"]
    assert server.ask("POST", "/v1/commands", {**order, "command": "true"}, key).code == "key_reused"
    assert server.ask("POST", path, typing, {"Idempotency-Key": "s" * 22}).code == "channel_lost"
    server.post(f"/v1/commands/{first['id']}/stop")
    assert file.read_text() == "x\n"
    run = {"command": f"echo y >>{file}; (exit 5)", "terminal": terminal["id"]}
    assert server.ask("POST", "/v1/run", run, {"Idempotency-Key": "r" * 22}).json["exit_code"] == 5
    kill(server)
    assert server.ask("POST", "/v1/run", run, {"Idempotency-Key": "r" * 22}).json["exit_code"] == 5
    assert file.read_text() == "x\ny\n"


# Makes a server die once: when the next command is written down and nothing of it is typed, and its shell has read
# something since, as it does when it draws a prompt.
DIES = """
import os, signal
from truetty.terminal.wire.typist import Typist

def dying(self, *order, type=Typist.type):
    if not os.path.exists({flag!r}):
        return type(self, *order)
    os.unlink({flag!r})
    process = self._channel.process
    before = process.consumed()
    os.kill(self._channel.pid, signal.SIGUSR1)
    while process.consumed() == before:
        pass
    os.kill(os.getpid(), signal.SIGKILL)

Typist.type = dying
"""
READS = {
    "zsh": "trap 'read x </etc/passwd' USR1",
    "fish": "function f --on-signal USR1; read x </etc/passwd; end",
}


@pytest.mark.parametrize("shell", READS)
def test_a_command_that_was_written_down_and_not_typed_is_typed(
    make_server: Callable[..., Live], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    flag, file = tmp_path / "flag", tmp_path / "ran"
    (tmp_path / "sitecustomize.py").write_text(DIES.format(flag=str(flag)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    live = make_server()
    live.post("/v1/terminals", shell=shell, rc=False, name="one")
    live.post("/v1/run", command=READS[shell], terminal="one")
    before = live.pid()
    flag.touch()
    order, key = {"command": f"echo x >>{file}; sh -c 'exit 3'", "terminal": "one"}, {"Idempotency-Key": "k" * 22}
    with pytest.raises((OSError, HostError, HTTPException)):
        live.ask("POST", "/v1/run", order, key)
    assert reached(live) != before
    ended = live.ask("POST", "/v1/run", order, key).json
    assert (ended["exit_code"], ended["evidence"], ended["notes"], file.read_text()) == (3, "mark", [], "x\n")


# The same, and a file is in the place of its private folder.
DIES_WITH_FILES = """
import os, shutil, signal
from truetty.terminal.wire.typist import Typist

def dying(self, *order, type=Typist.type):
    if not os.path.exists({flag!r}):
        return type(self, *order)
    os.unlink({flag!r})
    shutil.rmtree(self._channel.files.path)
    open(self._channel.files.path, "w").close()
    os.symlink(self._channel.files.path, {place!r})
    os.kill(os.getpid(), signal.SIGKILL)

Typist.type = dying
"""


def test_a_command_that_cannot_be_typed_any_more_has_ended_and_its_terminal_stays(
    make_server: Callable[..., Live], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flag, file, place = tmp_path / "flag", tmp_path / "ran", tmp_path / "place"
    (tmp_path / "sitecustomize.py").write_text(DIES_WITH_FILES.format(flag=str(flag), place=str(place)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    live = make_server()
    terminal = live.post("/v1/terminals", shell="bash", rc=False, name="one")
    before = live.pid()
    flag.touch()
    text = f"echo x >>{file} # {'long ' * 8000}"  # it goes by a file
    order, key = {"command": text, "terminal": "one"}, {"Idempotency-Key": "k" * 22}
    with pytest.raises((OSError, HostError, HTTPException)):
        live.ask("POST", "/v1/run", order, key)
    assert reached(live) != before
    ended = live.ask("POST", "/v1/run", order, key).json
    assert (ended["state"], ended["exit_code"], file.exists()) == ("finished", None, False)
    assert "the command was not sent: Not a directory" in ended["notes"]
    (found,) = live.get("/v1/terminals")["terminals"]
    assert (found["pid"], found["busy"]) == (terminal["pid"], False)
    live.post("/v1/terminals/one/type", text=f"echo y >>{file}", keys=["Enter"])
    while not file.exists() or file.read_text() != "y\n":
        pass
    place.readlink().unlink()


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "busybox"])
def test_the_next_server_shows_the_same_screen(server: Live, shell: str, program: Callable[[str], str]) -> None:
    """What truetty has typed itself is not shown by it either."""
    server.post("/v1/terminals", shell=program(shell), rc=False, name="build", env={"PS1": "$ "})
    for command in ("echo one", "echo 'two\nlines'", "false"):
        server.post("/v1/run", command=command, terminal="build", wait=PATIENCE)
    command = "printf 'what? '; read x; echo got $x"
    assert server.post("/v1/run", command=command, terminal="build", wait=PATIENCE)["state"] == "waiting"
    before = server.get("/v1/terminals/build/screen?form=text")["text"]
    for _ in range(2):
        kill(server)
        assert server.get("/v1/terminals/build/screen?form=text")["text"] == before
    server.post("/v1/commands/build/send", text="it", keys=["Enter"], wait=PATIENCE)
    server.post("/v1/run", command="printf 'and? '; read x", terminal="build", wait=PATIENCE)
    before = server.get("/v1/terminals/build/screen?form=text")["text"]
    kill(server)
    assert server.get("/v1/terminals/build/screen?form=text")["text"] == before


def test_what_was_read_is_not_read_again(server: Live) -> None:
    server.post("/v1/terminals", shell="bash", rc=False, name="build")
    started = server.post("/v1/commands", command="echo one; read x; echo two; read x; echo three", terminal="build")
    base = f"/v1/commands/{started['id']}"

    def wait() -> None:
        server.get(f"{base}/wait?timeout={PATIENCE}")

    def go_on() -> None:
        server.post(f"{base}/type", text="\n")

    wait()
    assert server.post(f"{base}/unread")["text"] == "one\n"
    kill(server)
    assert server.post(f"{base}/unread")["text"] == ""
    wait()
    go_on()
    wait()
    kill(server)
    assert server.post(f"{base}/unread")["text"] == "\ntwo\n"
    assert server.get(f"{base}/wait?timeout=0&until=match:one")["reached"] is None  # an earlier wait has returned it
    go_on()
    assert server.get(f"{base}/wait?timeout={PATIENCE}&until=match:three")["reached"] == "match"
    kill(server)
    found = server.get(base)
    assert (found["finished"], found["unread"]) == (True, False)
    assert server.post(f"{base}/unread")["text"] == "\nthree\n"


def test_a_server_whose_keeper_is_killed_carries_on_and_says_so(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False)
    assert server.get("/v1/status")["keeper"] is True
    found = proc.stat(server.pid())
    assert found is not None
    os.kill(found.parent, signal.SIGKILL)
    while server.get("/v1/status")["keeper"]:
        pass
    outcome = server.post("/v1/run", command="echo on", terminal=terminal["id"])
    assert (outcome["output"], outcome["exit_code"]) == ("on\n", 0)
    assert (terminal["keeper"], server.get("/v1/terminals")["terminals"][0]["keeper"]) == (True, False)


def test_private_files_stay_when_the_keeper_is_killed(server: Live, home: Path) -> None:
    """Another program removes what belongs to processes that have ended. dash reads a file when its command ends."""
    terminal = server.post("/v1/terminals", shell="dash", rc=False)
    started = server.post("/v1/commands", command="read x; sh -c 'exit 3'", terminal=terminal["id"])
    server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}&until=waiting")
    found = proc.stat(server.pid())
    assert found is not None
    os.kill(found.parent, signal.SIGKILL)
    while server.get("/v1/status")["keeper"] or proc.stat(found.parent) is not None:  # until it is reaped
        pass
    subprocess.run([sys.executable, "-m", "truetty", "run", "--no-rc", "true"], check=True, timeout=PATIENCE)
    server.post(f"/v1/commands/{started['id']}/type", text="go\n")
    ended = server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}&until=finished")
    assert (ended["exit_code"], ended["evidence"], ended["notes"]) == (3, "mark", [])


def long(*values: object) -> Any:
    return pytest.param(*values, marks=[pytest.mark.long, pytest.mark.timeout(3600)])


# A thousand kills in rounds: each has a seed of its own, and the round that fails is named.
ROUNDS = [long(kill_server, 100, seed) for seed in range(1, 11)]


@pytest.mark.parametrize(
    ("blow", "times", "seed"), [(kill_server, 12, 12), (upgrade, 4, 4), *ROUNDS, long(upgrade, 100, 1)]
)
def test_a_storm_loses_nothing(server: Live, tmp_path: Path, blow: Blow, times: int, seed: int) -> None:
    tally = storm(server, tmp_path, times, seed=seed, blow=blow)
    print(blow.__name__, dict(tally.count))
    assert tally.wrong == [] and tally.count["kills"] == times and tally.count["commands"] >= 10
    assert set(tally.count) <= {"commands", "kills", "cut", "mark"}


@pytest.mark.parametrize("times", [2, long(100)])
def test_commands_go_on_when_the_keeper_is_killed(make_server: Callable[..., Live], tmp_path: Path, times: int) -> None:
    for number in range(times):
        live = make_server(f"state{number}")
        (folder := tmp_path / f"ran{number}").mkdir()
        tally = storm(live, folder, 1, seed=number, blow=kill_keeper)
        assert tally.wrong == [] and tally.count["commands"] >= 10 and "cut" not in tally.count
        live.end()


def test_an_upgrade_carries_everything_over(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False, name="build")
    started = server.post("/v1/commands", command="read x; echo got $x", terminal="build")
    server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}")
    before = server.pid()
    server.post("/v1/upgrade")
    while reached(server) == before:
        pass
    assert server.get("/v1/terminals")["terminals"][0]["pid"] == terminal["pid"]
    server.post(f"/v1/commands/{started['id']}/send", text="it", keys=["Enter"], wait=0)
    ended = server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}&until=finished")
    assert (ended["output"], ended["exit_code"], ended["evidence"]) == ("it\ngot it\n", 0, "mark")


def test_a_server_goes_on_if_the_one_that_is_to_follow_fails(server: Live) -> None:
    before = server.pid()
    refused = server.ask("POST", "/v1/upgrade", {"python": "/bin/false"})
    assert refused.json["error"]["message"].startswith("this server goes on: the new one has ended")
    assert server.pid() == before
    server.post("/v1/upgrade")
    while reached(server) == before:
        pass
