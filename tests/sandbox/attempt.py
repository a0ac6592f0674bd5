"""Opens a terminal as the user of this process, tries the ways of `ways.py` in it, and looks at targets from outside.

    python3 attempt.py < REQUEST     a JSON object, see `Request`

It prints one JSON object: `results` has what each way gave, `touched` the ways whose target has changed or has received
something. Where no wall stands, `problem` says why, and nothing was tried.

Rule: it imports nothing of the tests. Another user runs a copy of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import secrets
import select
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypedDict

import truetty
from truetty.host.folder import Folder
from truetty.host.sandbox import problem
from truetty.host.wall import Sandbox

IPC_CREAT, IPC_RMID = 0o1000, 0
# Inside, processes are numbered from 1. A target has a number that none of them has.
FIRST_PROCESS = 500

libc = ctypes.CDLL(None, use_errno=True)


class Request(TypedDict):
    sandbox: str  # as `Terminal` takes it
    place: str  # a directory of the user's that is not private inside
    script: str  # ways.py
    python: str  # that can be run inside
    setuid: str | None  # a copy of `id` that belongs to another user and has the bit
    ways: list[str]  # those to try, by the first word of their names
    patience: float


class Targets:
    """Everything outside that a way goes for. All of it belongs to the user, so that only a wall can refuse it."""

    def __init__(self, place: str, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self.name = f"tt-canary-{secrets.token_hex(6)}"
        self.home = Path(tempfile.mkdtemp(dir=place))
        self.workspace = self.home / "work"
        self.git = self.workspace / ".git"
        self.made = [Path(place, self.name) for place in ("/etc", "/tmp", "/var/tmp", "/dev/shm", spool())]
        for path in self.made:
            stack.callback(path.unlink, missing_ok=True)
        for name in (".bashrc", ".profile"):
            (self.home / name).write_text("# mine\n")
        subprocess.run(["git", "init", "-q", str(self.workspace)], check=True)
        (self.git / "hooks").mkdir(exist_ok=True)
        self.other_folder = Folder()
        stack.callback(self.other_folder.remove)
        self.process, self.target = self._process(), self._process()
        self.pty = self._pty()
        self.memory = self._memory()
        inet, unix, stream, datagram = socket.AF_INET, socket.AF_UNIX, socket.SOCK_STREAM, socket.SOCK_DGRAM
        self.agent, self.log, self.raw_log = (str(self.home / name) for name in ("agent", "log", "raw-log"))
        self.display = f"/tmp/{self.name}-display"
        stack.callback(Path(self.display).unlink, missing_ok=True)
        self.sockets = {
            "n01": self._socket(inet, stream, ("127.0.0.1", 0)),
            "n02": self._socket(inet, datagram, ("127.0.0.1", 0)),
            "n05": self._socket(unix, stream, "\0" + self.name),
            "n06": self._socket(unix, stream, self.agent),
            "n07": self._socket(unix, stream, self.display),
            "n08": self._socket(unix, datagram, self.log),
            "n15": self._socket(unix, datagram, self.raw_log),
        }

    def facts(self, folder: str) -> dict[str, Any]:
        """What ways.py needs. `folder`: the terminal's own."""
        return {
            "name": self.name,
            "home": str(self.home),
            "workspace": str(self.workspace),
            "folder": folder,
            "own_file": own_file(folder),
            "other_folder": self.other_folder.path,
            "process": self.process.pid,
            "target": self.target.pid,
            "address": first_address(self.process.pid),
            "memory": self.memory,
            "pty": os.ttyname(self.pty[1]),
            "tcp": self.sockets["n01"].getsockname()[1],
            "udp": self.sockets["n02"].getsockname()[1],
            "agent": self.agent,
            "display": self.display,
            "log": self.log,
            "raw_log": self.raw_log,
            "disk": disk(),
            "spool": str(spool()),
            "sys": writable_of_sys(),
        }

    def state(self, folder: str) -> dict[str, object]:
        """Of the target of each way that has one of its own."""
        hook = self.git / "hooks/post-commit"
        new = {"f01": self.home / "f01", "f08": self.workspace / "f08"}
        new |= {way: self.home / way for way in ("f14", "f15", "f16")}
        new |= dict(zip(("f03", "f05", "f06", "f07", "f27"), self.made, strict=True))
        new |= {way: self.workspace / way for way in ("f12", "f23", "f26")}
        new |= {"f17": Path(folder, "f17"), "f19": Path(self.other_folder.path, "f19")}
        return {
            **{way: path.exists() for way, path in new.items()},
            "f02": (self.home / ".bashrc").read_bytes(),
            "f04": Path("/etc/hosts").read_bytes(),
            "f09": sorted((name.name, name.read_bytes()) for name in (self.git / "hooks").iterdir() if name != hook),
            "f10": (self.git / "config").read_bytes() if (self.git / "config").exists() else None,
            "f11": (self.git.stat().st_ino, hook.exists()),
            "f13": (self.home / ".profile").read_bytes(),
            "f18": Path(own_file(folder)).read_bytes(),
            **{way: has_received(one) for way, one in self.sockets.items()},
            "p01": self.target.poll(),
            "p05": (os.getpriority(os.PRIO_PROCESS, self.process.pid), os.sched_getscheduler(self.process.pid)),
            "p07": read_now(lambda: os.read(self.pty[0], 100)),
            "p13": os.uname().nodename,
        }

    def _process(self) -> subprocess.Popen[bytes]:
        while True:
            process = subprocess.Popen(["sleep", "100000"])
            if process.pid >= FIRST_PROCESS:
                self._stack.callback(end, process)
                return process
            end(process)

    def _pty(self) -> tuple[int, int]:
        master, slave = os.openpty()
        self._stack.callback(os.close, master)
        self._stack.callback(os.close, slave)
        os.set_blocking(master, False)
        return master, slave

    def _memory(self) -> int:
        key = secrets.randbelow(1 << 30) + 1
        memory = libc.shmget(key, 4096, IPC_CREAT | 0o600)
        assert memory >= 0, os.strerror(ctypes.get_errno())
        self._stack.callback(libc.shmctl, memory, IPC_RMID, None)
        return key

    def _socket(self, family: int, kind: int, address: object) -> socket.socket:
        one = self._stack.enter_context(socket.socket(family, kind))
        one.bind(address)  # type: ignore[arg-type]
        if kind == socket.SOCK_STREAM:
            one.listen()
        one.setblocking(False)
        return one


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def has_received(one: socket.socket) -> bool:
    """A connection or a datagram. It stays there."""
    return bool(select.select([one], [], [], 0)[0])


