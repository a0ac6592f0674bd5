"""All bytes of one terminal, by absolute offset: the newest in memory, the older in a private file.

Rule 1: an offset, once given, means the same byte for ever; blanking changes a byte, never its place.
Rule 2: appending never fails. What the disk refuses becomes a gap; the next piece is tried anew.
Rule 3: a gap yields nothing when read. Limits are spans of offsets: page on by `offset + limit`.
Rule 4: the file lies where its bytes' offsets say (position = offset, a gap is a hole), 0600, in a
        folder that is ours alone, opened without following links, and is gone with the transcript.
Rule 5: one thread owns a transcript.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
import tempfile
import weakref
from collections.abc import Iterator
from typing import Final, Protocol

from truetty.core.errors import HostError, Misuse

DEFAULT_MEMORY: Final = 1 << 20  # a terminal may cost 2 MB in all, and a growing bytearray has an eighth of slack
DEFAULT_QUOTA: Final = 1 << 30  # a runaway `yes` reaches it in ten seconds; a log that anybody reads does not
DEFAULT_TOTAL: Final = 8 << 30  # all terminals of this process together

# These say that stored bytes are gone. Anything else (out of descriptors) may be over at the next try.
_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EIO, errno.ESTALE})
_SAFE: Final = os.O_NOFOLLOW | os.O_CLOEXEC

Span = tuple[int, int]


class Store(Protocol):
    """Where bytes go that memory has no room for. A file that others fill first (by splice) `holds` them already."""

    @property
    def path(self) -> str | None: ...
    @property
    def holds(self) -> int: ...  # no byte at or after this offset is in the store
    @property
    def trouble(self) -> str | None: ...  # why the last write fell short; None when it did not
    def write(self, at: int, data: memoryview) -> int: ...  # how many, from the front, were kept; never raises OSError
    def blank(self, start: int, end: int) -> bool: ...  # bytes kept before become stars; never raises OSError
    def read(self, at: int, size: int) -> bytes: ...  # fewer when the file has shrunk; raises OSError
    def intact(self) -> bool: ...  # whether bytes kept before can still be reached
    def close(self) -> None: ...  # hold no descriptor; reading goes on
    def discard(self) -> None: ...  # leave nothing behind


class Allowance:
    """How many bytes may lie on disk: of one store, or of several together."""

    def __init__(self, limit: int | None) -> None:
        self.limit = sys.maxsize if limit is None else limit
        self.used = 0

    @property
    def left(self) -> int:
        return max(0, self.limit - self.used)


TOTAL: Final = Allowance(DEFAULT_TOTAL)


class Spill:
    """A private file, made when the first byte comes."""

    def __init__(self, folder: str | None = None, quota: int | None = DEFAULT_QUOTA, total: Allowance = TOTAL) -> None:
        self._given = folder
        self._own = Allowance(quota)
        self._total = total
        self._maker = os.getpid()  # a forked child that exits must not remove its parent's file
        self._fd = -1
        self._file: str | None = None
        self._made: str | None = None  # the private folder, where none was given
        self._left: tuple[int, ...] = ()  # how the file looked when its descriptor was closed
        self.holds = 0
        self.trouble: str | None = None

    @property
    def path(self) -> str | None:
        self._rescue()
        return self._file if self._in_place() else None

    def write(self, at: int, data: memoryview) -> int:
        most = min(len(data), self._own.left, self._total.left)
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
        try:
            with self._opened() as fd:
                return os.pwrite(fd, b"*" * (end - start), start) == end - start
        except OSError as error:
            self.trouble = os.strerror(error.errno or 0)
            return False

    def read(self, at: int, size: int) -> bytes:
        with self._opened() as fd:
            data = os.pread(fd, size, at)
            while len(data) < size and (more := os.pread(fd, size - len(data), at + len(data))):
                data += more  # one call gives at most 2 GB
        return data

    def intact(self) -> bool:
        return self._fd >= 0 or self._file is None or self._in_place()

    def close(self) -> None:
        self._rescue()
        self._release()

    def discard(self) -> None:
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
        fd = os.open(self._file, os.O_RDWR | _SAFE)
        try:
            if _look(os.fstat(fd)) != self._left:
                raise FileNotFoundError(errno.ENOENT, "another file is in its place")
            try:
                yield fd
            finally:
                self._left = _look(os.fstat(fd))
        finally:
            os.close(fd)

    def _in_place(self) -> bool:
        """Whether the file at our path is ours; an inode's number alone proves nothing once it can be used again."""
        try:
            here = () if self._file is None else _look(os.lstat(self._file))
        except OSError:
            return False
        return here != () and here == (self._left if self._fd < 0 else _look(os.fstat(self._fd)))

    def _create(self) -> int:
        """Make the file, and the folder where it is missing."""
        folder = self._given or self._made
        if folder is None or (self._given is None and not os.path.isdir(folder)):
            folder = self._made = tempfile.mkdtemp(prefix="truetty-", dir=_roomy())
        elif not os.path.lexists(folder):
            os.mkdir(folder, 0o700)
        name = secrets.token_hex(8)
        directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _SAFE)
        try:
            if (why := _unsafe(os.fstat(directory))) is not None:
                raise PermissionError(errno.EPERM, why)
            fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _SAFE, 0o600, dir_fd=directory)
        finally:
            os.close(directory)
        os.fchmod(fd, 0o600)  # a umask may have taken our own bits, and the file will be opened again
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
            self._left = _look(os.fstat(self._fd))
            with contextlib.suppress(OSError):  # NFS tells of a full disk here, and the descriptor is gone all the same
                os.close(self._fd)
            self._fd = -1

    def _remove(self) -> None:
        if self._file is not None and self._in_place():
            with contextlib.suppress(OSError):
                os.unlink(self._file)
        if self._made is not None:
            with contextlib.suppress(OSError):
                os.rmdir(self._made)


