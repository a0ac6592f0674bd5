"""This machine, behind a wall: shells that bubblewrap starts in namespaces of their own.

Rule 1: the shell is a grandchild. It is observed and signalled by its number out here, which the kernel tells: it leads
        the session of its pty. Our child is bubblewrap, which hands on the shell's exit code.
Rule 2: the pty does not become bubblewrap's controlling terminal. The shell inside takes it, so job control and Ctrl-C
        are as out here.
Rule 3: what bubblewrap tells of a shell that a signal has ended is the code 128 + its number.
Rule 4: a wall that cannot be made is an error. Nothing is started without it, and no shell before its mounts were
        checked.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import socket
import struct
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from truetty.core.errors import Misuse, SpawnFailed
from truetty.host import filter
from truetty.host.base import Order
from truetty.host.folder import Folder
from truetty.host.hold import Hold
from truetty.host.kernel import observer_for
from truetty.host.launch import Execution
from truetty.host.local import LocalHost, Observe, directory_of, end_on_error, new_pty
from truetty.host.mounts import Mounts
from truetty.host.pty import LocalChannel
from truetty.host.spawn import FIRST_OF_OURS, spawn
from truetty.host.wall import UNREACHABLE, Sandbox, binds_below

# One that others have put elsewhere into PATH has no rights of its own where the system restricts namespaces.
BUBBLEWRAP: Final = "/usr/bin/bwrap"
SETSID: Final = "/usr/bin/setsid"
# It comes after some milliseconds. A machine on which it takes so long is broken.
START_LIMIT: Final = 60.0

_GET_SESSION: Final = 0x5429  # TIOCGSID
# Inside: the session has its leader now; it goes on when a line comes. `exec` gives what it runs the name that it was
# called by.
_ANNOUNCE: Final = (
    f'printf . >&{FIRST_OF_OURS + 1}; read -r _tt_go <&{FIRST_OF_OURS + 1} && exec "$0" "$@" {FIRST_OF_OURS + 1}>&-'
)


class SandboxHost(LocalHost):
    name = "sandbox"

    def __init__(self, sandbox: Sandbox, observe: Observe = observer_for, hold: Hold | None = None) -> None:
        super().__init__(observe, hold)
        self.sandbox: Final = sandbox

    async def start(self, order: Order) -> LocalChannel:
        workspace = self._workspace(order)
        if (reason := self.sandbox.refusal(workspace, os.environ.get("HOME"))) is not None:
            raise Misuse(reason, workspace=workspace)
        return await super().start(order)

    def _workspace(self, order: Order) -> str:
        return os.path.realpath(self.sandbox.workspace or directory_of(order) or os.getcwd())

    def _variables(self) -> Mapping[str, str]:
        dropped = () if self.sandbox.unix_sockets else UNREACHABLE
        return {**{name: value for name, value in os.environ.items() if name not in dropped}, "TMPDIR": "/tmp"}

    async def _spawn(self, execution: Execution, files: Folder, cwd: str | None, order: Order) -> LocalChannel:
        workspace = self._workspace(order)
        wall = self.sandbox.arguments(workspace, files.path, cwd or os.getcwd(), outlives_us=self._hold.outlives_us)
        mounts = Mounts(binds_below(wall, workspace))
        start = (SETSID, "--ctty", "/bin/sh", "-c", _ANNOUNCE, *_words(execution))
        argv = ("bwrap", *wall, "--seccomp", str(FIRST_OF_OURS), "--", *start)
        with new_pty(order.size) as pty, _filter(self.sandbox) as rules, _pair() as (ours, its):
            child = spawn(
                _bubblewrap(), argv, execution.env, pty.slave, controls=False, descriptors=(rules, its.fileno())
            )
            its.close()
            with end_on_error(child):
                await _byte(ours.fileno())
                if (shell := _leader(pty.master)) is None:
                    raise _no_wall(_text(pty.master) or "no shell has come", execution.program)
                if (path := mounts.first_wrong(shell)) is not None:
                    raise _no_wall(f"{path} was replaced while it was made", execution.program)
                ours.send(b"\n")
                observer = self._observe(pty.master, shell, pty.modes)
                return pty.keep(LocalChannel(pty.master, shell, files, observer, child, self._hold))


def problem(sandbox: Sandbox) -> str | None:
    """Why no wall stands here, in bubblewrap's own words; None: it does. It is tried."""
    try:
        with _filter(sandbox):
            arguments = sandbox.arguments(os.path.realpath("/usr"), "/usr", "/")
            tried = subprocess.run(
                [_bubblewrap(), *arguments, "--", "/bin/true"], capture_output=True, text=True, check=False, timeout=30
            )
    except SpawnFailed as error:
        return str(error.reason)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return None if tried.returncode == 0 else tried.stderr.strip() or f"bubblewrap ended with {tried.returncode}"


def _bubblewrap() -> str:
    found = BUBBLEWRAP if os.access(BUBBLEWRAP, os.X_OK) else shutil.which("bwrap")
    if found is None:
        raise _no_wall("bubblewrap is not installed (Debian and Ubuntu: apt install bubblewrap)")
    return found


@contextmanager
def _filter(sandbox: Sandbox) -> Iterator[int]:
    """A descriptor that the filter can be read from."""
    program = filter.program(unix=sandbox.unix_sockets)
    if program is None:
        raise _no_wall(f"the system calls of this machine ({os.uname().machine}) are not known")
    descriptor = os.memfd_create("filter", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, program)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def _words(execution: Execution) -> tuple[str, ...]:
    """What is executed has the name that it was called by, and shells print it. So it is the bare one where that leads
    to the same program."""
    name, *arguments = execution.argv
    found = None if "/" in name else shutil.which(name, path=execution.env.get("PATH"))
    is_same = found is not None and os.path.samefile(found, execution.program)
    return (name if is_same else execution.program, *arguments)


@contextmanager
def _pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, its = socket.socketpair()
    with ours, its:
        yield ours, its


async def _byte(descriptor: int) -> None:
    """Until there is one, or no process is left that could write it."""
    loop = asyncio.get_running_loop()
    there = asyncio.Event()
    loop.add_reader(descriptor, there.set)
    try:
        async with asyncio.timeout(START_LIMIT):
            await there.wait()
    except TimeoutError:
        pass  # then there is no leader either
    finally:
        loop.remove_reader(descriptor)


def _leader(master: int) -> int | None:
    try:
        (found,) = struct.unpack("i", fcntl.ioctl(master, _GET_SESSION, bytes(4)))
    except OSError:
        return None
    return found if found > 0 else None


def _text(master: int) -> str:
    """What bubblewrap has printed."""
    try:
        return os.read(master, 4096).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _no_wall(reason: str, shell: str | None = None) -> SpawnFailed:
    return SpawnFailed(f"the sandbox cannot be made: {reason}", shell=shell, reason=reason)
