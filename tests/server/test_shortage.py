"""A machine that has run out of something: what cannot be done is refused in plain words, and the rest goes on."""

from __future__ import annotations

import contextlib
import itertools
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.server.live import Live
from tests.server.test_survival import kill

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
        full.unlink()
        kill(server)
        again = server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}&until=finished")
        assert (again["exit_code"], again["state"]) == (None, "finished")  # the mark of its end had no room either
        assert server.post("/v1/run", command="echo on", terminal="build")["output"] == "on\n"
    finally:
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
