"""A kept terminal against one that ends with its process, and against a bare `os.read` loop.

drain   100 MB through a pty into the file that outlives us. To reach: at least 0.8 of the bare loop's MB/s
true    a round trip of `true`, with the two lines that the journal gets. Runs alternate, medians are compared
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.drain import COMMAND, bare
from truetty.host.keeper_program import PIPE_SIZE
from truetty.host.kept_hold import KeeperLink
from truetty.server.state.keeping import Keep
from truetty.store.lasting import Carrier
from truetty.terminal.options import Options
from truetty.terminal.terminal import Terminal

COMMANDS = 200


@contextmanager
def keep() -> Iterator[Keep]:
    """With what a keeper hands to its server."""
    ours, keeper = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    keeper.send(b"begin")
    word = os.memfd_create("whose")
    os.ftruncate(word, 8)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, keeper:
        out, into = os.pipe()
        fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
        yield Keep(folder, KeeperLink(ours.detach(), "mark"), Carrier(out, into, word))


async def drain(terminal: Terminal) -> float:
    async with terminal:
        start = time.perf_counter()
        command = await terminal.start(COMMAND)
        await terminal.changes.until(lambda: command.finished, None)
        return command.output.bytes / (time.perf_counter() - start) / 1e6


async def trips(terminal: Terminal) -> float:
    """Microseconds for one."""
    async with terminal:
        await terminal.run("true")
        start = time.perf_counter()
        for _ in range(COMMANDS):
            await terminal.run("true")
        return (time.perf_counter() - start) / COMMANDS * 1e6


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    rates, times = [], []
    for _ in range(rounds):
        with keep() as one:
            rates.append((asyncio.run(drain(one.make(Options("dash", rc=False)))), bare()))
    kept, floor = (statistics.median(column) for column in zip(*rates, strict=True))
    print(f"drain: kept {kept:.0f} MB/s, bare {floor:.0f} MB/s, ratio {kept / floor:.2f}")
    for _ in range(rounds):
        with keep() as one:
            made = one.make(Options("bash", rc=False))
            times.append((asyncio.run(trips(made)), asyncio.run(trips(Terminal("bash", rc=False)))))
    kept, floor = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"true: kept {kept:.0f} µs, in this process {floor:.0f} µs, ratio {kept / floor:.2f}")


if __name__ == "__main__":
    main()
