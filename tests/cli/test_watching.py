"""`truetty list --watch` and `log --follow` in a pipe: text that a program reads, and an end with its reader."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.patience import PATIENCE
from tests.server.live import Live


@pytest.fixture
def server(own_server: Live) -> Live:
    own_server.post("/v1/terminals", name="build", shell="bash", rc=False, environ=dict(os.environ))
    return own_server


def begin(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "truetty", *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe)


def test_a_list_has_one_table_for_each_change(server: Live) -> None:
    with begin("list", "--watch") as process:
        assert process.stdout is not None
        assert [process.stdout.readline().split()[:3] for _ in range(2)][1] == ["t1", "build", "idle"]
        # It tells of its progress each second, and no row changes by that.
        command = server.post("/v1/commands", terminal="build", command="for i in 1 2 3; do echo $i; sleep 1; done")
        server.get(f"/v1/commands/{command['id']}/wait?timeout=60&until=exit")
        tables, line = "", ""
        while line.split()[2:3] != ["idle"]:
            tables += (line := process.stdout.readline())
        server.ask("DELETE", "/v1/terminals/build")
        while line != "no terminals are open\n":
            tables += (line := process.stdout.readline())
        process.send_signal(signal.SIGINT)
        rest, said = process.communicate(timeout=PATIENCE)
        assert (rest, said, process.returncode) == ("", "", 128 + signal.SIGINT)
    assert "\x1b" not in tables
    states = [table.splitlines()[-1].split()[2] for table in tables.strip().split("\n\n")]
    assert states == ["running", "idle", "are"]


@pytest.mark.parametrize("words", [("list", "--watch"), ("list", "--watch", "--json"), ("log", "--follow", "build")])
def test_it_ends_with_its_reader(server: Live, words: tuple[str, ...]) -> None:
    """Nothing happens in the terminal, so that nothing is printed into the pipe."""
    server.post("/v1/commands", terminal="build", command="echo begun; sleep 1000")
    server.get("/v1/commands/build/wait?timeout=60&until=match:begun")
    with begin(*words) as process:
        assert process.stdout is not None and process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None and process.stderr.read() == ""
        assert process.wait(PATIENCE) == 128 + signal.SIGPIPE
    assert server.get("/v1/commands/build")["state"] == "running"
