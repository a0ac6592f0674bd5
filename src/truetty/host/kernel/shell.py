"""The shell's own process, as /proc shows it.

Rule 1: what is open here is closed by `close`; nothing else is kept.
"""

from __future__ import annotations

import os

from truetty.host.base import ShellProcess
from truetty.host.kernel import proc


class LinuxProcess(ShellProcess):
    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._stat = proc.ProcFile(f"/proc/{pid}/stat")
        # The thread's own count: to the process's the kernel adds what its children have read, once they are gone.
        self._io = proc.ProcFile(f"/proc/{pid}/task/{pid}/io", 512)
        self._shared: dict[str, bool] = {}  # by namespace: whether it is in ours

    def close(self) -> None:
        self._stat.close()
        self._io.close()

    def stat(self) -> proc.Stat:
        """Raises OSError when it is gone, or cannot be asked."""
        return proc.parse_stat(self._stat.read())

    def alive(self) -> proc.Stat | None:
        """None when it is gone or a zombie. Raises OSError when it cannot be asked."""
        try:
            of = self.stat()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if of.state in proc.DEAD else of

    def cwd(self) -> str | None:
        path = self._link("cwd")
        # A directory that was removed is shown with " (deleted)"; another one may be called so. The path is the shell's
        # own: behind a wall it may lead elsewhere than out here.
        try:
            here = path is not None and os.path.samefile(f"/proc/{self.pid}/root{path}", f"/proc/{self.pid}/cwd")
            return path if here else None
        except OSError:
            return None

    def program(self) -> str | None:
        return self._link("exe")

    def _link(self, name: str) -> str | None:
        try:
            return os.readlink(f"/proc/{self.pid}/{name}")
        except OSError:
            return None

    def argv(self) -> tuple[str, ...] | None:
        try:
            words = proc.read(f"/proc/{self.pid}/cmdline").decode("utf-8", "replace").split("\0")[:-1]
        except OSError:
            return None
        return tuple(words) or None  # in the middle of an `exec` the file is empty

    def is_there(self) -> bool:
        try:
            of = self.alive()
        except OSError:
            return False
        # A process that exits gives up its memory, then its directory, and is a zombie only after that. Without memory
        # the kernel gives 0 for the place of the program, but 1 where we may not know it.
        return of is not None and (of.code != 0 or self.program() is not None)

    def image(self) -> object:
        try:
            of = self.alive()
        except OSError:
            return None
        return None if of is None else (self.program(), of.code, of.stack)

    def mentions(self, text: str) -> bool | None:
        try:
            return any(
                text.encode() in proc.read(f"/proc/{self.pid}/{name}", 1 << 20) for name in ("cmdline", "environ")
            )
        except OSError:
            return None

    def consumed(self) -> int | None:
        try:
            raw = self._io.read()
            return int(raw[7 : raw.index(b"\n")])  # "rchar: 123"
        except (OSError, ValueError):
            return None

    def reaped(self) -> int | None:
        """Page faults of reaped children: every program makes some."""
        try:
            fields = self._fields(12)
            return int(fields[8]) + int(fields[10])
        except (OSError, IndexError):
            return None

    def unreachable(self) -> int | None:
        if self._shares("net"):
            return None
        try:
            lines = proc.read(f"/proc/{self.pid}/net/snmp", 8192).split(b"\n")
            six = proc.read(f"/proc/{self.pid}/net/snmp6", 16384).split()
            names, values = (line.split() for line in lines if line.startswith(b"Ip:"))
            return int(values[names.index(b"OutNoRoutes")]) + int(six[six.index(b"Ip6OutNoRoutes") + 1])
        except (OSError, ValueError):
            return None

    def is_protected(self, path: str) -> bool | None:
        if self._shares("mnt"):
            return None
        root, whole = f"/proc/{self.pid}/root", os.path.normpath(path)
        if not os.path.lexists(root + whole):  # what is to be made there: its directory counts
            whole = os.path.dirname(whole)
        try:
            return bool(os.statvfs(root + whole).f_flag & os.ST_RDONLY) and os.access(whole, os.W_OK)
        except OSError:
            return None

    def _shares(self, namespace: str) -> bool:
        """Whether it is in the same one as we are; also True where that is unknown."""
        if namespace not in self._shared:
            own = self._link(f"ns/{namespace}")
            self._shared[namespace] = own is None or own == _own_namespace(namespace)
        return self._shared[namespace]

    def cpu(self) -> float | None:
        try:
            fields = self._fields(15)
            return None if fields[0].decode() in proc.DEAD else sum(map(int, fields[11:15])) / proc.TICKS
        except (OSError, IndexError):
            return None

    def _fields(self, count: int) -> list[bytes]:
        """The first of /proc/PID/stat behind the name, and the rest as one: `stat` reads more of them, and longer."""
        return self._stat.read().rpartition(b")")[2].split(None, count)


def _own_namespace(name: str) -> str | None:
    try:
        return os.readlink(f"/proc/self/ns/{name}")
    except OSError:
        return None