def read_now(read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except BlockingIOError:
        return b""


def own_file(folder: str) -> str:
    """The longest of those that the shell reads."""
    return str(max((path for path in Path(folder).rglob("*") if path.is_file()), key=lambda path: path.stat().st_size))


def first_address(process: int) -> int:
    return int(Path(f"/proc/{process}/maps").read_text().partition("-")[0], 16)


def disk() -> str:
    """A block device of this machine, as far as there is one."""
    found = sorted(path for path in Path("/dev").iterdir() if path.is_block_device())
    return str(found[0]) if found else "/dev/sda"


def spool() -> Path:
    cron = Path("/var/spool/cron")
    return cron if cron.is_dir() else cron.parent


def writable_of_sys() -> str:
    return next(str(path) for path in all_files(Path("/sys/kernel")) if path.stat().st_mode & 0o200)


def all_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_file():
            yield path
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink() and os.access(path, os.R_OK | os.X_OK):
            yield from all_files(path)


async def attempt(request: Request) -> dict[str, object]:
    sandbox = Sandbox.of(request["sandbox"])
    if sandbox is not None and (reason := problem(sandbox)) is not None:
        return {"problem": reason}
    with contextlib.ExitStack() as stack:
        targets = Targets(request["place"], stack)
        workspace = targets.workspace
        os.environ["HOME"] = str(targets.home)
        within = None if sandbox is None else sandbox.within(str(workspace))
        async with truetty.Terminal("bash", cwd=workspace, sandbox=within, rc=False, budget=100_000) as terminal:
            folder = terminal._conversation.link.channel.files.path  # type: ignore[union-attr]
            wanted = {"ways": request["ways"], "setuid": request["setuid"]}
            (workspace / "facts").write_text(json.dumps(targets.facts(folder) | wanted))
            (workspace / "ways.py").write_bytes(Path(request["script"]).read_bytes())
            before = targets.state(folder)
            line = shlex.join([request["python"], "-I", "ways.py", "facts"])
            outcome = await terminal.run(line, wait=request["patience"])
            assert (outcome.state, outcome.exit_code) == ("finished", 0), outcome
            results = json.loads(outcome.output.splitlines()[-1])
            if any(way.startswith("p01") and result == "done" for way, result in results.items()):
                targets.target.wait(request["patience"])  # the signal was sent; it ends the process
            after = targets.state(folder)
        touched = sorted(way for way, state in after.items() if state != before[way])
        return {"results": results, "touched": touched}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(attempt(json.load(sys.stdin)))))
