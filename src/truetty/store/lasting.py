"""Bytes that outlive this process: all that a kept terminal prints goes from its pty to a file without passing through
our memory.

Rule 1: at every instant each byte is in the pty, in the pipe, or in the file. The pipe, and a shared word that says
        whose bytes are in it, are held by the keeper too. So a process that is killed loses none, and the next one
        finds what is left in the pipe (`Carrier.finish`).
Rule 2: the word changes only while the pipe is empty.
Rule 3: the file's length is how much was printed. What the disk refuses is a gap: its bytes reach us, and are gone.
        There the file has a hole, which needs no room. That a gap has begun is told before its bytes are gone.
        Of what is beyond the quota the newest bytes are in memory, until this process ends: the screen, and the
        output of the last commands.
        Where the kernel cannot move bytes from a pty to a pipe (Linux 5.10), they are read and written: what a process
        has read and not written when it is killed is lost there.
Rule 4: the secrets of our marks are blanked for readers at once, and in the file when the command has ended: the next
        process reads the marks of a command that runs once more.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import struct
import termios
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Final

from truetty import files
from truetty.core.errors import HostError
from truetty.store.transcript import DEFAULT_MEMORY, Range, Transcript, spans_without

CHUNK: Final = 1 << 16
# In a flood more is taken at once: then one move to the file and one read of it do for many.
MOST_AT_ONCE: Final = 1 << 18
FLOOD: Final = 1 << 11
SPLICE_F_NONBLOCK: Final = 2
FULL: Final = "the disk is full"
# A gap of a file: where it begins, where it ends, and why it is there. None: it has not ended.
GapRecord = tuple[int, int | None, str]
OnGap = Callable[[int, int | None, str], None]
_WORD: Final = struct.Struct("=Q")


class Carrier:
    """The pipe and the word: one for all terminals of this process. It owns the three descriptors."""

    def __init__(self, out: int, into: int, word: int) -> None:
        self._out = out
        self._into = into
        self._word = mmap.mmap(word, _WORD.size)
        self.splices = True  # until a pty shows otherwise
        self._most = min(MOST_AT_ONCE, fcntl.fcntl(into, fcntl.F_GETPIPE_SZ) * 2 // 3)
        os.close(word)

    @property
    def left(self) -> tuple[int, int]:
        """Whose bytes are in the pipe, and how many. After a process was killed, they belong at its file's end."""
        size = struct.unpack("i", fcntl.ioctl(self._out, termios.FIONREAD, b"\0" * 4))[0]
        return _WORD.unpack(self._word[:])[0], size

    def take(self, number: int, master: int) -> int:
        """From the pty into the pipe: how many bytes. Raises as `os.read` does."""
        self._word[:] = _WORD.pack(number)
        size = last = os.splice(master, self._into, CHUNK, flags=SPLICE_F_NONBLOCK)
        try:
            while last >= FLOOD and size < self._most:
                last = os.splice(master, self._into, CHUNK, flags=SPLICE_F_NONBLOCK)
                size += last
        except OSError:  # it is empty, or ended: the next call says so
            pass
        return size

    def move(self, file: int, at: int, size: int) -> int:
        """From the pipe into the file: how many bytes it took."""
        done = 0
        try:
            while done < size:
                done += os.splice(self._out, file, size - done, offset_dst=at + done)
        except OSError:  # the disk is full
            pass
        return done

    def drain(self, size: int) -> bytes:
        """From the pipe into our memory: what the disk did not take."""
        data = b""
        while len(data) < size:
            data += os.read(self._out, size - len(data))
        return data

    def close(self) -> None:
        self._word.close()
        os.close(self._out)
        os.close(self._into)


