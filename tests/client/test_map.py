"""`map` on a server: its terminals outlive a run that is killed, and the next run with its file ends them."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

import truetty
from tests.cli import test_map as command_line
from tests.patience import PATIENCE


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Each writes its name, and waits until it may go on."""
    text = f"echo %s >> {tmp_path}/ran; until test -e {tmp_path}/go; do sleep 0.1; done"
    return command_line.write(tmp_path / "t.jsonl", [{"id": f"k{n}", "commands": text % f"k{n}"} for n in range(5)])


def start(where: str, tasks: Path, *more: str) -> subprocess.Popen[str]:
    words = ("--on", where, "--out", tasks.parent / "out.jsonl", "--at-once", "2", *more)
    return command_line.start(tasks, *command_line.BASH, *words)


async def until(registry: Any, terminals: list[Any]) -> None:
    """These are open and no other."""
    async with asyncio.timeout(PATIENCE):
        while registry.list() != terminals:
            await asyncio.sleep(0.02)


def ran(folder: Path) -> list[str]:
    return (folder / "ran").read_text().split() if (folder / "ran").exists() else []


def end(where: str, tasks: Path, number: int) -> None:
    """A run is ended by this signal when two of its tasks run."""
    process, before = start(where, tasks), len(ran(tasks.parent))
    until = time.monotonic() + PATIENCE
    while len(ran(tasks.parent)) < before + 2:
        assert time.monotonic() < until and process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)


async def test_a_run_that_is_killed(where: str, tasks: Path, tmp_path: Path) -> None:
    async with truetty.connect(where) as registry:
        mine = await registry.open("bash", rc=False, name="map-mine")
        await asyncio.to_thread(end, where, tasks, signal.SIGKILL)
        async with asyncio.timeout(PATIENCE):
            while len(registry.list()) < 3:
                await asyncio.sleep(0.02)
        left = [one for one in registry.list() if one is not mine]
        assert len(left) == 2
        (tmp_path / "go").touch()
        again = start(where, tasks)
        _, error = await asyncio.to_thread(again.communicate, timeout=PATIENCE)
        assert again.returncode == 1 and "3 done" in error and "Begun and not finished: k0, k1. --again" in error
        await until(registry, [mine])
        assert all(one.closed for one in left)
        last = start(where, tasks, "--again")
        _, error = await asyncio.to_thread(last.communicate, timeout=PATIENCE)
        assert last.returncode == 0, error
        assert sorted(ran(tmp_path)) == ["k0", "k0", "k1", "k1", "k2", "k3", "k4"]
        await until(registry, [mine])


async def test_a_run_that_is_ended_by_ctrl_c(where: str, tasks: Path) -> None:
    async with truetty.connect(where) as registry:
        await asyncio.to_thread(end, where, tasks, signal.SIGINT)
        await until(registry, [])
