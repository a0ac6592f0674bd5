"""Starting a server on demand: one, whoever starts it; and what stands in the way."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE
from tests.server.live import Live
from truetty import HostError
from truetty.host.kernel import proc
from truetty.server.start import launch
from truetty.server.start.place import LONGEST_PATH, Place

Make = Callable[..., Live]
LAUNCHER = """
import os, sys
from truetty.server.start.launch import reach
from truetty.server.start.place import Place
made = reach(Place(sys.argv[1]))
made.sendall(b"GET /v1/hello HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
answer = b""
while data := made.recv(4096):
    answer += data
print(answer.decode().partition("\\r\\n\\r\\n")[2])
"""
IS_ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not IS_ROOT, reason="needs root: files of another user, mounts")


def test_twelve_that_start_at_once_reach_one_server(server: Live) -> None:
    command = [sys.executable, "-c", LAUNCHER, server.place.folder]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(12)]
    # A server that had inherited a pipe of its starter would keep `communicate` waiting.
    ended = [one.communicate(timeout=PATIENCE) for one in started]
    assert [error for _, error in ended] == [b""] * 12
    assert len({json.loads(answer)["pid"] for answer, _ in ended}) == 1


def test_the_files_are_their_users_alone(server: Live) -> None:
    hello = server.get("/v1/hello")
    info = server.place.read_info()
    assert info is not None
    assert (info["pid"], info["protocol"], info["web"]) == (hello["pid"], [1, 1], None)
    modes = {path: stat.S_IMODE(os.lstat(path).st_mode) for path in (info["socket"], server.place.info)}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(os.stat(os.path.dirname(info["socket"])).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(server.place.folder).st_mode) == 0o700


def test_a_detached_process_of_its_own(server: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    server.environ["TRUETTY_SIZE"] = "20x5"  # a setting of the starter, not of the server
    server.environ["FROM_STARTER"] = "yes"
    pid = server.pid()
    assert os.getsid(pid) not in (os.getsid(0), os.getpgid(0))
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    assert os.readlink(f"/proc/{pid}/fd/0") == "/dev/null"
    assert {os.readlink(f"/proc/{pid}/fd/{number}") for number in (1, 2)} == {server.place.log}
    environ = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    assert b"FROM_STARTER=yes" in environ and not any(item.startswith(b"TRUETTY_") for item in environ)
    assert Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1] != str(os.getpid())


def test_signals_that_a_starter_ignores_work_in_the_server(server: Live) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        pid = server.pid()
    finally:
        signal.signal(signal.SIGINT, before)
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = int(next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn")), 16)
    assert not ignored & (1 << (signal.SIGINT - 1))


def test_a_stale_socket_is_replaced(server: Live) -> None:
    first = server.pid()
    keeper = proc.stat(first)
    assert keeper is not None
    for pid in (keeper.parent, first):
        os.kill(pid, signal.SIGKILL)
    server.until_ended()
    assert os.path.exists(next(server.place.sockets()))
    assert server.pid() != first


def test_no_server_is_started_where_none_is_wanted(server: Live) -> None:
    with pytest.raises(HostError, match="no server runs for"):
        launch.reach(server.place, start=False)
    assert not os.path.exists(server.place.folder)
    server.pid()
    launch.reach(server.place, start=False).close()


def test_sigterm_ends_it_with_its_terminals(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False)
    pid = server.pid()
    os.kill(pid, signal.SIGTERM)
    server.until_ended()
    assert not os.path.exists(f"/proc/{terminal['pid']}")
    assert sorted(os.listdir(server.place.folder)) == ["journal", "lock", "log", "transcripts"]
    assert f"process {pid} has ended" in Path(server.place.log).read_text()


def test_nothing_uses_it_any_more(make_server: Make) -> None:
    server = make_server(idle=0.01)
    pid = server.pid()
    server.until_ended()
    assert server.pid() != pid


def test_a_terminal_uses_it(make_server: Make) -> None:
    server = make_server(idle=0.01)
    connection = server.reach()  # a client that is here keeps it
    connection.sendall(b"GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
    assert connection.recv(100)
    terminal = server.post("/v1/terminals", shell="bash", rc=False)
    connection.close()
    pids = {server.pid() for _ in range(5)}
    assert len(pids) == 1
    reply = server.ask("DELETE", f"/v1/terminals/{terminal['id']}")
    assert reply.json["closed"]
    server.until_ended()


def test_a_home_with_a_long_path(make_server: Make, tmp_path: Path) -> None:
    runtime = tmp_path / "r"
    runtime.mkdir(mode=0o700)
    server = make_server("x" * 150, runtime=str(runtime))
    assert server.pid()
    info = server.place.read_info()
    assert info is not None and len(os.fsencode(info["socket"])) <= LONGEST_PATH
    found = [*runtime.rglob("sock")]
    assert ([str(path) for path in found] == [info["socket"]]) or info["socket"].startswith("/tmp/truetty-")
    nowhere = Place(server.place.folder)  # a client that does not know the runtime folder reads server.json
    launch.reach(nowhere, start=False).close()


def test_what_is_no_folder_of_ours(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(HostError, match="Not a directory"):
        launch.reach(Place(str(file / "state")))
    open_to_others = tmp_path / "open"
    open_to_others.mkdir(mode=0o755)
    with pytest.raises(HostError, match="chmod 700"):
        launch.reach(Place(str(open_to_others)))
    assert os.listdir(open_to_others) == []
    with pytest.raises(HostError, match="absolute path"):
        Place.of({"TRUETTY_STATE": "here"})


def test_what_is_no_socket(server: Live) -> None:
    path = next(server.place.sockets())
    os.makedirs(os.path.dirname(path), 0o700)
    os.chmod(server.place.folder, 0o700)
    Path(path).touch()
    with pytest.raises(HostError, match="is no socket"):
        server.reach()


@needs_root
def test_files_of_another_user(server: Live, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o700)
    os.chown(theirs, 65534, 65534)
    with pytest.raises(HostError, match=r"belongs to another user \(nobody\)"):
        launch.reach(Place(str(theirs)))
    path = next(server.place.sockets())
    server.place.make()
    os.mkdir(os.path.dirname(path), 0o700)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(path)
        bound.listen()
        os.chown(path, 65534, 65534)
        with pytest.raises(HostError, match="belongs to another user"):
            server.reach()


@needs_root
def test_a_folder_of_another_user_where_the_socket_might_have_been(make_server: Make, tmp_path: Path) -> None:
    server = make_server(runtime=str(tmp_path))
    ours, theirs = (Path(path) for path, _ in zip(server.place.sockets(), range(2), strict=False))
    theirs.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(theirs))
        bound.listen()
        for one in (theirs, theirs.parent):
            os.chown(one, 65534, 65534)
        assert server.pid()
    info = server.place.read_info()
    assert info is not None and info["socket"] == str(ours)


IN_A_FOLDER_OF_ITS_OWN = """
import sys
from truetty import HostError
from truetty.server.start.launch import reach
from truetty.server.start.place import Place
try:
    reach(Place(sys.argv[1]))
except HostError as error:
    print(error)
"""


@needs_root
@pytest.mark.parametrize(
    ("mount", "said"),
    [("mount -o remount,ro {0}", "Read-only file system"), ("head -c 100000 /dev/zero > {0}/x; true", "No space left")],
)
def test_a_folder_that_takes_nothing(mount: str, said: str, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    # 64 kB and few files: a full one has no room for another.
    steps = f"mount -t tmpfs -o size=64k,nr_inodes=3,mode=700 tmpfs {folder}; {mount.format(folder)} 2>/dev/null"
    script = f'{steps}; exec {sys.executable} -c "$0" {folder}'
    command = ["unshare", "--mount", "sh", "-c", script, IN_A_FOLDER_OF_ITS_OWN]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert said in ended.stdout, (ended.stdout, ended.stderr)


def test_a_server_that_cannot_start_says_so(server: Live, home: Path) -> None:
    settings = home / ".config" / "truetty"
    settings.mkdir(parents=True)
    (settings / "truetty.toml").write_text("size = 'wide'\n")
    refused = server.ask("GET", "/v1/hello")
    assert refused.status == 503 and "size = 'wide'" in refused.json["error"]["message"]
    server.until_ended()
    assert "size = 'wide'" in Path(server.place.log).read_text()


LOADED = "import sys, truetty.{0}; print(*(name for name in sys.argv[1:] if name in sys.modules))"


LIGHT = ("server.start.place", "server.start.launch", "client.http")


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("server.process", ("mcp", "pydantic")),  # they would take longer to import than all the rest
        *((module, ("asyncio", "http", "ssl", "subprocess")) for module in LIGHT),
    ],
)
def test_what_is_not_needed_is_not_loaded(module: str, heavy: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", LOADED.format(module), *heavy]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.stdout.split(), ended.stderr) == ([], "")


def test_a_state_folder_that_is_a_file(make_server: Callable[..., Live], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HostError, match="file cannot be the folder of a server: it is no folder"):
        make_server("file").pid()
    assert (tmp_path / "file").is_file()


async def test_a_server_that_cannot_start_says_why_and_its_terminals_wait(server: Live, home: Path) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False, name="build")
    settings = home / ".config" / "truetty.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text("shell = [")
    os.kill(server.pid(), signal.SIGKILL)
    refused = server.ask("GET", "/v1/terminals")
    assert (refused.status, refused.code) == (503, "host_error")
    assert refused.json["error"]["message"].startswith(f"the server cannot start: {settings}")
    with pytest.raises(HostError, match=f"the server cannot start: {settings}"):
        await truetty.connect(f"unix:{next(iter(server.place.sockets()))}")
    settings.unlink()
    while (answer := server.ask("GET", "/v1/terminals")).status == 503:
        pass
    assert [(one["id"], one["pid"]) for one in answer.json["terminals"]] == [(terminal["id"], terminal["pid"])]
    assert server.post("/v1/run", command="echo on", terminal="build")["output"] == "on\n"
