"""`truetty serve`: one server for a state folder, shown and ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.server.live import Live
from truetty.host.kernel import proc


@pytest.fixture
def server(home: Path, tmp_path: Path) -> Iterator[Live]:
    live = Live(tmp_path / "state")
    yield live
    live.end()


def serve(live: Live, *words: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "truetty", "serve", *words]
    environ = {**os.environ, "TRUETTY_STATE": live.place.folder}
    done = subprocess.run(
        command, env=environ, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


def test_a_second_one_names_the_first(server: Live) -> None:
    status, first, said = serve(server, "--json")
    assert (status, said) == (0, "")
    again = serve(server)
    assert again[0] == 0 and f"process {json.loads(first)['pid']}" in again[1]


def test_in_the_foreground_beside_another(server: Live) -> None:
    pid, folder = server.pid(), server.place.folder
    said = f"a server runs already for {folder}: process {pid}. truetty serve --stop ends it"
    assert serve(server, "--foreground") == (125, "", f"truetty: {said}\n")
    status, printed, _ = serve(server, "--foreground", "--json")
    assert (status, json.loads(printed)["error"]["pid"]) == (125, pid)


def test_its_status(server: Live) -> None:
    assert serve(server, "--status") == (1, f"no server runs for {server.place.folder}\n", "")
    assert serve(server, "--status", "--json") == (1, "{}\n", "")
    terminal = server.post("/v1/terminals", shell="bash", rc=False)["id"]
    server.post("/v1/commands", command="sleep 1000", terminal=terminal)
    status, printed, said = serve(server, "--status")
    assert (status, said) == (0, "")
    assert "\n1 terminal, 1 command runs\n" in printed and f"{terminal}-1  running  sleep 1000" in printed
    assert json.loads(serve(server, "--status", "--json")[1])["terminals"] == 1


def test_what_runs_is_not_ended_by_the_way(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False)
    server.post("/v1/commands", command="sleep 1000", terminal=terminal["id"])
    status, printed, said = serve(server, "--stop")
    assert (status, printed) == (125, "")
    assert said == f"truetty: 1 command runs: {terminal['id']}-1 'sleep 1000'. --force ends what runs.\n"
    assert serve(server, "--stop", "--json")[2] == ""
    assert serve(server, "--stop", "--force") == (0, "it ends, with its terminals\n", "")
    server.until_ended()
    assert not os.path.exists(f"/proc/{terminal['pid']}")
    assert serve(server, "--stop") == (1, f"no server runs for {server.place.folder}\n", "")


def test_in_the_foreground(server: Live) -> None:
    command = [sys.executable, "-m", "truetty", "serve", "--foreground"]
    environ = {**os.environ, "TRUETTY_STATE": server.place.folder}
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "serves" in process.stderr.readline()
        terminal = server.post("/v1/terminals", shell="bash", rc=False)
        os.kill(server.pid(), signal.SIGKILL)
        assert server.get("/v1/terminals")["terminals"][0]["pid"] == terminal["pid"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
        assert "has ended" in process.stderr.read()
    assert not server.is_running()


def test_an_upgrade(server: Live) -> None:
    assert serve(server, "--upgrade") == (1, f"no server runs for {server.place.folder}\n", "")
    terminal = server.post("/v1/terminals", shell="bash", rc=False)
    before = server.pid()
    status, printed, said = serve(server, "--upgrade")
    assert (status, said) == (0, "") and "\n1 terminal, 0 commands run\n" in printed
    assert server.pid() != before
    assert server.get("/v1/terminals")["terminals"][0]["pid"] == terminal["pid"]


def test_a_server_that_hangs_is_replaced(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False, name="build")
    server.post("/v1/commands", command="read x; echo got $x", terminal="build")
    pid = server.pid()
    os.kill(pid, signal.SIGSTOP)
    for words in (("--status",), ("--restart",)):
        status, printed, said = serve(server, *words)
        assert (status, printed) == (125, "") and f"process {pid}, does not answer. truetty serve --restart" in said
    status, printed, said = serve(server, "--restart", "--force")
    assert (status, said) == (0, "") and "\n1 terminal, 1 command runs\n" in printed
    assert server.pid() != pid
    assert server.get("/v1/terminals/build")["pid"] == terminal["pid"]
    server.post("/v1/commands/build/send", text="it\n")
    ended = server.get(f"/v1/commands/build/wait?timeout={PATIENCE}&until=finished")
    assert (ended["exit_code"], ended["output"]) == (0, "it\ngot it\n")
    assert serve(server, "--restart", "--force")[0] == 0  # one that answers leaves by itself


def test_words_that_contradict_each_other(server: Live) -> None:
    assert serve(server, "--status", "--stop")[0] == 125
    assert serve(server, "--force")[0] == 125
    assert not server.is_running()


def test_a_server_whose_socket_was_removed_is_not_called_absent(server: Live) -> None:
    pid = server.pid()
    for path in server.place.sockets():
        Path(path).unlink(missing_ok=True)
    for word in ("--status", "--stop"):
        status, _, error = serve(server, word)
        assert status == 125 and f"no server answers for {server.place.folder}, but process {pid} has its lock" in error


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: a host name and a mount of its own")
def test_a_folder_that_another_machine_serves(server: Live, tmp_path: Path) -> None:
    """As a home on NFS is. The other machine is one by its name and by the name of its run; its socket is not here."""
    (tmp_path / "run").write_text("00000000-0000-4000-8000-000000000000\n")
    place = f"hostname far; mount --bind {tmp_path}/run /proc/sys/kernel/random/boot_id"
    words = ["unshare", "--uts", "--mount", "sh", "-c", f'{place}; exec "$@"', "sh"]
    command = [*words, sys.executable, "-m", "truetty", "serve", "--foreground"]
    with subprocess.Popen(command, env={**os.environ, "TRUETTY_STATE": server.place.folder}) as far:
        try:
            while server.place.read_info() is None:
                assert far.poll() is None
            for path in server.place.sockets():
                Path(path).unlink(missing_ok=True)
            for word in ("--status", "--stop"):
                status, _, error = serve(server, word)
                assert status == 125 and "its server runs on the machine far. Let TRUETTY_STATE name" in error
        finally:
            far.terminate()


def test_a_server_without_its_keeper_says_so(server: Live) -> None:
    found = proc.stat(server.pid())
    assert found is not None and "no keeper" not in serve(server, "--status")[1]
    os.kill(found.parent, signal.SIGKILL)
    while server.get("/v1/status")["keeper"]:
        pass
    assert "it has no keeper: its terminals end with it" in serve(server, "--status")[1]
