"""The keeper by itself: whom it ends, and whom it does not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from truetty.host.census import Pty
from truetty.host.environment import KEEPER_MARKS
from truetty.host.keeper import PROGRAM, Keeper
from truetty.host.kernel import proc
from truetty.host.kernel.calls import Device

Start = Callable[[Mapping[str, str]], subprocess.Popen[bytes]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a process in a session of its own, with these variables."""
    started: list[subprocess.Popen[bytes]] = []

    def sleep(env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(["sleep", "1019"], env=env, start_new_session=True))
        return started[-1]

    yield sleep
    for process in started:
        process.kill()
        process.wait()


def pty(pid: int, later: int = 0) -> Pty:
    found = proc.stat(pid)
    assert found is not None
    return Pty(pid, found.born + later, Device(0, 0))


def test_it_ends_those_with_its_mark_and_no_others(start: Start) -> None:
    keeper, other = Keeper(), Keeper()
    ours = start({KEEPER_MARKS: keeper.mark})
    below = start({KEEPER_MARKS: f"{other.mark}:{keeper.mark}"})
    theirs = start({KEEPER_MARKS: other.mark})
    alike = start({KEEPER_MARKS: keeper.mark + "0", "X": f"{KEEPER_MARKS}={keeper.mark}"})
    keeper.finish()
    assert [one.poll() is None for one in (ours, below, theirs, alike)] == [False, False, True, True]
    other.finish()
    assert [one.poll() is None for one in (theirs, alike)] == [False, True]


def test_it_ends_the_sessions_of_the_shells_that_it_has(start: Start) -> None:
    keeper = Keeper()
    shell, closed, reused = start({}), start({}), start({})
    keeper.put(pty(shell.pid))
    keeper.put(pty(closed.pid))
    keeper.drop(pty(closed.pid))
    keeper.put(pty(reused.pid, later=-1))  # another had this number before
    keeper.finish()
    assert [one.poll() is None for one in (shell, closed, reused)] == [False, True, True]


# ── a keeper that keeps ─────────────────────────────────────────────────────────────────────────────────────────

# A server: it starts one shell if it was handed none, and tells what happens on its output, a line each.
SERVER = """
import asyncio, os, sys
from truetty.host.base import Found, Order
from truetty.host.kept_hold import KeeperLink, KeptHold, KeptHost
from truetty.shells import table

class Basin:
    size = 0
    def take(self, master):
        return os.read(master, 65536)

class Sink:
    def on_data(self, data): pass
    def on_look(self, seen, at): pass
    def on_end(self, ended):
        print("ended", ended.code, ended.signal, flush=True)

async def main():
    socket, out, into, word, mark = sys.argv[-1].removeprefix("--keeper=").split(",")
    link = KeeperLink(int(socket), mark)
    hold = KeptHold(link, "t1", Basin())
    if link.held:
        channel = hold.adopt(link.held["t1"], sys.argv[1])
    else:
        shell = Found(table.recognise("program"), "/bin/sh", ("-c", "while :; do read x; exit $x; done"))
        channel = await KeptHost(hold).start(Order(shell, key="key"))
    channel.attach(Sink())
    link.attach(lambda: print("no keeper", flush=True))
    print("life", os.getpid(), channel.pid, len(link.held), os.path.basename(channel.files.path), flush=True)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while verb := (await reader.readline()).decode().strip():
        if verb == "close":
            await channel.close()
        elif verb == "stop":
            link.stop()
            break
        else:
            channel.write(verb.encode() + b"\\n")
asyncio.run(main())
"""


class Kept:
    """A keeper with the server above, whose input and output every server has."""

    def __init__(self, folder: Path) -> None:
        script = folder / "server.py"
        script.write_text(SERVER)
        its_input, self._input = os.pipe()
        self._output, its_output = os.pipe()
        command = [sys.executable, str(script), str(folder)]
        starter = subprocess.Popen(
            [sys.executable, "-S", "-I", str(PROGRAM), "keep", KEEPER_MARKS, "mark", *command],
            stdin=its_input,
            stdout=its_output,
            start_new_session=True,
        )
        os.close(its_input)
        os.close(its_output)
        assert starter.wait() == 0
        self._lines = os.fdopen(self._output)

    def say(self, verb: str) -> None:
        os.write(self._input, f"{verb}\n".encode())

    def line(self) -> list[str]:
        """What the server says next; nothing when server and keeper are gone."""
        return self._lines.readline().split()

    def close(self) -> None:
        os.close(self._input)
        self._lines.close()


@pytest.fixture
def kept_server(tmp_path: Path) -> Iterator[Kept]:
    made = Kept(tmp_path)
    yield made
    made.close()


def test_a_shell_outlives_its_server_and_its_exit_code_too(kept_server: Kept) -> None:
    _, server, shell, held, _ = kept_server.line()
    assert held == "0"
    os.kill(int(server), signal.SIGKILL)
    _, second, same_shell, held, _ = kept_server.line()
    assert (same_shell, held) == (shell, "1") and second != server
    # It ends while no server is there to see it.
    os.kill(int(second), signal.SIGSTOP)
    os.kill(int(shell), signal.SIGTERM)
    os.kill(int(second), signal.SIGKILL)
    assert kept_server.line()[2:4] == [shell, "1"]
    assert kept_server.line() == ["ended", "None", "15"]
    kept_server.say("close")
    kept_server.say("stop")
    assert kept_server.line() == []
    assert proc.stat(int(shell)) is None


def test_a_shell_that_another_server_has_started_is_told_how_it_ends(kept_server: Kept) -> None:
    _, server, shell, *_ = kept_server.line()
    os.kill(int(server), signal.SIGKILL)
    assert kept_server.line()[2:4] == [shell, "1"]
    kept_server.say("7")  # which the shell reads
    assert kept_server.line() == ["ended", "7", "None"]
    kept_server.say("stop")
    assert kept_server.line() == []


def test_a_keeper_that_is_to_stop_ends_what_it_keeps(kept_server: Kept) -> None:
    _, _, shell, *_ = kept_server.line()
    kept_server.say("stop")
    assert kept_server.line() == []
    assert (found := proc.stat(int(shell))) is None or found.state == "Z"


def test_a_server_whose_keeper_is_killed_goes_on(kept_server: Kept) -> None:
    _, server, shell, *_ = kept_server.line()
    found = proc.stat(int(server))
    assert found is not None
    os.kill(found.parent, signal.SIGKILL)
    assert kept_server.line() == ["no", "keeper"]
    kept_server.say("9")
    assert kept_server.line() == ["ended", "9", "None"]
    kept_server.say("close")
    kept_server.say("stop")
    assert kept_server.line() == []
    assert proc.stat(int(shell)) is None
