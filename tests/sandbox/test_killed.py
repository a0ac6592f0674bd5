"""An MCP server whose terminals are behind a wall, killed: nothing is left inside."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tests.mcp.served import alive, eventually
from tests.mcp.test_ends import COMMANDS, children, keepers, marks
from tests.mcp.test_gone import Raw
from truetty.host.environment import KEEPER_MARKS


def marked(mark: str) -> list[int]:
    """Those that have come from this server."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and alive(int(folder.name)):
            with contextlib.suppress(OSError):
                if f"{KEEPER_MARKS}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
    return found


def marks_below(pid: int) -> set[str]:
    """A child that has just begun has the server's own environment, without a mark, or is gone again."""
    found = set()
    for child in children(pid):
        with contextlib.suppress(OSError, StopIteration):
            found.add(marks(child))
    return found


async def test_a_kill_of_a_server_with_a_sandbox(home: Path, workspace: Path) -> None:
    """Inside, processes have other numbers: they are found by the mark."""
    raw = await Raw.start("--sandbox", "workspace", "--cwd", str(workspace))
    file = workspace / "begun"
    try:
        await raw.run(2, COMMANDS["deaf daemon"].replace("FILE", str(file)))
        await eventually(file.exists, "it has begun")
        (mark,) = marks_below(raw.process.pid)
        assert len(marked(mark)) >= 3  # bubblewrap, the shell and the daemon
    finally:
        raw.process.kill()
        await raw.process.wait()
    await eventually(lambda: not marked(mark) and not keepers(mark), "nothing is left")
