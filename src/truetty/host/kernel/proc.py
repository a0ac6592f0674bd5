"""Reading /proc: one process, its threads, its family.

Rule 1: nothing is kept but what `ProcFile` keeps open; a pid is asked again each time, for pids are used again.
Rule 2: a process that is gone is `None` or left out. What may not be read raises `PermissionError`: gone and
        forbidden must never look alike.
Rule 3: every descriptor is close-on-exec, so no shell we start inherits one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

from truetty.host.base import Process
from truetty.host.kernel.pool import Pooled

TICKS = os.sysconf("SC_CLK_TCK")
DEAD = "ZXx"
HALTED = "Tt"
_FORKED = 0x40  # PF_FORKNOEXEC: it has not executed anything since it was forked
ON_CPU = "RD"  # disk sleep counts: it ends by itself and soon, and cannot be a wait for the keyboard

# A fork bomb or `make -j` must not make one look take long; what lies beyond is said to be not looked at.
MOST_PROCESSES = 256


class Stat(NamedTuple):
    """The fields of /proc/PID/stat that are used here."""

    pid: int
    name: str
    state: str
    parent: int
    group: int
    session: int
    tty: int  # the controlling terminal, in the kernel's packing
    front: int  # that terminal's foreground group
    ticks: int  # of CPU, those of children that have ended and were waited for included
    threads: int
    born: int  # ticks since the machine started
    code: int  # where the program's text starts and ends; 0 or 1 when we may not know
    code_end: int
    stack: int  # where the stack started; 0 when we may not know
    flags: int = 0  # PF_… of the kernel

    def as_process(self) -> Process:
        cpu = self.ticks / TICKS
        forked = bool(self.flags & _FORKED)
        return Process(self.pid, self.name, self.parent, self.group, self.session, self.state, cpu, forked)


class Turn(NamedTuple):
    """How far one thread has come. It has not run between two equal ones."""

    thread: int
    awake: bool
    runs: int  # how often it was put on a CPU
    cpu: float  # seconds that it was there


def parse_stat(raw: bytes) -> Stat:
    # The name may hold blanks and brackets of its own: it ends at the *last* bracket.
    left, right = raw.index(b"("), raw.rindex(b")")
    f = raw[right + 2 :].split(None, 26)
    return Stat(
        int(raw[: left - 1]),
        raw[left + 1 : right].decode("utf-8", "replace"),
        chr(f[0][0]),
        int(f[1]),
        int(f[2]),
        int(f[3]),
        int(f[4]),
        int(f[5]),
        int(f[11]) + int(f[12]) + int(f[13]) + int(f[14]),
        int(f[17]),
        int(f[19]),
        int(f[23]),
        int(f[24]),
        int(f[25]),
        int(f[6]),
    )


def read(path: str, size: int = 4096) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, size)
    finally:
        os.close(fd)


def read_memory(pid: int, address: int, size: int) -> bytes:
    """Raises PermissionError when forbidden, another OSError when there is no such memory."""
    with Memory(pid) as memory:
        return memory.read(address, size)


class Memory:
    """The memory of another process, opened once for several reads. Raises as `read_memory` does."""

    def __init__(self, pid: int) -> None:
        self._fd = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def read(self, address: int, size: int) -> bytes:
        return os.pread(self._fd, size, address)


def stat(pid: int) -> Stat | None:
    try:
        return parse_stat(read(f"/proc/{pid}/stat", 1024))
    except (FileNotFoundError, ProcessLookupError):
        return None


def threads(of: Stat) -> list[int]:
    """Thread ids, the main thread first."""
    if of.threads <= 1:
        return [of.pid]
    try:
        found = (int(name) for name in os.listdir(f"/proc/{of.pid}/task"))
        return sorted(found, key=lambda thread: (thread != of.pid, thread))  # ids start again at 1 after the highest
    except (FileNotFoundError, ProcessLookupError):
        return []


def wakes(pid: int, thread: int) -> int | None:
    """How often the thread was put on a CPU: it grows by one each time it wakes."""
    try:
        return int(read(f"/proc/{pid}/task/{thread}/schedstat", 128).split()[2])
    except (OSError, IndexError, ValueError):
        return None


def turns(of: Stat) -> list[Turn]:
    """Of its threads. Raises FileNotFoundError where the kernel does not count them."""
    found = []
    for thread in threads(of):
        folder = f"/proc/{of.pid}/task/{thread}"
        try:
            used, _, runs = read(f"{folder}/schedstat", 128).split()
            state = parse_stat(read(f"{folder}/stat", 1024)).state
        except ProcessLookupError:
            continue
        except FileNotFoundError:
            if os.path.exists(folder):
                raise
            continue
        found.append(Turn(thread, state in ON_CPU, int(runs), int(used) / 1e9))
    return found


def arguments(pid: int) -> list[str]:
    """What it was started with, without its own name; nothing when that is unknown."""
    try:
        words = read(f"/proc/{pid}/cmdline", 65536).split(b"\0")
    except OSError:
        return []
    return [os.fsdecode(word) for word in words[1:-1]]


def ignored_signals(pid: int) -> int:
    """The mask of ignored signals, bit 0 for signal 1; 0 when it is unknown."""
    try:
        status = read(f"/proc/{pid}/status")
    except OSError:
        return 0
    at = status.find(b"\nSigIgn:")
    return int(status[at + 8 : at + 32].split()[0], 16) if at >= 0 else 0


def pipe_to(of: Stat, members: Iterable[Stat]) -> str | None:
    """The name of the member that reads what `of` prints, through a pipe; None if it has printed nothing, or not so."""
    try:
        pipe = os.readlink(f"/proc/{of.pid}/fd/1")
        if not pipe.startswith("pipe:") or b"wchar: 0\n" in read(f"/proc/{of.pid}/io"):
            return None
    except OSError:
        return None
    for one in members:
        with contextlib.suppress(OSError):
            if one.pid != of.pid and os.readlink(f"/proc/{one.pid}/fd/0") == pipe:
                return one.name
    return None


def children(of: Stat) -> list[int]:
    """Raises FileNotFoundError where the kernel was built without `children` files."""
    found: list[int] = []
    for thread in threads(of):
        try:
            found += map(int, read(f"/proc/{of.pid}/task/{thread}/children", 65536).split())
        except ProcessLookupError:
            continue
        except FileNotFoundError:
            if os.path.exists(f"/proc/{of.pid}/task/{thread}"):
                raise
    return found


def everything() -> Iterator[Stat]:
    """Every process there is."""
    for name in os.listdir("/proc"):
        if name.isdigit() and (seen := stat(int(name))) is not None:
            yield seen


def descendants(root: Stat, most: int = MOST_PROCESSES) -> list[Stat]:
    """Living and dead descendants, parents before their children, at most `most` of them."""
    found: list[Stat] = []
    pending = [root]
    try:
        while pending and len(found) < most:
            for pid in children(pending.pop()):
                if (seen := stat(pid)) is not None:
                    found.append(seen)
                    if seen.state not in DEAD:
                        pending.append(seen)
    except FileNotFoundError:
        return _descendants_by_parent(root, most)
    return found


def _descendants_by_parent(root: Stat, most: int) -> list[Stat]:
    by_parent: dict[int, list[Stat]] = {}
    for seen in everything():
        by_parent.setdefault(seen.parent, []).append(seen)
    found: list[Stat] = []
    pending = [root.pid]
    while pending and len(found) < most:
        born = by_parent.get(pending.pop(), [])
        found += born
        pending += [seen.pid for seen in born]
    return found


class ProcFile:
    """One file of /proc, read from its start each time. While it stays open, a read costs a third.

    Never opened again after `close`: the pid may be another process's by then.
    """

    __slots__ = ("_file", "_size")

    def __init__(self, path: str, size: int = 1024) -> None:
        self._size = size
        self._file = Pooled(lambda: os.open(path, os.O_RDONLY | os.O_CLOEXEC))

    def read(self) -> bytes:
        """Raises ProcessLookupError or FileNotFoundError when the process is gone, PermissionError when forbidden."""
        return os.pread(self._file.get(), self._size, 0)

    def close(self) -> None:
        self._file.close()
