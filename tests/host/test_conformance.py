"""Every channel keeps the one contract."""

from __future__ import annotations

import asyncio
import itertools
import os
import shlex
import signal
import socket
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from truetty.core.observation import Observation
from truetty.host.base import USUAL, Channel, Found, Order
from truetty.host.kept_hold import KeeperLink, KeptHold, KeptHost
from truetty.host.kernel.blind import BlindObserver
from truetty.host.local import LocalHost
from truetty.shells.table import recognise
from truetty.store.lasting import Carrier, LastingFile
from truetty.testing import CONFORMANCE, FakeChannel, FakeHost, Make, Recorder, Script, order

PROGRAM = recognise("unknown")


async def started(text: str) -> Channel:
    """A real program on a real pty."""
    return await LocalHost().start(Order(Found(PROGRAM, "/bin/sh", ("-c", text)), "key"))


async def local(script: Script) -> Channel:
    return await LocalHost().start(order(script))


async def blind(script: Script) -> Channel:
    return await LocalHost(BlindObserver).start(order(script))


async def fake(script: Script) -> Channel:
    """The script, played by hand."""
    channel = FakeChannel()
    channel.observer.tty = replace(USUAL, canonical=False, echo=False)
    await FakeHost(channel).start(order(script))
    channel.hold(script.output)
    if script.echo:
        channel.observer.observation = Observation("waiting", kind="key", reader=4242, program="cat")
        channel.on_write = channel.say
    elif script.cat:
        channel.on_write = lambda data: channel.say(channel.files.content[data.decode().strip()[len("/fake/") :]])
    else:
        asyncio.get_running_loop().call_soon(channel.end, script.code if script.signal is None else None, script.signal)
    return channel


class Keeper:
    """The keeper's socket, and a pipe: what a server gets from it at its start."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)
        ours, self._keeper = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._keeper.send(b"begin")
        self._link = KeeperLink(ours.detach(), "mark")
        word = os.memfd_create("whose")
        os.ftruncate(word, 8)
        self._carrier = Carrier(*os.pipe(), word)

    async def __call__(self, script: Script) -> Channel:
        name = f"t{next(self._numbers)}"
        file = LastingFile(str(self._folder / name), int(name[1:]), self._carrier)
        return await KeptHost(KeptHold(self._link, name, file)).start(order(script))

    def close(self) -> None:
        self._link.close()
        self._keeper.close()
        self._carrier.close()


@pytest.mark.parametrize("case", CONFORMANCE, ids=lambda case: case.__name__)
async def test_conformance_of_a_kept_host(case: Callable[[Make], Awaitable[None]], tmp_path: Path) -> None:
    with closing(Keeper(tmp_path)) as make:
        await case(make)


@pytest.mark.parametrize("make", [local, blind, fake])
@pytest.mark.parametrize("case", CONFORMANCE, ids=lambda case: case.__name__)
async def test_conformance(case: Callable[[Make], Awaitable[None]], make: Make) -> None:
    await case(make)


async def test_the_child_starts_with_clean_signals() -> None:
    script = "grep -E '^Sig(Ign|Blk)' /proc/self/status"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        channel = await started(script)
    finally:
        signal.signal(signal.SIGINT, before)
    recorder = Recorder()
    channel.attach(recorder)
    await recorder.until(lambda: bool(recorder.ends))
    await channel.close()
    blocked, ignored = (int(word, 16) for word in recorder.data.decode().split()[1::2])
    # 32 and 33 belong to the C library, which lets no program change them.
    assert blocked & ~(0b11 << 31) == 0 and ignored & ~(0b11 << 31) == 0


async def test_no_descriptor_of_ours_reaches_the_child() -> None:
    channel = await started("ls /proc/self/fd")
    recorder = Recorder()
    channel.attach(recorder)
    await recorder.until(lambda: bool(recorder.ends))
    await channel.close()
    assert recorder.data.split() == [b"0", b"1", b"2", b"3"]  # 3 is ls reading the directory


async def test_closing_leaves_no_process_that_holds_on(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    lines = [
        "trap '' HUP TERM",
        f"sh -c \"trap '' HUP TERM; while :; do sleep 1; done\" & echo $! >> {shlex.quote(str(pids))}",
        f"setsid sh -c 'echo $$ >> {pids}; exec sleep 1000' &",
        f"nohup sleep 1000 >/dev/null 2>&1 & echo $! >> {pids}",
        "echo up; wait; cat",
    ]
    channel = await started("\n".join(lines))
    recorder = Recorder()
    channel.attach(recorder)
    await recorder.until(lambda: b"up" in recorder.data)
    async with asyncio.timeout(30):
        while len(pids.read_text().split()) < 3:
            await asyncio.sleep(0)
    await channel.close()
    assert recorder.ends
    for pid in map(int, pids.read_text().split()):
        assert _gone(pid), pid


def _gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True
