"""How terminals behind the wall end: nothing of theirs stays, however they do. And a relay inside is looked through."""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import sys
from pathlib import Path

import truetty
from tests.acceptance.session import PATIENCE, eventually
from truetty.until import Match


def words_of(pid: int) -> bytes:
    """Its command line. One that is dead and waits to be reaped has none."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


class Sleepers:
    """Programs that are known by their command lines, wherever they run. bubblewrap's has the workspace in it."""

    def __init__(self, workspace: Path) -> None:
        self.seconds = f"100000.{secrets.randbelow(10**12)}"
        self._words = (self.seconds.encode(), bytes(workspace))

    def living(self) -> dict[int, bytes]:
        """By their numbers out here."""
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
        found = {pid: words_of(pid) for pid in pids}
        return {pid: words for pid, words in found.items() if any(word in words for word in self._words)}

    def count(self, program: bytes) -> int:
        return sum(words.split(b"\0")[0] == program for words in self.living().values())


def walled(workspace: Path) -> truetty.Terminal:
    return truetty.Terminal("bash", cwd=workspace, rc=False, sandbox="workspace")


OWNER = """
import asyncio, sys, truetty
workspace, seconds, patience = sys.argv[1:]

async def main():
    async with truetty.Terminal("bash", cwd=workspace, rc=False, sandbox="workspace") as terminal:
        await terminal.run(f"setsid -f nohup sleep {seconds}", wait=float(patience))
        await terminal.start(f"sleep {seconds}")
        print(terminal.pid, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_who_is_killed_leaves_nothing_running(workspace: Path) -> None:
    sleepers = Sleepers(workspace)
    env = {**os.environ, "PYTHONPATH": str(Path(truetty.__file__).parent.parent)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OWNER, str(workspace), sleepers.seconds, str(PATIENCE), env=env, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        shell = int(await asyncio.wait_for(process.stdout.readline(), PATIENCE))
        await eventually(lambda: sleepers.count(b"sleep") == 2, "both sleep")
        assert sleepers.count(b"bwrap") >= 1 and os.path.exists(f"/proc/{shell}")
    finally:
        process.kill()
        await process.wait()
    await eventually(lambda: sleepers.living() == {}, "nothing runs")
    await eventually(lambda: words_of(shell) == b"", "no shell runs")


async def test_closing_ends_what_has_left_the_session(workspace: Path) -> None:
    sleepers = Sleepers(workspace)
    async with walled(workspace) as terminal:
        await terminal.run(f"setsid -f nohup sleep {sleepers.seconds} > /dev/null", wait=PATIENCE)
        await eventually(lambda: sleepers.count(b"sleep") == 1, "it sleeps")
    assert sleepers.living() == {}


async def test_closing_ends_what_ignores_the_hangup(workspace: Path) -> None:
    sleepers = Sleepers(workspace)
    async with walled(workspace) as terminal:
        line = f"trap '' HUP TERM INT; echo deaf; while :; do sleep {sleepers.seconds}; done"
        command = await terminal.start(f'sh -c "{line}"')
        await command.wait(PATIENCE, until=Match("deaf"))
        await eventually(lambda: sleepers.count(b"sleep") == 1, "it sleeps")
    assert sleepers.living() == {}
    assert command.state == "finished"


async def test_a_relay_inside_is_looked_through(workspace: Path) -> None:
    async with walled(workspace) as terminal:
        command = await terminal.start("""script -qc 'sh -c "read x; echo got \\$x"' /dev/null""")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting" and outcome.waiting is not None, outcome
        assert outcome.waiting.kind == "line"
        await command.send("ada\n")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.exit_code, outcome.output.splitlines()[-1]) == (0, "got ada"), outcome
