"""`map` on a Ray cluster: by the command line, and with a driver that is killed in the middle."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.ray.nodes import Nodes, below, guard_of, is_alive

pytestmark = pytest.mark.asyncio(loop_scope="session")

COUNT = 30
HELD = 3  # tasks that wait until the test lets them go


def write(folder: Path) -> Path:
    """Each task writes its name; the last ones also write who they are, and wait for a file."""
    tasks = []
    for number in range(COUNT):
        wait = (
            f"; echo $$ >> {folder}/pids; until test -e {folder}/go; do sleep 0.1; done"
            if number >= COUNT - HELD
            else ""
        )
        tasks.append({"id": f"k{number}", "commands": [f"echo k{number} >> {folder}/ran{wait}"]})
    path = folder / "tasks.jsonl"
    path.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return path


def start(nodes: Nodes, folder: Path, *more: str) -> subprocess.Popen[str]:
    words = ["map", str(folder / "tasks.jsonl"), "--on", f"ray:{nodes.address}", "--shell", "bash", "--no-rc", *more]
    pipes: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-m", "truetty", *words], text=True, **pipes)


def ran(folder: Path) -> Counter[str]:
    return Counter((folder / "ran").read_text().split()) if (folder / "ran").exists() else Counter()


async def until(fact: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not fact():
            await asyncio.sleep(0.05)


async def test_on_ray_by_the_command_line(nodes: Nodes, tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "go").touch()
    process = start(nodes, tmp_path)
    out, error = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    assert process.returncode == 0, error
    results = [json.loads(line) for line in out.splitlines()]
    assert {one["state"] for one in results} == {"done"} and len(results) == COUNT
    assert ran(tmp_path) == Counter({f"k{number}": 1 for number in range(COUNT)})


async def test_a_driver_that_is_killed(nodes: Nodes, tmp_path: Path, record_property: Callable[..., None]) -> None:
    write(tmp_path)
    out = ["--out", str(tmp_path / "out.jsonl")]
    process = start(nodes, tmp_path, *out)
    pids = tmp_path / "pids"
    await until(
        lambda: pids.exists() and len(pids.read_text().split()) == HELD and sum(ran(tmp_path).values()) == COUNT
    )
    guards = {guard_of(int(pid)) for pid in pids.read_text().split()}
    processes = {pid for guard in guards for pid in {guard, *below(guard)}}
    os.kill(process.pid, signal.SIGKILL)
    begun = time.monotonic()
    process.communicate(timeout=PATIENCE)
    await until(lambda: not any(map(is_alive, processes)))
    record_property(
        "report", f"ray: driver killed with -9: nothing left running after {time.monotonic() - begun:.2f} s"
    )
    (tmp_path / "go").touch()
    again = start(nodes, tmp_path, *out)
    _, error = await asyncio.to_thread(again.communicate, timeout=PATIENCE)
    held = [f"k{number}" for number in range(COUNT - HELD, COUNT)]
    assert again.returncode == 1 and all(name in error for name in held)
    assert "Begun and not finished" in error
    assert ran(tmp_path) == Counter({f"k{number}": 1 for number in range(COUNT)})
