"""A journal that is damaged, of another version, or of an earlier run of the machine."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.server.live import Live
from tests.server.test_survival import kill
from truetty.core.errors import HostError
from truetty.host.kernel import proc
from truetty.server.state import journal

Change = Callable[[list[bytes]], list[bytes]]


def journal_of(server: Live) -> Path:
    return Path(server.place.folder) / "journal"


def change(server: Live, damage: Change) -> None:
    """In place: the server goes on writing to this file."""
    path = journal_of(server)
    path.write_bytes(b"".join(damage(path.read_bytes().splitlines(keepends=True))))


def truetty(server: Live, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "TRUETTY_STATE": server.place.folder}
    return subprocess.run([sys.executable, "-m", "truetty", *words], env=environ, capture_output=True, text=True)


def begin(server: Live, name: str) -> tuple[Any, Any]:
    """A terminal, and a command in it that waits."""
    terminal = server.post("/v1/terminals", shell="bash", rc=False, name=name)
    started = server.post("/v1/commands", command="read x; echo got $x; (exit 7)", terminal=name)
    server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}")
    return terminal, started


def end(server: Live, started: Any) -> Any:
    server.post(f"/v1/commands/{started['id']}/send", text="it", keys=["Enter"], wait=0)
    return server.get(f"/v1/commands/{started['id']}/wait?timeout={PATIENCE}&until=finished")


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda lines: [b"\0" * 40 + b"\n", *lines[1:]], id="the first line"),
        pytest.param(lambda lines: lines[1:], id="no first line"),
        pytest.param(lambda lines: [*lines, b'{"t":"t1","beg'], id="half a line at the end"),
        pytest.param(lambda lines: [*lines, b'{"t":"t9","end":3}\n[]\n7\n'], id="lines that tell nothing"),
    ],
)
def test_what_is_not_damaged_is_taken_over(server: Live, damage: Change) -> None:
    terminal, started = begin(server, "build")
    change(server, damage)
    kill(server)
    (found,) = server.get("/v1/terminals")["terminals"]
    assert (found["id"], found["name"], found["pid"]) == (terminal["id"], "build", terminal["pid"])
    assert (end(server, started)["exit_code"], server.get("/v1/status")["terminals"]) == (7, 1)


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        (b"\xff\xff\xff\n", "HUP"),
        (b'{"t":"t1","open":{}}\n', "stop"),
        (b'{"t":"t1","open":{"options":[]}}\n', "HUP"),
    ],
    ids=str,
)
def test_a_terminal_whose_record_is_damaged_goes_on_and_is_named(server: Live, line: bytes, ends: str) -> None:
    lost, _ = begin(server, "lost")
    other, started = begin(server, "other")
    assert lost["id"] == "t1"
    change(server, lambda lines: [line if b'"t1","open"' in one else one for one in lines])
    for _ in range(2):  # the second time the journal says so itself
        kill(server)
        listed = server.get("/v1/terminals")
        (found,), (stray,) = listed["terminals"], listed["strays"]
        assert found["id"] == other["id"] and server.get("/v1/status")["strays"] == [stray]
        assert (stray["id"], stray["pid"]) == ("t1", lost["pid"])
        assert stray["why"] in (
            "damaged lines of the journal may have described it",
            "what the journal says of it cannot be read",
        )
        stat = proc.stat(lost["pid"])
        assert stat is not None and stat.state != "Z"
    assert end(server, started)["exit_code"] == 7
    assert server.post("/v1/terminals", shell="bash", rc=False)["id"] == "t3"
    assert f"process {lost['pid']} goes on" in Path(server.place.log).read_text()
    pid = lost["pid"]
    said = f"t1: process {pid} goes on, and was not taken over: {stray['why']}. kill -HUP {pid} ends it\n"
    assert said in truetty(server, "list").stderr and said in truetty(server, "serve", "--status").stdout
    if ends == "HUP":
        subprocess.run(["kill", "-HUP", str(lost["pid"])], check=True)
        while server.get("/v1/terminals")["strays"]:
            pass
        assert server.get("/v1/terminals")["strays"] == []
    else:
        server.end()
    while os.path.exists(f"/proc/{lost['pid']}"):  # the keeper ends what is left
        pass


def test_a_command_whose_end_is_not_in_the_journal_has_ended(server: Live) -> None:
    shells = ("bash", "zsh", "fish", "dash")
    for shell in shells:
        server.post("/v1/terminals", shell=shell, rc=False, name=shell)
        assert server.post("/v1/run", command="sh -c 'exit 4'", terminal=shell)["exit_code"] == 4
    change(server, lambda lines: [one for one in lines if b'"end":' not in one])
    kill(server)
    for id in [one["command"]["id"] for one in server.get("/v1/terminals")["terminals"]]:
        ended = server.get(f"/v1/commands/{id}/wait?timeout={PATIENCE}&until=finished")
        assert (ended["state"], ended["exit_code"], ended["evidence"]) == ("finished", None, "kernel")
    for shell in shells:
        assert server.post("/v1/run", command="echo on", terminal=shell)["output"] == "on\n"


def test_nothing_of_an_earlier_run_of_the_machine_is_taken_over(server: Live) -> None:
    server.post("/v1/terminals", shell="bash", rc=False, name="build")
    server.end()
    change(server, lambda lines: [json.dumps({**json.loads(lines[0]), "boot": "other"}).encode() + b"\n", *lines[1:]])
    assert server.get("/v1/terminals")["terminals"] == []
    assert server.post("/v1/terminals", shell="bash", rc=False, name="build")["id"] == "t1"


def test_a_journal_of_a_newer_version_is_left_alone(server: Live) -> None:
    assert server.get("/v1/terminals")["terminals"] == []
    server.end()
    change(server, lambda lines: [b'{"journal":9,"boot":"x"}\n', *lines[1:]])
    before = journal_of(server).read_bytes()
    refused = server.ask("GET", "/v1/terminals")
    assert refused.status == 503 and "the server cannot start: " in refused.json["error"]["message"]
    assert "journal has version 9" in refused.json["error"]["message"]
    server.until_ended()
    assert "journal has version 9" in Path(server.place.log).read_text()
    assert journal_of(server).read_bytes() == before


def test_any_bytes_are_read(tmp_path: Path) -> None:
    """Bytes of a true journal, changed at random: it is read, or refused for its version."""
    lines: list[journal.Line] = [
        journal.header(),
        {"t": "t1", "open": {"options": {}}, "key": None},
        {"t": "t1", "begun": {"serial": 1}, "at": 1.5},
        {"t": "t1", "end": {}},
    ]
    whole = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    path = tmp_path / "journal"
    chance = random.Random(22)
    refused = 0
    for _ in range(2000):
        data = bytearray(whole[: chance.randrange(len(whole) + 1)])
        for _ in range(chance.randrange(4)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        try:
            past = journal.read(str(path))
        except HostError as error:
            refused += error.facts["reason"] == "versions"
            continue
        assert len(past.lines) + past.damaged <= data.count(b"\n") + 1
    assert refused < 100
