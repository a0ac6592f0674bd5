"""How a child of ours ends, and how it is made to end."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from truetty.host import child as module
from truetty.host.base import Ended
from truetty.host.child import Child, send_signal


async def nobody() -> set[int]:
    """No other process can be seen."""
    return set()


def start(text: str, output: int = 1) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, output, 1)]
    return os.posix_spawn("/bin/sh", ["sh", "-c", text], os.environ, file_actions=actions)


async def watched(child: Child) -> Ended:
    """Its end, as it is watched."""
    exited: asyncio.Future[Ended] = asyncio.get_running_loop().create_future()

    def on_exit(ended: Ended) -> None:
        child.end(ended)
        child.unwatch()
        exited.set_result(ended)

    child.watch(on_exit)
    ended = await asyncio.wait_for(exited, 30)
    child.close()
    return ended


@pytest.mark.parametrize("pidfds", [True, False])
@pytest.mark.parametrize(("text", "ended"), [("exit 3", Ended(code=3)), ("kill -9 $$", Ended(signal=9))])
async def test_a_code_or_a_signal(text: str, ended: Ended, pidfds: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not pidfds:
        monkeypatch.setattr(module, "_pidfd", lambda pid: None)
    assert await watched(Child(start(text))) == ended


async def test_a_child_that_ignores_signals_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRACE", 0.05)
    reader, writer = os.pipe()
    child = Child(start("trap '' HUP TERM; echo up; exec sleep 1000 >/dev/null", writer))
    os.close(writer)
    await asyncio.get_running_loop().run_in_executor(None, os.read, reader, 2)
    os.close(reader)
    watching = asyncio.ensure_future(watched(child))
    await child.kill(nobody)
    assert await watching == Ended(signal=signal.SIGKILL)
    assert not send_signal(child.pid, 0)


@pytest.mark.parametrize(("survivors", "looks"), [([{1 << 30}], 4), ([{1 << 30}] * 3 + [{1 << 29}], 5)])
async def test_what_outlives_a_kill_is_killed_again_only_if_it_is_new(
    survivors: list[set[int]], looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in an uninterruptible wait. No process has such a number."""
    monkeypatch.setattr(module, "GRACE", 0.01)
    made = 0

    async def members() -> set[int]:
        nonlocal made
        made += 1
        return survivors[min(made, len(survivors)) - 1]

    child = Child(start("exec sleep 1000"))
    watching = asyncio.ensure_future(watched(child))
    await child.kill(members)
    assert (await watching).signal in (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL)  # by how busy the machine is
    assert made == looks


def test_nobody_signals_every_process_there_is() -> None:
    assert not send_signal(0, 0)
    assert not send_signal(-1, 0)
