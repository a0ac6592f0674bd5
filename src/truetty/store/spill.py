"""The older bytes of a terminal, in a private file.

Rule 1: the file lies where its bytes' offsets say (position = offset, a gap is a hole), 0600, in a folder that is
        ours alone, opened without following links, and is gone with its transcript.
Rule 2: writing never raises: what the disk refuses is not kept, `trouble` says why, and the next piece is tried anew.
Rule 3: one file stays within its quota, all of a process together within theirs.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from typing import Final

from truetty import files

DEFAULT_QUOTA: Final = 1 << 30  # a runaway `yes` reaches it in ten seconds; a log that a person reads does not
DEFAULT_TOTAL: Final = 8 << 30  # all terminals of this process together


class Allowance:
    """How many bytes may lie on disk: of one store, or of several together."""

    def __init__(self, limit: int | None) -> None:
        self.limit = sys.maxsize if limit is None else limit
        self.used = 0

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)


TOTAL: Final = Allowance(DEFAULT_TOTAL)


class Spill:
    """A private file, made when the first byte comes."""

    def __init__(self, folder: str | None = None, quota: int | None = DEFAULT_QUOTA, total: Allowance = TOTAL) -> None:
        self._folder = folder
        self._own = Allowance(quota)
        self._total = total
        self._maker = os.getpid()  # a forked child that exits must not remove its parent's file
        self._fd = -1
        self._file: str | None = None
        self._own_folder: str | None = None  # the private folder, where none was given
        self._last_stat: tuple[int, ...] = ()  # how the file looked when its descriptor was closed
        self.holds = 0  # no byte at or after this offset is in the file
        self.trouble: str | None = None  # why the last write fell short; None when it did not

    @property
    def path(self) -> str | None:
        self._rescue()
        return self._file if self._in_place() else None

    def write(self, at: int, data: memoryview) -> int:
        """How many bytes, from the front, were kept."""
        most = min(len(data), self._own.remaining, self._total.remaining)
        done = 0
        self.trouble = None if most == len(data) else "quota reached"
        try:
            with self._opened() if most else contextlib.nullcontext(-1) as fd:
                while done < most:
                    done += os.pwrite(fd, data[done:most], at + done)
        except OSError as error:
            self.trouble = os.strerror(error.errno or 0)
        self._own.used += done
        self._total.used += done
        if done:
            self.holds = at + done
        return done

    def blank(self, start: int, end: int) -> bool:
        """Bytes kept before become stars; False where that cannot be done."""
        try:
            with self._opened() as fd:
                return os.pwrite(fd, b"*" * (end - start), start) == end - start
        except OSError as error:
            self.trouble = os.strerror(error.errno or 0)
            return False

    def read(self, at: int, size: int) -> bytes:
        """Fewer when the file has shrunk. Raises OSError."""
        with self._opened() as fd:
            data = os.pread(fd, size, at)
            while len(data) < size and (more := os.pread(fd, size - len(data), at + len(data))):
                data += more  # one call gives at most 2 GB
        return data

    def intact(self) -> bool:
        """Whether bytes kept before can still be reached."""
        return self._fd >= 0 or self._file is None or self._in_place()

    def close(self) -> None:
        """Hold no descriptor; reading goes on."""
        self._rescue()
        self._release()

    def discard(self) -> None:
        """Leave nothing behind."""
        if os.getpid() != self._maker:
            return
        self._release()
        self._remove()
        self._total.used -= self._own.used
        self._own.used = 0

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        """The descriptor; after `close`, one for this moment only."""
        if self._file is None:
            self._fd = self._create()
        if self._fd >= 0 or self._file is None:
            yield self._fd
            return
        fd = os.open(self._file, os.O_RDWR | files.SAFE)
        try:
            if _look(os.fstat(fd)) != self._last_stat:
                raise FileNotFoundError(errno.ENOENT, "another file is in its place")
            try:
                yield fd
            finally:
                self._last_stat = _look(os.fstat(fd))
        finally:
            os.close(fd)

    def _in_place(self) -> bool:
        """Whether the file at our path is ours; an inode's number alone proves nothing once it can be used again."""
        try:
            here = () if self._file is None else _look(os.lstat(self._file))
        except OSError:
            return False
        return here != () and here == (self._last_stat if self._fd < 0 else _look(os.fstat(self._fd)))

    def _create(self) -> int:
        """Make the file, and the folder where it is missing."""
        folder = self._folder or self._own_folder
        if folder is None or (self._folder is None and not os.path.isdir(folder)):
            import tempfile

            folder = self._own_folder = tempfile.mkdtemp(prefix="truetty-", dir=_roomy())
        elif not os.path.lexists(folder):
            os.mkdir(folder, 0o700)
        name = os.urandom(8).hex()
        directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | files.SAFE)
        try:
            if (why := _unsafe(os.fstat(directory))) is not None:
                raise PermissionError(errno.EPERM, why)
            fd = files.create(name, access=os.O_RDWR, folder=directory)
        finally:
            os.close(directory)
        os.fchmod(fd, files.PRIVATE)  # a umask may have taken our own bits, and the file will be opened again
        self._file = os.path.join(os.path.abspath(folder), name)
        return fd

    def _rescue(self) -> None:
        """Copy an open file that was unlinked (a cleaner of /tmp): its bytes live only as long as the descriptor."""
        if self._fd < 0 or os.fstat(self._fd).st_nlink:
            return
        old, at = self._fd, 0
        try:
            self._fd = self._create()
            while at < self.holds:
                at = os.lseek(old, at, os.SEEK_DATA)
                end = os.lseek(old, at, os.SEEK_HOLE)
                while at < end:
                    at += os.pwrite(self._fd, os.pread(old, min(end - at, 1 << 20), at), at)
        except OSError as error:
            self.trouble = os.strerror(error.errno or 0)
            if self._fd != old:
                self._remove()
                self._fd, old = old, self._fd
        if self._fd != old:
            os.close(old)

    def _release(self) -> None:
        if self._fd >= 0:
            self._last_stat = _look(os.fstat(self._fd))
            with contextlib.suppress(OSError):  # NFS tells of a full disk here, and the descriptor is gone all the same
                os.close(self._fd)
            self._fd = -1

    def _remove(self) -> None:
        if self._file is not None and self._in_place():
            with contextlib.suppress(OSError):
                os.unlink(self._file)
        if self._own_folder is not None:
            with contextlib.suppress(OSError):
                os.rmdir(self._own_folder)


def _roomy() -> str:
    """Where large temporary files belong: /tmp is often memory."""
    if not os.environ.get("TMPDIR") and os.path.isdir("/var/tmp") and os.access("/var/tmp", os.W_OK | os.X_OK):
        return "/var/tmp"
    import tempfile

    return tempfile.gettempdir()


def _look(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


def _unsafe(found: os.stat_result) -> str | None:
    if found.st_uid != os.geteuid():
        return "not our own folder"
    if found.st_mode & 0o022:
        return "a folder that others may write to"
    return None


def refused(folder: str) -> str | None:
    """Why files cannot be put there; a folder that does not exist yet will be made."""
    if not os.path.lexists(folder):
        return None
    found = os.lstat(folder)
    return _unsafe(found) if stat.S_ISDIR(found.st_mode) else "not a folder"
