"""A machine that has run out of something: what cannot be done is refused in plain words, and the rest goes on."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.server.live import Live
from tests.server.storm import reached
from tests.server.test_survival import kill
from truetty.core.errors import HostError

ROOM = 512 << 10
PAGE = os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def small(tmp_path: Path, home: Path) -> Iterator[Path]:
    """A file system of its own with little room."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM},mode=0700", "tmpfs", str(place)])
    if mounted.returncode:
        pytest.skip("mounting a tmpfs is not allowed here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> Path:
    """All room of it is in this file, but for a line that the journal may have no room for."""
    journal = place / "state" / "journal"
    with open(journal, "ab") as file:
        file.write(b"\n" * (PAGE - journal.stat().st_size % PAGE - 1))  # empty lines say nothing
    path = place / "full"
    with open(path, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(PAGE)):
            pass
    return path


def begin(server: Live, command: str) -> Any:
    started = server.post("/v1/commands", command=command, terminal="build")
    server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}")
    return started


def until_all_is_written(server: Live) -> None:
    while server.get("/v1/status")["problems"]:
        pass


def test_a_full_disk(small: Path) -> None:
    server = Live(small / "state")
    try:
        server.post("/v1/terminals", shell="bash", rc=False, name="build")
        started = begin(server, "read x; (exit 4)")
        full = fill(small)
        assert server.ask("POST", "/v1/terminals", {"shell": "bash", "rc": False}).json["error"] == {
            "code": "host_error",
            "message": "the machine of the server is short of something: No space left on device",
            "facts": {"reason": "No space left on device"},
        }
        assert len(server.get("/v1/terminals")["terminals"]) == 1
        server.post(f"/v1/commands/{started['id']}/type", text="go\n")
        ended = server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}&until=finished")
        assert (ended["exit_code"], ended["evidence"]) == (4, "mark")
        refused = server.ask("POST", "/v1/run", {"command": "echo x >&2; echo ran", "terminal": "build"})
        assert refused.code == "host_error" and "was not sent" in refused.json["error"]["message"]
        for at_once in (False, True):
            if at_once:
                full.unlink()
                until_all_is_written(server)
            kill(server)
            again = server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}&until=finished")
            assert (again["exit_code"], again["evidence"], again["state"]) == (4, "mark", "finished")
        assert server.post("/v1/run", command="echo on", terminal="build")["output"] == "on\n"
    finally:
        server.end()


def test_a_server_that_is_killed_while_the_disk_is_full(small: Path) -> None:
    server = Live(small / "state")
    try:
        terminal = server.post("/v1/terminals", shell="bash", rc=False, name="build")
        started = begin(server, "read x; (exit 4)")
        assert server.get("/v1/status")["problems"] == []
        full = fill(small)
        kill(server)
        (found,) = server.get("/v1/terminals")["terminals"]
        assert (found["id"], found["pid"]) == (terminal["id"], terminal["pid"])
        problems = server.get("/v1/status")["problems"]
        assert [one.partition(" cannot be written: ")[0] for one in problems] == ["server.json"]
        server.post(f"/v1/commands/{started['id']}/type", text="go\n")
        ended = server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}&until=finished")
        assert (ended["exit_code"], ended["evidence"]) == (4, "mark")
        assert "the journal cannot be written: No space left on device" in server.get("/v1/status")["problems"]
        full.unlink()
        until_all_is_written(server)
        info = server.place.read_info()
        assert info is not None and info["pid"] == server.pid()
        assert Path(server.place.log).read_text().count("the journal can be written again") == 1
    finally:
        (small / "full").unlink(missing_ok=True)
        server.end()


def test_a_server_that_is_stopped_while_the_disk_is_full(small: Path) -> None:
    server = Live(small / "state")
    try:
        server.post("/v1/terminals", shell="bash", rc=False, name="build")
        started = begin(server, "read x; (exit 4)")
        full = fill(small)
        server.post(f"/v1/commands/{started['id']}/type", text="go\n")
        server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}&until=finished")
        server.end()
        full.unlink()
        found = server.get(f"/v1/commands/{started['id']}")
        assert (found["state"], found["exit_code"], found["evidence"]) == ("finished", 4, "mark")
        (terminal,) = server.get("/v1/terminals?all=true")["terminals"]
        assert terminal["closed"]
    finally:
        (small / "full").unlink(missing_ok=True)
        server.end()


