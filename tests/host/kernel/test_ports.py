"""Who listens where: real listeners on the loopback, and what may not be seen."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from truetty.host.kernel import ports

ECHO_PORT = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); input()"


@contextmanager
def running(*argv: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program that is killed with the test."""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            yield process
        finally:
            process.kill()


def eventually(condition: Callable[[], bool]) -> None:
    """For a fact of which no event tells."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "never came true"
        time.sleep(0.01)


def heard(*pids: int) -> set[int] | None:
    """What these listen on, as a set to compare with."""
    found = ports.listening(pids)
    return None if found is None else set(found)


def told_port(process: subprocess.Popen[bytes]) -> int:
    assert process.stdout is not None
    return int(process.stdout.readline())


def test_a_web_server_of_another_process(tmp_path: Path) -> None:
    server = ("-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path))
    with running(sys.executable, *server) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().split()[5])  # Serving HTTP on 127.0.0.1 port N
        eventually(lambda: heard(process.pid) == {port})
        assert ports.is_open(port) is True
        assert heard(os.getpid()) == set()
        assert heard(os.getpid(), process.pid) == {port}
    assert heard(process.pid) == set()
    eventually(lambda: ports.is_open(port) is False)


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_both_families(family: socket.AddressFamily) -> None:
    address = "127.0.0.1" if family == socket.AF_INET else "::1"
    if family == socket.AF_INET6 and not Path("/proc/net/if_inet6").exists():
        pytest.skip("this machine has no IPv6")
    with socket.create_server((address, 0), family=family) as server:
        port = server.getsockname()[1]
        assert heard(os.getpid()) == {port}
        assert ports.is_open(port) is True


def test_bound_or_connected_is_not_listening() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        client = socket.create_connection(server.getsockname())
        accepted, _ = server.accept()
        with client, accepted:
            assert heard(os.getpid()) == {server.getsockname()[1]}
            assert ports.is_open(bound.getsockname()[1]) is False
            assert ports.is_open(client.getsockname()[1]) is False


def test_nobody_is_connected_to() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        assert ports.is_open(server.getsockname()[1])
        assert ports.listening([os.getpid()])
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_child_that_inherited_the_socket_listens_too() -> None:
    waits = (sys.executable, "-c", "input()")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        child = subprocess.Popen(waits, stdin=subprocess.PIPE, pass_fds=[server.fileno()])
        try:
            eventually(lambda: heard(child.pid) == {port})
        finally:
            child.communicate(b"\n")


def test_several_ports_and_many_processes() -> None:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        both = {one.getsockname()[1], two.getsockname()[1]}
        assert heard(os.getpid(), os.getpid()) == both
        assert ports.listening([os.getppid(), os.getpid()]) is not None
        # More than are looked at: what was found is true, and that nothing was is not known.
        assert heard(os.getpid(), *range(2**22, 2**22 + 2 * ports.MOST_PROCESSES)) == both
        assert ports.listening(range(2**22, 2**22 + 2 * ports.MOST_PROCESSES)) is None


def test_nobody_listens_on_nothing() -> None:
    assert heard() == set()
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    assert heard(gone.pid) == set()
    assert ports.is_open(0) is False


def test_a_zombie_listens_to_nothing() -> None:
    zombie = subprocess.Popen(["true"])
    try:
        eventually(lambda: Path(f"/proc/{zombie.pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z")
        assert not ports.listening([zombie.pid])
    finally:
        zombie.wait()


def test_another_network(program: Callable[[str], str]) -> None:
    """The process's own network is asked: its port is not one of ours."""
    unshare = (program("unshare"), "--net", "--map-root-user", "--user")
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this kernel allows no user to make a network")
    raised = (
        "import fcntl, socket, struct; s = socket.socket(); fcntl.ioctl(s, 0x8914, struct.pack('16sh', b'lo', 0x49));"
    )
    with running(*unshare, sys.executable, "-c", raised + ECHO_PORT) as process:
        port = told_port(process)
        assert heard(process.pid) == {port}
        with socket.create_server(("127.0.0.1", 0)) as ours:
            assert heard(process.pid, os.getpid()) == {port, ours.getsockname()[1]}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_what_may_not_be_seen_is_unknown(program: Callable[[str], str]) -> None:
    """Asked by a user who may not look into our process."""
    setpriv = (program("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups")
    source = Path(ports.__file__)
    look = (
        "import sys; names = {}; exec(compile(sys.stdin.read(), 'ports', 'exec'), names); "
        "print(names['listening']([int(sys.argv[1])]), names['is_open'](int(sys.argv[2])))"
    )
    python = shutil.which("python3", path="/usr/bin:/bin") or sys.executable
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        told = subprocess.run(
            [*setpriv, python, "-c", look, str(os.getpid()), str(port)],
            input=source.read_text(), capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert (told.stdout, told.stderr) == ("None True\n", "")


def test_elsewhere_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert ports.listening([os.getpid()]) is None
    assert ports.is_open(80) is None


def test_a_table_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "_TABLES", ("nothing",))
    assert ports.listening([os.getpid()]) is None
    assert ports.is_open(80) is None
