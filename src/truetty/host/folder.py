"""A terminal's private directory: where command texts and the shell's start-up files lie.

Rule 1: 0700 and on a tmpfs where there is one with room: files live for microseconds and are read by one shell.
Rule 2: the path is short. It is typed with every command, and typed characters are what a round trip costs.
Rule 3: files are made new (O_EXCL, O_NOFOLLOW), never rewritten. What finds no room leaves nothing behind.
Rule 4: nothing stays: `remove` takes the directory away, and directories whose owner died are swept by the next.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Self

from truetty.files import create

PREFIX: Final = "tt-"
UNKNOWN: Final = "-"
OWNER: Final = "owner"  # inside each directory: pid, start time and pid namespace of the process it ends with
SHARED_MEMORY: Final = "/dev/shm"
# A text of 1 MB, and what shells read at their start.
LEAST_ROOM: Final = 2 * 1024 * 1024

_swept: Final[set[str]] = set()  # places


class Folder:
    """Raises OSError when no place has room for it. It ends with this process, unless another one is its owner."""

    def __init__(self, places: Iterable[str] | None = None) -> None:
        self._maker = os.getpid()
        self._lasting: dict[str, bytes] = {}
        failed: dict[str, OSError] = {}
        for where in _places() if places is None else places:
            try:
                self.path = _make(where)
                self._fill({OWNER: _identity(os.getpid()).encode()})
                return
            except OSError as error:
                if error.errno in (errno.EMFILE, errno.ENFILE):  # the same in every place
                    raise
                failed[where] = error
        first = next(iter(failed.values()))
        places = "; ".join(f"{where} ({_room(where)})" for where in failed)
        raise OSError(first.errno, f"{first.strerror} in {places}. Free some, or set TMPDIR")

    @classmethod
    def found(cls, path: str) -> Self:
        """One that a process before us has made, with what is in it now."""
        self = cls.__new__(cls)
        self._maker = os.getpid()
        self.path = path
        self._lasting = {}
        for place, _, names in os.walk(path):
            for name in names:
                within = os.path.relpath(os.path.join(place, name), path)
                if not within[1:].isdigit():  # a letter and a number: of one command, which has read it
                    with contextlib.suppress(OSError), open(f"{path}/{within}", "rb") as file:
                        self._lasting[within] = file.read()
        return self

    def give_to(self, owner: int) -> None:
        """It ends with this process from now on."""
        self.write({OWNER: _identity(owner).encode()}, lasting=True)

    def _fill(self, lasting: Mapping[str, bytes]) -> None:
        """With what must be in it; without it there must be no directory."""
        try:
            self.write(lasting, lasting=True)
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
        """The folder was removed. The shell still knows its path, so it is made again, with all that must be in it."""
        os.mkdir(self.path, 0o700)
        self._fill(dict(self._lasting))

    def has(self, name: str) -> bool:
        return os.path.exists(f"{self.path}/{name}")

    def write(self, files: Mapping[str, bytes], *, lasting: bool = False) -> None:
        """`lasting` files are there for the shell's whole life, whatever happens to the directory."""
        if lasting:
            self._lasting.update(files)
        try:
            for name, content in files.items():
                if "/" in name:
                    os.makedirs(os.path.dirname(f"{self.path}/{name}"), 0o700, exist_ok=True)
                self._write(name, content)
        except OSError:  # no room: what was written would keep the next command from being sent
            for name in files:
                self.drop(name)
            raise

    def drop(self, name: str) -> None:
        with contextlib.suppress(OSError):
            os.unlink(f"{self.path}/{name}")

    def remove(self) -> None:
        """In a forked child it does nothing: the directory belongs to the process that made it."""
        if os.getpid() == self._maker:
            shutil.rmtree(self.path, ignore_errors=True)


def place() -> str:
    """Where the next one is made, if it can be."""
    return next(_places())


def _places() -> Iterator[str]:
    """The tmpfs with room and the shortest path, then the temporary directory, then those with little room."""
    candidates = (SHARED_MEMORY, os.environ.get("XDG_RUNTIME_DIR", ""))
    usable = [path for path in candidates if path and os.access(path, os.W_OK | os.X_OK)]
    little = [path for path in usable if not _has_room(path)]
    yield from (path for path in usable if path not in little)
    import tempfile

    yield tempfile.gettempdir()
    yield from little


def _has_room(path: str) -> bool:
    try:
        found = os.statvfs(path)
    except OSError:
        return False
    return found.f_blocks == 0 or found.f_bavail * found.f_frsize >= LEAST_ROOM  # no blocks: a tmpfs without a limit


def _room(path: str) -> str:
    """For an error: how large it is, and how much of that is free."""
    try:
        found = os.statvfs(path)
    except OSError as error:
        return error.strerror or "unknown"
    all_of_it, free = found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize
    files = ", no more files" if found.f_files and not found.f_favail else ""
    return f"{all_of_it // 1024:,} KiB, {free // 1024:,} KiB free{files}"


def _make(where: str) -> str:
    """A new directory of ours; at the first in this place, those that others have left there are swept."""
    if where not in _swept:
        _swept.add(where)
        sweep(where)
    while True:
        path = f"{where}/{PREFIX}{os.urandom(3).hex()}"
        try:
            os.mkdir(path, 0o700)
            return path
        except FileExistsError:
            continue


def sweep(where: str) -> None:
    """Remove directories of ours whose owner has ended.

    A pid of another namespace cannot be looked up, and a process of another user may hide when it began: such a
    directory stays.
    """
    namespace = _namespace()
    try:
        names = os.listdir(where)
    except OSError:
        return
    for name in names:
        path = f"{where}/{name}"
        with contextlib.suppress(OSError, ValueError):
            if not name.startswith(PREFIX) or os.path.islink(path) or os.stat(path).st_uid != os.getuid():
                continue
            pid, start, its_namespace = _text(f"{path}/{OWNER}").split()
            if its_namespace == namespace and _start(int(pid)) not in (start, UNKNOWN):
                shutil.rmtree(path, ignore_errors=True)


def _identity(pid: int) -> str:
    """A pid with its start time, so that a reused number is not taken for the owner, and where the number counts."""
    return f"{pid} {_start(pid)} {_namespace()}"


def _start(pid: int) -> str:
    """When a process began, in ticks since the machine's start; `gone` if there is none."""
    try:
        stat = _text(f"/proc/{pid}/stat")
        return stat[stat.rindex(")") :].split()[20]
    except OSError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return "gone"
        except PermissionError:
            pass
        return UNKNOWN


def _text(path: str) -> str:
    with open(path) as file:
        return file.read()


def _namespace() -> str:
    """Containers may share a tmpfs and not their pids. Unknown where there are no namespaces to be told apart."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return UNKNOWN