def test_a_server_with_many_terminals_that_is_stopped_while_the_disk_is_full_says_what_is_lost(small: Path) -> None:
    server = Live(small / "state")
    try:
        names = [f"build{number}" for number in range(20)]
        pids = [server.post("/v1/terminals", shell="bash", rc=False, name=name)["pid"] for name in names]
        order = "read x; (exit 4)"
        commands = [server.post("/v1/commands", command=order, terminal=name)["id"] for name in names]
        for id in commands:
            server.get(f"/v1/commands/{id}/wait?timeout={PATIENCE}")
        full = fill(small)
        for id in commands:
            server.post(f"/v1/commands/{id}/type", text="go\n")
        for id in commands:
            assert server.get(f"/v1/commands/{id}/wait?timeout={PATIENCE}&until=finished")["exit_code"] == 4
        stop = [sys.executable, "-m", "truetty", "serve", "--stop"]
        environ = {**os.environ, "TRUETTY_STATE": server.place.folder}
        stopped = subprocess.run(stop, env=environ, capture_output=True, text=True, timeout=PATIENCE)
        assert (stopped.returncode, stopped.stdout) == (0, "it ends, with its terminals\n")
        assert "the journal cannot be written: No space left on device. What has no room" in stopped.stderr
        server.until_ended()
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
        log = Path(server.place.log).read_text()
        full.unlink()
        ((told,),) = [re.findall(r"lines of the journal are lost, about (.*): No space left on device", log)]
        lost = set(told.split(", "))
        for id in commands:
            found = server.get(f"/v1/commands/{id}")
            known = found["state"], found["exit_code"]
            assert known == ("finished", 4) or (known == ("lost", None) and found["terminal_id"] in lost)
        terminals = server.get("/v1/terminals?all=true")["terminals"]
        assert len(terminals) == 20 and all(one["closed"] for one in terminals)
    finally:
        (small / "full").unlink(missing_ok=True)
        server.end()


# Makes a server die once: when the next command is written down and nothing of it is typed. Before, it fills its disk.
DIES_FULL = """
import contextlib, os, signal
from truetty.terminal.wire.typist import Typist

def dying(self, *order, type=Typist.type):
    if not os.path.exists({flag!r}):
        return type(self, *order)
    os.unlink({flag!r})
    with open({full!r}, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
    with open({journal!r}, "ab", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"\\n"):
            pass
    os.kill(os.getpid(), signal.SIGKILL)

Typist.type = dying
"""