class LastingFile:
    """What one terminal has printed. `number`: the terminal's own, as the word names it."""

    def __init__(
        self, path: str, number: int, carrier: Carrier, *, quota: int | None = None, on_gap: OnGap = lambda *_: None
    ) -> None:
        self.path = path
        self._on_gap = on_gap
        self.number = number
        self._carrier = carrier
        self._quota = quota
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | files.SAFE, files.PRIVATE)
        self._is_open = True
        self.size = os.fstat(self._fd).st_size
        self.gaps: list[Range] = []
        self.trouble: str | None = None  # why bytes were not kept
        self._newest = bytearray()  # the end of what is beyond the quota
        self.unstored = b""  # bytes at the end that a process before us has left and the disk did not take
        self._missing_from: int | None = None  # nothing is stored from there on

    def take_over(self, gaps: Sequence[GapRecord]) -> None:
        """As a process before us has told them."""
        for start, end, why in gaps:
            self.trouble = why
            if end is None:
                end = self._first_byte(start)
                if end < self.size:
                    self._on_gap(start, end, why)
                else:
                    self._missing_from = start
                    self._on_gap(start, None, why)
            self.gaps.append((start, end))

    def _first_byte(self, start: int) -> int:
        """Where, behind a hole, the first byte is that is none of it; the file's end where there is none."""
        at = start
        with suppress(OSError):  # no data behind it
            at = os.lseek(self._fd, start, os.SEEK_DATA)
            while data := os.pread(self._fd, CHUNK, at):
                if rest := data.lstrip(b"\0"):
                    return at + len(data) - len(rest)
                at = os.lseek(self._fd, at + len(data), os.SEEK_DATA)
        return self.size

    def finish(self) -> None:
        """Take what a process that was killed has left in the pipe for this terminal."""
        number, size = self._carrier.left
        if size and number == self.number:
            at, data = self.size, self._store(size)
            self.unstored = b"" if self._missing_from is None else data[max(0, self._missing_from - at) :]

    def take(self, master: int) -> bytes:
        """What the pty has; stored first. Raises as `os.read` does."""
        if self._carrier.splices:
            try:
                return self._store(self._carrier.take(self.number, master))
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
                self._carrier.splices = False
        return self._write(os.read(master, CHUNK))

    def _write(self, data: bytes) -> bytes:
        at, done = self.size, 0
        room = len(data) if self._quota is None else max(0, min(len(data), self._quota - at))
        with suppress(OSError):  # the disk is full
            while done < room:
                done += os.pwrite(self._fd, data[done:room], at + done)
        self._tell(len(data), done, room)
        self._grow(data, room)
        return data

    def _store(self, size: int) -> bytes:
        at = self.size
        room = size if self._quota is None else max(0, min(size, self._quota - at))
        done = self._carrier.move(self._fd, at, room)
        self._tell(size, done, room)
        data = os.pread(self._fd, done, at)
        if done < size:
            data += self._carrier.drain(size - done)
        self._grow(data, room)
        return data

    def _tell(self, size: int, done: int, room: int) -> None:
        """So many bytes have come, and so many of them are in the file, for which there was `room` in the quota."""
        if done and self._missing_from is not None:
            self._on_gap(self._missing_from, self.size, self.trouble or "")
            self._missing_from = None
        if done < size and self._missing_from is None:
            self.trouble = "quota reached" if done == room else FULL
            self._missing_from = self.size + done
            self.gaps.append((self._missing_from, self._missing_from))
            self._on_gap(self._missing_from, None, self.trouble)

    def _grow(self, data: bytes, room: int) -> None:
        self.size += len(data)
        if self._missing_from is not None:
            self._newest += data[room:]
            if len(self._newest) > DEFAULT_MEMORY:
                del self._newest[: -DEFAULT_MEMORY // 2]
            self.gaps[-1] = (self._missing_from, self.size - len(self._newest))
            with suppress(OSError):  # a file system without holes: the next process has other offsets
                os.ftruncate(self._fd, self.size)

    @property
    def stored(self) -> int:
        """Bytes that are in the file."""
        return self.size - len(self._newest) - sum(end - start for start, end in self.gaps)

    def check_room(self) -> None:
        """Raises OSError where its disk is full."""
        with self._opened() as fd:
            if not os.fstatvfs(fd).f_bavail:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def read(self, start: int, end: int) -> bytes:
        """Of a span without gaps."""
        base = self.size - len(self._newest)
        if self._newest and start >= base:
            return bytes(self._newest[start - base : end - base])
        with self._opened() as fd:
            data = os.pread(fd, end - start, start)
            while len(data) < end - start and (more := os.pread(fd, end - start - len(data), start + len(data))):
                data += more  # one call gives at most 2 GB
        return data

    def blank(self, spans: Iterable[Range]) -> None:
        """Of spans without gaps, each. A full disk may refuse what is written over, too: that stays."""
        base, stored = self.size - len(self._newest), []
        for start, end in spans:
            if self._newest and start >= base:
                self._newest[start - base : end - base] = b"*" * (end - start)
            else:
                stored.append((start, end))
        with suppress(OSError), self._opened() as fd:
            for start, end in stored:
                with suppress(OSError):
                    os.pwrite(fd, b"*" * (end - start), start)

    def close(self) -> None:
        """Hold no descriptor; reading goes on."""
        if self._is_open:
            self._is_open = False
            os.close(self._fd)

    def _opened(self) -> AbstractContextManager[int]:
        """The descriptor; after `close`, one for this moment only."""
        return nullcontext(self._fd) if self._is_open else _reopened(self.path)


@contextmanager
def _reopened(path: str) -> Iterator[int]:
    fd = os.open(path, os.O_RDWR | files.SAFE)
    try:
        yield fd
    finally:
        os.close(fd)


class LastingTranscript(Transcript):
    """All bytes of one terminal, in a file that lasts. `size` is what was handed on of them."""

    def __init__(self, file: LastingFile) -> None:
        super().__init__(memory=0)
        self._file = file
        self._size = 0
        self._blanks: list[Range] = []  # in order

    @property
    def size(self) -> int:
        return self._size

    @property
    def path(self) -> str | None:
        return self._file.path

    @property
    def trouble(self) -> str | None:
        return self._file.trouble

    def skip_to(self, offset: int) -> None:
        """What comes before was handed on by a process before this one."""
        self._size = offset

    def append(self, data: bytes) -> int:
        at = self._size
        self._size += len(data)
        return at

    def blank(self, start: int, end: int) -> None:
        super().blank(start, start)  # what was made of these bytes is not kept
        if start < end:
            self._blanks.append((start, end))

    def settle(self) -> None:
        """The command has ended: no process will need the secrets of its marks."""
        if self._blanks:
            gaps = self._file.gaps
            self._file.blank(span for start, end in self._blanks for span in spans_without(gaps, start, end))
            self._blanks.clear()

    def read(self, offset: int = 0, limit: int | None = None) -> bytes:
        start = max(0, offset)
        end = self._size if limit is None else min(self._size, start + max(0, limit))
        if start >= end:
            return b""
        try:
            return b"".join(self._load(first, last) for first, last in spans_without(self._file.gaps, start, end))
        except OSError as error:
            raise HostError(f"the transcript cannot be read: {error}", reason=str(error)) from error

    def gaps(self, start: int = 0, end: int | None = None) -> tuple[Range, ...]:
        stop = self._size if end is None else end
        inside = ((max(a, start), min(b, stop)) for a, b in self._file.gaps)
        return tuple((a, b) for a, b in inside if a < b)

    def close(self) -> None:
        self.settle()
        self._file.close()

    def _load(self, start: int, end: int) -> bytes:
        data = self._file.read(start, end)
        first = max(0, bisect_left(self._blanks, (start, start)) - 1)
        for blank_start, blank_end in self._blanks[first:]:
            if blank_start >= end:
                break
            a, b = max(blank_start, start) - start, min(blank_end, end) - start
            if a < b:
                data = data[:a] + b"*" * (b - a) + data[b:]
        return data
