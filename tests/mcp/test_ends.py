"""Clients that end in every way, patient and not: nothing of their terminals is left running."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.mcp.served import PATIENCE, alive, eventually, server
from tests.mcp.test_gone import Raw
from truetty.host.environment import KEEPER_MARKS
from truetty.host.keeper import PROGRAM

# Each leaves a process that writes its number into the file $1, and sleeps.
SLEEP = 'sh -c \'echo $$ > "$0.new"; mv "$0.new" "$0"; exec sleep 1017\''
DEAF = 'sh -c \'trap "" INT TERM HUP; echo $$ > "$0.new"; mv "$0.new" "$0"; while :; do sleep 1017; done\''
COMMANDS = {
    "plain": f"{SLEEP} FILE",
    "deaf": f"{DEAF} FILE",
    "setsid": f"setsid {SLEEP} FILE",
    "job": f"{SLEEP} FILE & wait",
    "left job": f"{SLEEP} FILE &",
    "nohup": f"nohup {SLEEP} FILE >/dev/null 2>&1 &",
    "disowned": f"{SLEEP} FILE & disown -h",
    "deaf daemon": f"setsid -f {DEAF} FILE < /dev/null > /dev/null 2>&1",
    "daemon": f"(setsid {SLEEP} FILE < /dev/null > /dev/null 2>&1 &)",
    "without variables, deaf": f"env -i PATH=$PATH {DEAF} FILE",
}
GRACES = (0.0, 0.04, 0.5)


def marks(pid: int) -> str:
    """Of the server, as one of its processes has them."""
    variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return next(one for one in variables if one.startswith(KEEPER_MARKS.encode())).decode().partition("=")[2]


def children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout.split()
    return [int(child) for child in listed if alive(int(child))]


def keepers(mark: str) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if mark.encode() in words and str(PROGRAM).encode() in words and alive(int(folder.name)):
                found.append(int(folder.name))
    return found


class Client:
    """With every kind of command running; each is known by its number."""

    def __init__(self, raw: Raw, left: dict[str, int], mark: str) -> None:
        self.raw = raw
        self.left = left
        self.mark = mark

    @property
    def process(self) -> asyncio.subprocess.Process:
        return self.raw.process

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    async def wait(self, seconds: float) -> None:
        """For the end of the server, so long at most."""
        if seconds:
            try:
                await asyncio.wait_for(self.process.wait(), seconds)
            except TimeoutError:
                return

    def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()

    async def nothing_is_left(self) -> None:
        await asyncio.wait_for(self.process.wait(), PATIENCE)

        def left() -> list[str]:
            return [name for name, pid in self.left.items() if alive(pid)]

        await eventually(lambda: not left() and not keepers(self.mark), f"nothing is left: {left()}")


@asynccontextmanager
async def client(folder: Path, commands: dict[str, str] = COMMANDS) -> AsyncIterator[Client]:
    raw = await Raw.start()
    left: dict[str, int] = {}
    try:
        for number, (name, command) in enumerate(commands.items(), 2):
            file = folder / f"{number}.pid"
            await raw.run(number, command.replace("FILE", str(file)), background=True, task=name)
            await eventually(file.exists, f"{name} has begun")
            left[name] = int(file.read_text())
        yield Client(raw, left, marks(next(iter(left.values()))).split(":")[-1])
    finally:
        if raw.process.returncode is None:
            raw.process.kill()
        await raw.process.wait()
        for pid in left.values():
            if alive(pid):
                os.kill(pid, signal.SIGKILL)


async def test_the_end_of_input(home: Path, tmp_path: Path) -> None:
    async with client(tmp_path) as going:
        going.close()
        await going.nothing_is_left()


async def test_a_signal(home: Path, tmp_path: Path) -> None:
    async with client(tmp_path) as going:
        going.process.terminate()
        await asyncio.wait_for(going.process.wait(), PATIENCE)
        # A server that had the time to leave has left nothing behind.
        assert [name for name, pid in going.left.items() if alive(pid)] == []
        await going.nothing_is_left()


async def test_a_kill(home: Path, tmp_path: Path) -> None:
    async with client(tmp_path) as going:
        going.kill()
        await going.nothing_is_left()


@pytest.mark.parametrize("grace", GRACES)
async def test_a_signal_and_soon_a_kill(home: Path, tmp_path: Path, grace: float) -> None:
    async with client(tmp_path) as going:
        going.process.terminate()
        await going.wait(grace)
        going.kill()
        await going.nothing_is_left()


@pytest.mark.parametrize("grace", GRACES)
async def test_the_end_of_input_then_a_signal_and_a_kill(home: Path, tmp_path: Path, grace: float) -> None:
    async with client(tmp_path) as going:
        going.close()
        await going.wait(grace)
        if going.process.returncode is None:
            going.process.terminate()
        await going.wait(grace)
        going.kill()
        await going.nothing_is_left()


async def test_a_kill_of_the_whole_group_and_its_tree(home: Path, tmp_path: Path) -> None:
    """As `kill -- -PGID` and programs do that follow the parents."""
    async with client(tmp_path) as going:
        (keeper,) = keepers(going.mark)
        assert os.getsid(keeper) not in (os.getsid(going.process.pid), os.getsid(0))
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(going.process.pid)], capture_output=True, text=True
        )
        assert str(keeper) not in children.stdout.split()
        going.kill()
        await going.nothing_is_left()


KEPT = {
    "plain": COMMANDS["plain"],
    "kept": f"env -u {KEEPER_MARKS} setsid -f {SLEEP} FILE < /dev/null > /dev/null 2>&1",
}


async def test_what_was_asked_to_stay_stays(home: Path, tmp_path: Path) -> None:
    async with client(tmp_path, KEPT) as going:
        kept = going.left.pop("kept")
        try:
            going.process.terminate()
            await going.nothing_is_left()
            assert alive(kept)
        finally:
            os.kill(kept, signal.SIGKILL)


async def test_another_servers_processes_are_not_touched(home: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    async with client(tmp_path / "other") as other, client(tmp_path) as going:
        assert going.mark != other.mark
        going.kill()
        await going.nothing_is_left()
        assert all(map(alive, other.left.values()))


async def test_a_server_whose_keeper_is_killed_goes_on(home: Path, tmp_path: Path) -> None:
    async with client(tmp_path, {"plain": COMMANDS["plain"]}) as going:
        (keeper,) = keepers(going.mark)
        os.kill(keeper, signal.SIGKILL)
        await eventually(lambda: not alive(keeper), "the keeper is gone")
        assert (await going.raw.run(90, "echo on", task="next"))["output"] == "on\n"
        going.close()
        await going.nothing_is_left()
        assert going.process.returncode == 0


async def test_a_server_in_a_terminal_of_another_ends_with_it(home: Path, tmp_path: Path) -> None:
    parameters, said, file = server(), tmp_path / "said", tmp_path / "inner"
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "inner", "version": "1"}}
    call = {"name": "run", "arguments": {"command": COMMANDS["plain"].replace("FILE", str(file))}}
    requests = enumerate((("initialize", info), ("tools/call", call)))
    lines = ({"jsonrpc": "2.0", "id": id, "method": method, "params": params} for id, (method, params) in requests)
    said.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = shlex.join([parameters.command, *parameters.args])
    nested = {"outer": f"(cat {said}; {SLEEP} FILE) | {words}"}
    async with client(tmp_path, nested) as going:
        await eventually(file.exists, "a command runs in the inner server")
        inner = int(file.read_text())
        outer_mark, inner_mark = marks(inner).split(":")
        assert outer_mark == going.mark
        going.left["inner command"] = inner
        going.kill()
        await going.nothing_is_left()
        await eventually(lambda: not keepers(inner_mark), "the inner keeper is gone")