class Transcript:
    """All bytes of one terminal."""

    def __init__(
        self,
        *,
        memory: int = DEFAULT_MEMORY,
        folder: str | None = None,
        quota: int | None = DEFAULT_QUOTA,
        total: Allowance = TOTAL,
        store: Store | None = None,
    ) -> None:
        if memory < 0 or (quota is not None and quota < 0):
            raise Misuse("memory and quota cannot be negative", memory=memory, quota=quota)
        if folder is not None and (why := _refused(folder)) is not None:
            raise Misuse(f"{folder}: {why}", folder=folder, reason=why)
        self._memory = memory
        self._recent = bytearray()
        self._base = 0  # the offset of the first byte in memory
        self._gaps: list[Span] = []
        self._store: Store = Spill(folder, quota, total) if store is None else store
        self._finalize = weakref.finalize(self, self._store.discard)

    @property
    def size(self) -> int:
        """Bytes ever appended."""
        return self._base + len(self._recent)

    @property
    def path(self) -> str | None:
        """The file, with what is in memory written to it as well; None while everything is in memory."""
        if self._store.holds:
            self._write(len(self._recent))
        return self._store.path

    @property
    def trouble(self) -> str | None:
        """Why the disk did not take what it was last given; None when it did."""
        return self._store.trouble

    def append(self, data: bytes) -> int:
        """Keep bytes; return the offset of the first."""
        recent = self._recent
        at = self._base + len(recent)
        recent += data
        if len(recent) > self._memory:
            self._spill()
        return at

    def blank(self, start: int, end: int) -> None:
        """Overwrite by stars, wherever the bytes lie."""
        start, end = max(0, start), min(end, self.size)
        if start >= end:
            return
        if start < self._store.holds:
            for first, last in self._kept(start, min(end, self._store.holds)):
                if not self._store.blank(first, last):
                    self._lose(first, last)  # better no byte than a secret
        if end > self._base:
            first = max(start, self._base)
            self._recent[first - self._base : end - self._base] = b"*" * (end - first)

    def read(self, offset: int = 0, limit: int | None = None) -> bytes:
        """The bytes in [offset, offset + limit), those in a gap left out."""
        start, size = max(0, offset), self.size
        end = size if limit is None else min(size, start + max(0, limit))
        if start >= end:
            return b""
        base = self._base
        if start >= base and not self._gaps:
            with memoryview(self._recent) as view:
                return bytes(view[start - base : end - base])
        return b"".join([self._load(first, last) for first, last in self._kept(start, end)])

    def chunks(self, start: int, end: int, step: int = 1 << 18) -> Iterator[bytes]:
        """The same in pieces of at most `step`; the transcript may grow meanwhile."""
        for at in range(max(0, start), min(end, self.size), step):
            if data := self.read(at, min(step, end - at)):
                yield data

    def gaps(self, start: int = 0, end: int | None = None) -> tuple[Span, ...]:
        """What could not be kept, as spans of offsets."""
        stop = self.size if end is None else end
        if start < self._base and not self._store.intact():
            self._lose(0, self._base)
        if not self._gaps:
            return ()
        return tuple((max(a, start), min(b, stop)) for a, b in self._gaps if a < stop and b > start)

    def close(self) -> None:
        """Hold no descriptor any more. Reading goes on; the file goes when nobody has the transcript."""
        if self._store.holds:
            self._write(len(self._recent))
        self._store.close()
        self.gaps()  # what went with the descriptor is known from now on

    def _spill(self) -> None:
        """Move the older half out of memory."""
        base, cut = self._base, len(self._recent) - self._memory // 2
        reached = self._write(cut)
        del self._recent[:cut]
        self._base = base + cut
        if reached < self._base:
            self._lose(reached, self._base)

    def _write(self, cut: int) -> int:
        """Offer the first `cut` bytes in memory to the store; return the offset up to which it has them."""
        known, end = max(self._store.holds, self._base), self._base + cut
        if known >= end:
            return end
        with memoryview(self._recent) as view, view[known - self._base : cut] as part:
            return known + self._store.write(known, part)

    def _load(self, start: int, end: int) -> bytes:
        """Bytes of a span without gaps, from disk and memory."""
        base = self._base
        split = min(max(start, base), end)
        old = b""
        if start < split:
            try:
                old = self._store.read(start, split - start)
            except OSError as error:
                if error.errno not in _GONE:
                    raise HostError(f"the transcript cannot be read: {error}", reason=str(error)) from error
            if len(old) < split - start:
                self._lose(start + len(old), split)
        if split == end:
            return old
        with memoryview(self._recent) as view:
            return old + bytes(view[split - base : end - base])

    def _kept(self, start: int, end: int) -> list[Span]:
        """[start, end) without its gaps."""
        spans: list[Span] = []
        for first, last in self._gaps:
            if last <= start:
                continue
            if first >= end:
                break
            if first > start:
                spans.append((start, first))
            start = last
        if start < end:
            spans.append((start, end))
        return spans

    def _lose(self, start: int, end: int) -> None:
        gaps = self._gaps
        if gaps and gaps[-1][1] == start:  # a flood onto a full disk
            gaps[-1] = (gaps[-1][0], end)
            return
        apart = [gap for gap in gaps if gap[1] < start or gap[0] > end]
        touching = [gap for gap in gaps if gap[1] >= start and gap[0] <= end]
        whole = (min([start, *(first for first, _ in touching)]), max([end, *(last for _, last in touching)]))
        self._gaps = sorted([*apart, whole])


def _roomy() -> str:
    """Where large temporary files belong: /tmp is often memory."""
    if not os.environ.get("TMPDIR") and os.path.isdir("/var/tmp") and os.access("/var/tmp", os.W_OK | os.X_OK):
        return "/var/tmp"
    return tempfile.gettempdir()


def _look(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


def _unsafe(found: os.stat_result) -> str | None:
    if found.st_uid != os.geteuid():
        return "not our own folder"
    if found.st_mode & 0o022:
        return "a folder that others may write to"
    return None


def _refused(folder: str) -> str | None:
    """Why files cannot be put there; a folder that does not exist yet will be made."""
    if not os.path.lexists(folder):
        return None
    found = os.lstat(folder)
    return _unsafe(found) if stat.S_ISDIR(found.st_mode) else "not a folder"