def test_a_command_that_was_not_typed_when_the_disk_was_full_is_typed(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flag, ran, full = tmp_path / "flag", tmp_path / "ran", small / "full"
    program = DIES_FULL.format(flag=str(flag), full=str(full), journal=str(small / "state" / "journal"))
    (tmp_path / "sitecustomize.py").write_text(program)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    server = Live(small / "state")
    try:
        server.post("/v1/terminals", shell="bash", rc=False, name="build")
        before = server.pid()
        flag.touch()
        order, key = {"command": f"echo x >>{ran}; (exit 3)", "terminal": "build"}, {"Idempotency-Key": "k" * 22}
        with pytest.raises((OSError, HostError, HTTPException)):
            server.ask("POST", "/v1/run", order, key)
        assert reached(server) != before
        ended = server.ask("POST", "/v1/run", order, key).json
        assert (ended["exit_code"], ended["evidence"], ran.read_text()) == (3, "mark", "x\n")
        full.unlink()
    finally:
        full.unlink(missing_ok=True)
        server.end()


def test_what_had_no_room_of_an_output_is_missing_for_the_next_servers_too(small: Path) -> None:
    server = Live(small / "state")
    try:
        server.post("/v1/terminals", shell="bash", rc=False, name="build")
        started = begin(server, "echo before; read x; seq 20000; read x; echo after; read x; (exit 5)")
        base = f"/v1/commands/{started['id']}"
        full = fill(small)
        server.post(f"{base}/type", text="go\n")
        waiting = server.get(f"{base}/wait?timeout={PATIENCE}&until=waiting")
        assert "the output of t1 cannot be written: the disk is full" in server.get("/v1/status")["problems"]
        kill(server)
        again = server.get(f"{base}/wait?timeout={PATIENCE}&until=waiting")
        assert (waiting["complete"], again["complete"]) == (False, False)
        assert "the output of t1 cannot be written: the disk is full" in server.get("/v1/status")["problems"]
        (gap,) = server.get("/v1/terminals/build/gaps")["gaps"]
        full.unlink()
        until_all_is_written(server)
        server.post(f"{base}/type", text="go\n")
        server.get(f"{base}/wait?timeout={PATIENCE}&until=match:after")
        for _ in range(2):
            server.get(f"{base}/wait?timeout={PATIENCE}&until=waiting")
            kill(server)
        server.post(f"{base}/type", text="go\n")
        ended = server.get(f"{base}/wait?timeout={PATIENCE}&until=finished")
        assert (ended["complete"], ended["exit_code"]) == (False, 5)
        output = server.get(f"{base}/text")["text"]
        assert output.startswith("before\n") and output.endswith("after\ngo\n") and "\0" not in output
        transcript = server.get("/v1/terminals/build/gaps")
        assert transcript["gaps"] == [gap] and transcript["trouble"] == "the disk is full"
        assert any("could not be kept: the disk is full" in note for note in ended["notes"])
    finally:
        (small / "full").unlink(missing_ok=True)
        server.end()


def test_servers_that_are_killed_while_output_has_no_room_lose_only_that(small: Path) -> None:
    server, full = Live(small / "state"), small / "full"
    try:
        server.post("/v1/terminals", shell="bash", rc=False, name="build")
        started = begin(server, "for r in 1 2 3 4 5 6; do read x; seq ${r}00000 ${r}04000; done; (exit 5)")
        base = f"/v1/commands/{started['id']}"
        for number in range(6):
            if number % 3:  # twice without room, then with it
                fill(small)
            else:
                full.unlink(missing_ok=True)
            server.post(f"{base}/type", text="go\n")
            kill(server)
            server.get(f"{base}/wait?timeout={PATIENCE}")
        full.unlink(missing_ok=True)
        ended = server.get(f"{base}/wait?timeout={PATIENCE}&until=finished")
        assert (ended["exit_code"], ended["evidence"], ended["complete"]) == (5, "mark", False)
        gaps = server.get("/v1/terminals/build/gaps")["gaps"]
        data = (small / "state" / "transcripts" / "t1").read_bytes()
        assert data.count(b"\0") == sum(end - start for start, end in gaps)
        # Every line is where it would be if all had been stored.
        places: dict[int, set[int]] = {}
        for line in re.finditer(rb"(?<=\n)([1-6])0(\d{4})\r\n", data):
            places.setdefault(int(line[1]), set()).add(line.start() - 8 * int(line[2]))
        assert {1, 4} <= places.keys() and all(len(starts) == 1 for starts in places.values())
    finally:
        full.unlink(missing_ok=True)
        server.end()


@pytest.mark.parametrize("boot", [None, "other"], ids=["a new folder", "the machine was started again"])
def test_a_server_starts_on_a_full_disk(small: Path, boot: str | None) -> None:
    state = small / "state"
    state.mkdir(mode=0o700)
    (state / "journal").write_text("" if boot is None else json.dumps({"journal": 1, "boot": boot}) + "\n")
    full = fill(small)
    server = Live(state)
    try:
        assert server.get("/v1/terminals")["terminals"] == []
        if boot is None:  # otherwise what is no longer needed of the journal gives room
            refused = server.ask("POST", "/v1/terminals", {"shell": "bash", "rc": False})
            assert refused.code == "host_error" and "No space left on device" in refused.json["error"]["message"]
        full.unlink()
        until_all_is_written(server)
        terminal = server.post("/v1/terminals", shell="bash", rc=False)
        kill(server)
        assert [one["id"] for one in server.get("/v1/terminals")["terminals"]] == [terminal["id"]]
    finally:
        full.unlink(missing_ok=True)
        server.end()


def test_no_descriptors_are_left(server: Live) -> None:
    server.post("/v1/terminals", shell="bash", rc=False, name="build")
    pid = server.pid()
    most = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = set(map(int, os.listdir(f"/proc/{pid}/fd")))
    first = next(number for number in itertools.count() if number not in used)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (first + 1, most[1]))  # one is left, for the connection
    refused = server.ask("POST", "/v1/terminals", {"shell": "bash", "rc": False})
    assert refused.code in ("spawn_failed", "host_error", "limit_reached")  # where it is seen first
    assert "Too many open files" in refused.json["error"]["message"]
    resource.prlimit(pid, resource.RLIMIT_NOFILE, most)
    assert server.post("/v1/run", command="echo on", terminal="build")["output"] == "on\n"
    assert server.post("/v1/terminals", shell="bash", rc=False)["id"]
