"""A terminal's private directory: where command texts and the shell's start-up files lie.

Rule 1: 0700 and on a tmpfs where there is one: files live for microseconds and are read by one shell.
Rule 2: the path is short. It is typed with every command, and typed characters are what a round trip costs.
Rule 3: files are made new (O_EXCL, O_NOFOLLOW), never rewritten.
Rule 4: nothing stays: `remove` takes the directory away, and directories whose owner died are swept by the next.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from truetty.files import create

PREFIX: Final = "tt-"
UNKNOWN: Final = "-"
OWNER: Final = "owner"  # inside each directory: pid, start time and pid namespace of the process that made it

_swept = False


class Folder:
    def __init__(self) -> None:
        global _swept
        where = place()
        if not _swept:
            _swept = True
            sweep(where)
        while True:
            self.path = f"{where}/{PREFIX}{secrets.token_hex(3)}"
            try:
                os.mkdir(self.path, 0o700)
                break
            except FileExistsError:
                continue
        self._lasting: dict[str, bytes] = {}
        try:
            self.write({OWNER: _identity(os.getpid()).encode()}, lasting=True)
        except OSError:
            self.remove()
            raise

    def _write(self, name: str, content: bytes) -> None:
        descriptor = self._create(f"{self.path}/{name}")
        try:
            while content:
                content = content[os.write(descriptor, content) :]
        finally:
            os.close(descriptor)

    def _create(self, path: str) -> int:
        while True:
            try:
                return create(path)
            except FileExistsError:
                os.unlink(path)
            except FileNotFoundError:
                self._restore()

    def _restore(self) -> None:
        """Somebody has removed it. The shell still knows its path, so it is made again, with all that must be in it."""
        os.mkdir(self.path, 0o700)
        lasting, self._lasting = self._lasting, {}
        self.write(lasting, lasting=True)

    def has(self, name: str) -> bool:
        return os.path.exists(f"{self.path}/{name}")

    def write(self, files: Mapping[str, bytes], *, lasting: bool = False) -> None:
        """`lasting` files are there for the shell's whole life, whatever happens to the directory."""
        if lasting:
            self._lasting.update(files)
        for name, content in files.items():
            if "/" in name:
                os.makedirs(os.path.dirname(f"{self.path}/{name}"), 0o700, exist_ok=True)
            try:
                self._write(name, content)
            except OSError:  # no room: what was written of it would keep the next command from being sent
                self.drop(name)
                raise

    def drop(self, name: str) -> None:
        with contextlib.suppress(OSError):
            os.unlink(f"{self.path}/{name}")

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def place() -> str:
    """The shortest private-able tmpfs, else the temporary directory."""
    for candidate in ("/dev/shm", os.environ.get("XDG_RUNTIME_DIR", "")):
        if candidate and os.access(candidate, os.W_OK | os.X_OK):
            return candidate
    return tempfile.gettempdir()


def sweep(where: str) -> None:
    """Remove directories of ours whose owner is no more.

    A pid of another namespace cannot be looked up, and a process of another user may hide when it began: such a
    directory stays.
    """
    namespace = _namespace()
    for path in Path(where).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError, ValueError):
            if path.is_symlink() or path.stat().st_uid != os.getuid():
                continue
            pid, start, its_namespace = (path / OWNER).read_text().split()
            if its_namespace == namespace and _start(int(pid)) not in (start, UNKNOWN):
                shutil.rmtree(path, ignore_errors=True)


def _identity(pid: int) -> str:
    """A pid with its start time, so that a reused number is not taken for the owner, and where the number counts."""
    return f"{pid} {_start(pid)} {_namespace()}"


def _start(pid: int) -> str:
    """When a process began, in ticks since the machine's start; `gone` if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        return stat[stat.rindex(")") :].split()[20]
    except OSError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return "gone"
        except PermissionError:
            pass
        return UNKNOWN


def _namespace() -> str:
    """Containers may share a tmpfs and not their pids. Unknown where there are no namespaces to be told apart."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return UNKNOWN
