"""One pty of this machine, and the shell on it: read, write, close.

Rule 1: the exit is learnt from a pidfd, not from EIO: a background job may hold the tty open for ever, and we hold
        a descriptor of the slave ourselves.
Rule 2: after the exit everything still in the pty is read first. A non-blocking read of a master flushes what the
        kernel has on the way, so EAGAIN then means that there is nothing more.
Rule 3: closing ends the whole session: hang-up, then terminate, then kill, each only for those who are still there.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import signal
import struct
import termios
import threading
import warnings
from collections.abc import Iterable
from typing import Final

from truetty.host.base import Ended, Sink
from truetty.host.folder import Folder
from truetty.host.kernel.observer import Observer

# A pty hands out up to 20 kB at once; this never cuts what it has.
CHUNK: Final = 64 * 1024
# Shorter reads mean that the pty is empty for now; asking again would only cost a call.
FULL: Final = 2048
# After this much in one go, let the event loop serve others. No pty holds so much: all of it was printed since.
TURN: Final = 1024 * 1024
# How long programs get to end by themselves at each step of closing.
GRACE: Final = 0.5


class LocalChannel:
    """Owns the master side of one pty and the shell on the other, its private files, and what observes it."""

    def __init__(self, master: int, pid: int, files: Folder, observer: Observer) -> None:
        self._open = False
        self._closing: asyncio.Future[None] | None = None
        self.pid = pid
        self.files = files
        self.tty = observer.tty
        self.process = observer.process
        self.family = observer.family
        self._observer = observer
        self._master = master
        self._pidfd = _pidfd(pid)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sink: Sink | None = None
        self._delivered = 0
        self._looking: asyncio.Handle | None = None  # a look was asked for
        self._unsent = bytearray()
        self._taken: asyncio.Future[None] | None = None
        self._ended: Ended | None = None
        self._gone: asyncio.Event | None = None
        self._open = True

    def __del__(self) -> None:
        """Nobody closed it, and its event loop is gone: hang up, so that the shell ends."""
        if getattr(self, "_open", False):
            warnings.warn(f"terminal with shell {self.pid} was not closed", ResourceWarning, stacklevel=1)
            self._let_go()

    @property
    def sees(self) -> bool:
        return self._observer.look.sees

    @property
    def knows_prompt(self) -> bool:
        return self._observer.look.knows_prompt

    def learn(self) -> bool:
        return self._observer.look.learn()

    # -- reading

    def attach(self, sink: Sink) -> None:
        self._loop = asyncio.get_running_loop()
        self._sink = sink
        self._gone = asyncio.Event()
        self._loop.add_reader(self._master, self._on_readable)
        if self._pidfd is not None:
            self._loop.add_reader(self._pidfd, self._on_gone)
        else:
            threading.Thread(target=self._reap_elsewhere, args=(self._loop,), daemon=True).start()

    def look(self) -> None:
        if self._open and self._looking is None:
            assert self._loop is not None
            self._looking = self._loop.call_soon(self._look)

    def _look(self) -> None:
        self._looking = None
        if not self._open or self._ended is not None:
            return
        assert self._sink is not None
        seen, at = self._observer.look.observe(), self._delivered
        self._deliver(least=1)
        self._sink.on_look(seen, at)

    def _on_readable(self) -> None:
        self._deliver(least=FULL)

    def _deliver(self, least: int) -> None:
        """Read and hand on, until a read brings less than `least`."""
        turn = 0
        while self._open and self._ended is None and turn < TURN:
            data = self._read()
            if data:
                turn += len(data)
                self._delivered += len(data)
                assert self._sink is not None
                self._sink.on_data(data)
            if len(data) < least:
                return

    def _read(self) -> bytes:
        try:
            return os.read(self._master, CHUNK)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            # Every slave is closed; the exit itself is told by the pidfd.
            assert self._loop is not None
            self._loop.remove_reader(self._master)
            return b""

    def _on_gone(self) -> None:
        assert self._pidfd is not None
        result = os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOHANG)
        if result is not None:
            if result.si_code == os.CLD_EXITED:
                self._finish(Ended(code=result.si_status))
            else:
                self._finish(Ended(signal=result.si_status))

    def _reap_elsewhere(self, loop: asyncio.AbstractEventLoop) -> None:
        """Where there are no pidfds (macOS): a thread that does nothing but wait for this one child."""
        _, status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        ended = Ended(code=code) if code >= 0 else Ended(signal=-code)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to be told
            loop.call_soon_threadsafe(self._finish, ended)

    def _finish(self, ended: Ended) -> None:
        assert self._loop is not None and self._sink is not None and self._gone is not None
        if not self._open:
            return
        while data := self._read():
            self._sink.on_data(data)
        self._ended = ended
        self._loop.remove_reader(self._master)
        self._loop.remove_writer(self._master)
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
        self._unsent.clear()
        self._release_writers()
        self._gone.set()
        self._sink.on_end(ended)

    # -- writing

    def write(self, data: bytes) -> None:
        if self._ended is not None or not self._open:
            return
        if not self._unsent:
            data = data[self._write(data) :]
        if data:
            assert self._loop is not None
            if not self._unsent:
                self._loop.add_writer(self._master, self._on_writable)
            self._unsent += data

    def _write(self, data: bytes) -> int:
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return len(data)  # nobody will ever read it

    def _on_writable(self) -> None:
        del self._unsent[: self._write(bytes(self._unsent[:CHUNK]))]
        if not self._unsent:
            assert self._loop is not None
            self._loop.remove_writer(self._master)
            self._release_writers()

    def _release_writers(self) -> None:
        if self._taken is not None and not self._taken.done():
            self._taken.set_result(None)
        self._taken = None

    async def drained(self) -> None:
        if self._unsent:
            if self._taken is None:
                self._taken = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._taken)

    def resize(self, columns: int, rows: int) -> None:
        if self._open:
            set_size(self._master, columns, rows)

    def signal(self, target: int, number: int) -> bool:
        if target in (0, -1):  # our own group; every process there is
            return False
        try:
            os.kill(target, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    # -- closing

    async def close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        try:
            await self._end_everyone()
        finally:
            if self._loop is not None and self._ended is None:
                self._loop.remove_reader(self._master)
                self._loop.remove_writer(self._master)
                if self._pidfd is not None:
                    self._loop.remove_reader(self._pidfd)
            self._let_go()
            self.files.remove()
            if self._ended is None and self._sink is not None:  # it outlives SIGKILL, as in an uninterruptible wait
                self._ended = Ended()
                self._sink.on_end(self._ended)

    async def _end_everyone(self) -> None:
        everyone = self._everyone()
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
            for pid in everyone:
                self.signal(pid, number)
                if number == signal.SIGHUP:
                    self.signal(pid, signal.SIGCONT)
            await self._until_gone(everyone)
            everyone = self._everyone()
            if not everyone and (self._gone is None or self._gone.is_set()):
                break

    def _everyone(self) -> set[int]:
        """Whoever is still there; the shell itself even where nobody can be seen."""
        pids = {process.pid for process in self.family.everyone() or ()} | {self.pid}
        return pids if self._ended is None else pids - {self.pid}

    def _let_go(self) -> None:
        self._open = False
        if self._ended is None and self._pidfd is not None:
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOHANG)
        self._observer.close()
        for descriptor in (self._master, self._pidfd):
            if descriptor is not None:
                os.close(descriptor)

    async def _until_gone(self, pids: Iterable[int]) -> None:
        loop = asyncio.get_running_loop()
        watched: dict[int, asyncio.Future[None]] = {}
        for pid in pids:
            # The shell's own exit is told by `_gone`, unless nobody was attached.
            if (pid != self.pid or self._gone is None) and (descriptor := _pidfd(pid)) is not None:
                watched[descriptor] = loop.create_future()
                loop.add_reader(descriptor, _settle, watched[descriptor])
        waits: list[asyncio.Future[None]] = list(watched.values())
        if self._gone is not None:
            waits.append(asyncio.ensure_future(_set(self._gone)))
        try:
            if waits:
                await asyncio.wait(waits, timeout=GRACE)
        finally:
            for descriptor in watched:
                loop.remove_reader(descriptor)
                os.close(descriptor)
            if self._gone is not None:
                waits[-1].cancel()


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux, gone already, or out of descriptors
        return None


async def _set(event: asyncio.Event) -> None:
    await event.wait()


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def set_size(descriptor: int, columns: int, rows: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
