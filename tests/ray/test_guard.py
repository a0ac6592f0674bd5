"""The guard alone: whatever ends it, nothing that was started below it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.ray.nodes import below, is_alive
from truetty.ray.host import PROGRAM

# A program that does not end by itself, and leaves detached ones behind.
LEAVER = (
    "trap '' HUP; setsid sleep 6000 & (setsid sh -c 'sleep 6001 & exit' &) ; nohup sleep 6002 >/dev/null 2>&1 & "
    "until pgrep -f 'sleep 6001' >/dev/null; do :; done; echo ready > {}; while :; do sleep 1; done"
)


def until(fact: object) -> None:
    assert callable(fact)
    end = time.monotonic() + PATIENCE
    while not fact():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("how", ["pipe", "terminated", "daemon", "killed"])
def test_nothing_is_left(tmp_path: Path, how: str) -> None:
    folder, ready = tmp_path / "files", tmp_path / "ready"
    folder.mkdir()
    reading, writing = os.pipe()
    with subprocess.Popen(["sleep", "1000"]) as daemon:
        words = [str(reading), str(daemon.pid), "100", str(folder), "/bin/sh", "-c", LEAVER.format(ready)]
        started = subprocess.run(
            [sys.executable, "-S", "-I", PROGRAM, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            pass_fds=[reading],
            start_new_session=True,
            check=True,
        )
        os.close(reading)
        guard = int(started.stdout)
        until(ready.exists)
        processes = below(guard)
        assert len(processes) >= 4
        match how:
            case "pipe":
                os.close(writing)
            case "terminated":
                os.kill(guard, signal.SIGTERM)
            case "daemon":
                daemon.kill()
            case "killed":
                os.kill(guard, signal.SIGKILL)
        if how == "killed":  # its program is asked to end: a server ends its terminals then
            until(lambda: len([one for one in processes if is_alive(one)]) < len(processes))
            for one in filter(is_alive, processes):
                os.kill(one, signal.SIGKILL)
        else:
            until(lambda: not any(map(is_alive, {guard, *processes})))
            assert not folder.exists()
        if how != "pipe":
            os.close(writing)
        daemon.kill()
