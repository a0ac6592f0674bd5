"""Shells of this machine: what starts, what is left when one cannot be started, and when one is closed."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE
from truetty.core.errors import LimitReached, SpawnFailed
from truetty.host.base import Found, Order
from truetty.host.folder import PREFIX, Folder, place
from truetty.host.kernel.observer import Observer
from truetty.host.local import LocalHost
from truetty.shells.table import recognise
from truetty.testing import FakeChannel, FakeHost, Recorder

PROGRAM = recognise("unknown")
SHELL = Found(PROGRAM, "/bin/sh", ("-c", "cat"))


def left() -> set[str]:
    """What a start that failed could leave: descriptors, private folders, children."""
    folders = {path.name for path in Path(place()).glob(f"{PREFIX}*") if _is_mine(path)}
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return {*os.listdir("/proc/self/fd"), *folders, *(f"child {pid}" for pid in children)}


def _is_mine(path: Path) -> bool:
    try:
        return (path / "owner").read_text().split()[0] == str(os.getpid())
    except OSError:
        return False


def blinded(master: int, pid: int, modes: object) -> Observer:
    raise OSError(errno.EMFILE, "Too many open files")


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (Order(SHELL, "key", cwd="/no/such/place"), "no such directory"),
        (Order(SHELL, "key", cwd=""), "no such directory"),
        (Order(Found(PROGRAM, "/dev/null", ()), "key"), "Permission denied"),
    ],
)
async def test_a_start_that_fails_leaves_nothing(order: Order, reason: str) -> None:
    before = left()
    with pytest.raises(SpawnFailed) as refused:
        await LocalHost().start(order)
    assert refused.value.reason == reason and refused.value.cwd == order.cwd
    assert left() == before


async def test_a_start_without_room_for_files_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Folder, files: Mapping[str, bytes], *, lasting: bool = False) -> None:
        if "owner" not in files:
            raise OSError(errno.ENOSPC, "No space left on device")

    before = left()
    monkeypatch.setattr(Folder, "write", full)
    with pytest.raises(SpawnFailed, match="no place for private files: No space left"):
        await LocalHost().start(Order(SHELL, "key"))
    assert left() == before


async def test_a_start_without_a_pty_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> tuple[int, int]:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = left()
    monkeypatch.setattr(os, "openpty", none)
    with pytest.raises(LimitReached, match="no pty"):
        await LocalHost().start(Order(SHELL, "key"))
    assert left() == before


async def test_a_start_that_fails_late_leaves_nothing() -> None:
    before = left()
    with pytest.raises(SpawnFailed, match="cannot start /bin/sh: Too many open files"):
        await LocalHost(blinded).start(Order(SHELL, "key"))
    assert left() == before


async def test_closing_leaves_nothing() -> None:
    before = left()
    channel = await LocalHost().start(Order(SHELL, "key"))
    channel.files.write({"text": b"x"})
    assert left() > before
    channel.attach(Recorder())
    await channel.close()
    assert left() == before


async def test_closing_one_that_nobody_has_attached() -> None:
    before = left()
    channel = await LocalHost().start(Order(SHELL, "key"))
    await channel.close()
    assert left() == before


async def test_a_second_close_waits_for_the_first() -> None:
    deaf = Found(PROGRAM, "/bin/sh", ("-c", "trap '' HUP; printf up; cat"))
    channel = await LocalHost().start(Order(deaf, "key"))
    recorder = Recorder()
    channel.attach(recorder)
    await recorder.until(lambda: bytes(recorder.data) == b"up")
    first = asyncio.ensure_future(channel.close())
    await asyncio.sleep(0)
    await channel.close()
    assert recorder.ends
    with pytest.raises(FileNotFoundError):
        os.stat(channel.files.path)
    await first


async def test_a_terminal_on_a_fake_host() -> None:
    """As on a real one, the shell's start-up files are written, and its order has all that was asked for."""
    host = FakeHost()
    terminal = truetty.Terminal(["zsh", "-f"], host=host, size=(90, 20), env={"A": "b"}, cwd="/tmp", startup=0)
    async with terminal:
        channel, order = host.channels[0], host.orders[0]
        assert (order.size, order.env, order.cwd, order.found.arguments) == ((90, 20), {"A": "b"}, "/tmp", ("-f",))
        assert terminal.shell == "zsh" and channel.size == (90, 20)
        assert any(order.key.encode() in content for content in channel.files.content.values())
    assert channel.closed and not channel.files.content


def test_a_host_and_a_channel_exclude_each_other() -> None:
    with pytest.raises(truetty.Misuse, match="one of the two"):
        truetty.Terminal("bash", host=FakeHost(), channel=FakeChannel())


class SlowHost(FakeHost):
    """Starts when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = asyncio.Event()

    async def start(self, order: Order) -> FakeChannel:
        await self.let.wait()
        return await super().start(order)


async def test_a_terminal_that_is_closed_while_its_host_starts() -> None:
    host = SlowHost()
    terminal = truetty.Terminal("bash", host=host)
    opening = asyncio.ensure_future(terminal.__aenter__())
    await asyncio.sleep(0)
    await terminal.close()
    host.let.set()
    with pytest.raises(truetty.Closed):
        await opening
    assert host.channels[0].closed


async def test_jobs_go_on_where_they_are_kept(tmp_path: Path) -> None:
    """A job prints more than a pty holds, to a terminal that is closed, and comes to its end."""
    before = left()
    gate, done = tmp_path / "gate", tmp_path / "done"
    os.mkfifo(gate)
    async with truetty.Terminal("bash", rc=False) as terminal:
        outcome = await terminal.run(f"(read x <{gate}; seq 200000; echo over >{done}) & echo $!")
        job, shell = int(outcome.output.splitlines()[-1]), terminal.pid
        await terminal.close(keep_jobs=True)
    assert terminal.closed and not Path(f"/proc/{shell}").exists() and Path(f"/proc/{job}").exists()
    assert left() == before
    gate.write_text("go\n")
    await eventually(lambda: done.exists() and done.read_text() == "over\n")


async def eventually(condition: Callable[[], bool]) -> None:
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while not condition():
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(0.02)
