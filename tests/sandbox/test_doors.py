"""Doors that namespaces alone leave open, one test each; `test_ways.py` tries every one that is known."""

from __future__ import annotations

import os
import shlex
import socket
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE


def walled(workspace: Path, sandbox: str = "workspace") -> truetty.Terminal:
    return truetty.Terminal("bash", cwd=workspace, rc=False, sandbox=sandbox)


# A pair needs no address, and each half of it can be connected to another one.
SEND = """
import socket, sys
one, two = socket.socketpair(socket.AF_UNIX, getattr(socket, sys.argv[1]))
one.connect("log")
one.send(b"canary")
"""


@pytest.mark.parametrize("kind", ["SOCK_DGRAM", "SOCK_RAW"])
@pytest.mark.parametrize("sandbox", ["workspace", "workspace+network", "workspace+sockets"])
async def test_a_pair_of_sockets_reaches_no_other(workspace: Path, kind: str, sandbox: str) -> None:
    """A raw pair is one of datagrams to the kernel."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(str(workspace / "log"))
        log.setblocking(False)
        async with walled(workspace, sandbox) as terminal:
            outcome = await terminal.run(shlex.join(["python3", "-c", SEND, kind]), wait=PATIENCE)
        if sandbox == "workspace+sockets":
            assert (outcome.exit_code, log.recv(100)) == (0, b"canary"), outcome
        else:
            assert outcome.exit_code == 1 and "PermissionError" in outcome.output, outcome
            with pytest.raises(BlockingIOError):
                log.recv(100)


@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_SEQPACKET"])
async def test_other_pairs_are_made_and_stay_pairs(workspace: Path, kind: str) -> None:
    with socket.socket(socket.AF_UNIX, getattr(socket, kind)) as server:
        server.bind(str(workspace / "log"))
        server.listen()
        async with walled(workspace) as terminal:
            outcome = await terminal.run(shlex.join(["python3", "-c", SEND, kind]), wait=PATIENCE)
        assert "already connected" in outcome.output, outcome


@pytest.mark.parametrize("sandbox", ["read-only", "workspace"])
async def test_root_cannot_name_a_program_that_the_kernel_runs(workspace: Path, sandbox: str) -> None:
    """`core_pattern` asks for user 0, not for a capability. It is opened only."""
    before = Path("/proc/sys/kernel/core_pattern").read_text()
    async with walled(workspace, sandbox) as terminal:
        outcome = await terminal.run("LC_ALL=C; : >> /proc/sys/kernel/core_pattern", wait=PATIENCE)
    refusal = "Read-only file system" if os.geteuid() == 0 else "Permission denied"
    assert outcome.exit_code == 1 and refusal in outcome.output, outcome
    assert Path("/proc/sys/kernel/core_pattern").read_text() == before
