"""What a server in between costs. Both sides of a ratio take turns in one run; medians are compared.

socket  a round trip of `true` over `truetty.connect()`, against a terminal of this program. To reach: 2 times
floor   a call that does nothing, over the same kind of connection, and a `true` of this program: what a server in
        between costs that adds nothing to a command
ssh     the same over ssh://, to an sshd on the loopback, against `ssh host true` on a connection that is shared
        (ControlMaster): both cross ssh once, but ssh starts a program here and a shell there. To reach: half
cold    `truetty list` that starts the server, against the one that finds it, and against the bare interpreter
"""

from __future__ import annotations

import asyncio
import getpass
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import truetty
from tests.sshd import sshd, target
from truetty.client.dial import address
from truetty.client.wire import Wire

BLOCK = 50
TRUETTY = [sys.executable, "-m", "truetty"]


async def trips(terminal: Any, count: int = BLOCK) -> float:
    """Seconds for one."""
    start = time.perf_counter()
    for _ in range(count):
        outcome = await terminal.run("true")
        assert outcome.exit_code == 0
    return (time.perf_counter() - start) / count


async def calls(wire: Wire, count: int = BLOCK) -> float:
    """Seconds for one that does nothing."""
    start = time.perf_counter()
    for _ in range(count):
        await wire.call("hello", {})
    return (time.perf_counter() - start) / count


async def socket(rounds: int) -> list[tuple[float, float, float]]:
    where = address(None, None)
    async with truetty.connect() as registry, truetty.Terminal("bash", rc=False) as here:
        stream = where.dial()
        stream.setblocking(False)
        wire = await Wire.over(stream, where.headers(), lambda _: None)
        there = await registry.open("bash", rc=False)
        for terminal in (there, here):
            await trips(terminal)
        found = [(await trips(there), await trips(here), await calls(wire)) for _ in range(rounds)]
        await there.close()
        await wire.close()
    return found


async def ssh(rounds: int, where: str, shared: list[str]) -> list[tuple[float, float]]:
    async with truetty.connect(where) as registry:
        there = await registry.open("bash", rc=False)
        await trips(there)
        found = [(await trips(there), shared_trips(shared)) for _ in range(rounds)]
        await there.close()
    return found


def shared_trips(shared: list[str]) -> float:
    """Seconds for one."""
    return statistics.fmean(seconds([*shared, "true"]) for _ in range(BLOCK // 10))


@contextmanager
def far_machine(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """An address of this machine over ssh, and the beginning of an ssh command on a shared connection to it."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "truetty").write_text(f'#!/bin/sh\nexec {sys.executable} -m truetty "$@"\n')
    state = os.environ["TRUETTY_STATE"]
    keys = folder / "keys"
    keys.mkdir()
    with sshd(keys, {"SetEnv": f"PATH={programs}:/usr/bin:/bin TRUETTY_STATE={state}"}) as (begin, port):
        (programs / "ssh").write_text(f'#!/bin/sh\nPATH={os.environ["PATH"]} exec {begin} "$@"\n')
        for program in programs.iterdir():
            program.chmod(0o755)
        os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
        shared = [*begin.split(), "-o", f"ControlPath={folder}/control", *target(port).split()]
        subprocess.run([*shared[:-1], "-M", "-N", "-f", shared[-1]], check=True, stdin=subprocess.DEVNULL)
        subprocess.run([*shared[:-1], "-O", "check", shared[-1]], check=True, stderr=subprocess.DEVNULL)
        try:
            yield f"ssh://{getpass.getuser()}@127.0.0.1:{port}", shared
        finally:
            subprocess.run([*shared[:-1], "-O", "exit", shared[-1]], check=False, stderr=subprocess.DEVNULL)


def seconds(words: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def stop() -> None:
    subprocess.run([*TRUETTY, "serve", "--stop", "--force"], check=True, stdout=subprocess.DEVNULL)


def cold(rounds: int) -> list[tuple[float, float, float]]:
    found = []
    for _ in range(rounds):
        stop()
        times = (seconds([*TRUETTY, "list"]), seconds([*TRUETTY, "list"]), seconds([sys.executable, "-c", "pass"]))
        found.append(times)
    return found


def show(name: str, ours: str, other: str, pairs: list[tuple[float, float]]) -> None:
    first, second = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"{name:8} {ours} {first * 1e6:.0f} µs, {other} {second * 1e6:.0f} µs, ratio {first / second:.2f}")


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRUETTY_STATE"] = f"{folder}/state"
        subprocess.run([*TRUETTY, "serve"], check=True, stdout=subprocess.DEVNULL)
        try:
            trip_times = asyncio.run(socket(rounds))
            pairs = [(there, here) for there, here, _ in trip_times]
            show("socket", "over the socket", "in this process", pairs)
            pairs = [(call + here, here) for _, here, call in trip_times]
            show("floor", "an empty call and one in this process", "in this process", pairs)
            with far_machine(Path(folder)) as (where, shared):
                show("ssh", "over ssh://", "ssh host true", asyncio.run(ssh(rounds, where, shared)))
            times = cold(min(rounds, 5))
            show("cold", "list that starts it", "list that finds it", [(one[0], one[1]) for one in times])
            show("cold", "list that starts it", "bare interpreter", [(one[0], one[2]) for one in times])
        finally:
            stop()


if __name__ == "__main__":
    main()
