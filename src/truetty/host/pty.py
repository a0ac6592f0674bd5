"""One pty of this machine, and the shell on it: read, write, close.

Rule 1: after the shell's exit everything still in the pty is read first. A non-blocking read of a master flushes what
        the kernel has on the way, so EAGAIN then means that there is nothing more.
Rule 2: closing ends every process of the terminal before it returns. Terminals that close at the same time share one
        look at all processes. With `keep_jobs` it ends the shell alone.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import struct
import termios
import warnings
from typing import Final

from truetty.host.base import Ended, Sink
from truetty.host.census import identify, members
from truetty.host.child import send_signal
from truetty.host.folder import Folder
from truetty.host.hold import Hold
from truetty.host.kernel.observer import Observer
from truetty.host.kernel.tty import open_slave
from truetty.host.outbox import Outbox

# Shorter reads mean that the pty is empty for now; asking again would only cost a call.
FULL_READ: Final = 2048
# After this much in one go (10 to 30 ms) let the event loop serve others. No pty holds so much: all of it was printed
# since.
MOST_AT_ONCE: Final = 128 * 1024


class LocalChannel:
    """Owns the master side of one pty and the shell on the other, its private files, and what observes it.

    `supervisor`: our own child, where it is not the shell but what has started it. `hold`: what holds the pty too.
    `delivered`: bytes that a process before this one has read of it.
    """

    def __init__(
        self,
        master: int,
        pid: int,
        files: Folder,
        observer: Observer,
        supervisor: int | None = None,
        hold: Hold | None = None,
        delivered: int = 0,
    ) -> None:
        self._open = False
        self._closing: asyncio.Future[None] | None = None
        self.pid = pid
        self.files = files
        self.tty = observer.tty
        self.process = observer.process
        self.family = observer.family
        self._observer = observer
        self._master = master
        self._hold = hold or Hold()
        self._child = self._hold.child(pid, supervisor)
        self._pty = identify(master, pid, supervisor)
        self._hold.put(self._pty, master)
        self._outbox = Outbox(master)
        self._slave: int | None = None  # once no other process had the other side open
        self._sink: Sink | None = None
        self._delivered = delivered
        self._next_look: asyncio.Handle | None = None
        self._open = True

    def __del__(self) -> None:
        """It was never closed, and its event loop is gone: hang up, so that the shell ends."""
        if getattr(self, "_open", False) and not self._hold.outlives_us:
            warnings.warn(f"terminal with shell {self.pid} was not closed", ResourceWarning, stacklevel=1)
            self._let_go()
            self.files.remove()

    @property
    def sees(self) -> bool:
        return self._observer.look.sees

    @property
    def knows_prompt(self) -> bool:
        return self._observer.look.knows_prompt

    def learn(self) -> bool:
        learned = self._observer.look.learn()
        if learned and self._sink is not None:
            self._deliver(least=1)
        return learned

    def learn_hook(self, place: object) -> None:
        self._observer.look.learn_hook(place)

    # -- reading

    def attach(self, sink: Sink) -> None:
        self._sink = sink
        asyncio.get_running_loop().add_reader(self._master, self._deliver, FULL_READ)
        self._child.watch(self._on_exit)

    def look(self) -> None:
        if self._open and self._next_look is None:
            self._next_look = asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        self._next_look = None
        if not self._open or self._child.ended is not None:
            return
        assert self._sink is not None
        seen, at = self._observer.look.observe(), self._delivered
        self._deliver(least=1)
        self._sink.on_look(seen, at)

    def _deliver(self, least: int) -> None:
        """Read and hand on, until a read brings less than `least`."""
        count = 0
        while self._open and self._child.ended is None and count < MOST_AT_ONCE:
            data = self._read()
            if data:
                count += len(data)
                self._delivered += len(data)
                assert self._sink is not None
                self._sink.on_data(data)
            if len(data) < least:
                return

    def _read(self) -> bytes:
        try:
            return self._hold.read(self._master)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            # Every slave is closed. While we hold one, the pty is quiet until others open it. The pidfd tells the exit.
            if self._slave is None:
                self._slave = open_slave(self._master)
            if self._slave is None:
                asyncio.get_running_loop().remove_reader(self._master)
            return b""

    def _on_exit(self, ended: Ended) -> None:
        if not self._open:
            return
        assert self._sink is not None
        while data := self._read():
            self._sink.on_data(data)
        self._child.end(ended)
        self._observer.forget()
        self._stop_delivery()
        self._sink.on_end(ended)

    def _stop_delivery(self) -> None:
        asyncio.get_running_loop().remove_reader(self._master)
        self._child.unwatch()
        self._outbox.drop()

    # -- writing

    def write(self, data: bytes) -> None:
        if self._open and self._child.ended is None:
            self._outbox.write(data)

    async def drained(self) -> None:
        await self._outbox.drained()

    def resize(self, columns: int, rows: int) -> None:
        if self._open:
            set_size(self._master, columns, rows)

    def signal(self, target: int, number: int) -> bool:
        return send_signal(target, number)

    # -- closing

    async def close(self, *, keep_jobs: bool = False) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close(keep_jobs))
        await asyncio.shield(self._closing)

    async def _close(self, keep_jobs: bool) -> None:
        try:
            if keep_jobs:
                await self._child.kill_alone()
                self._stop_delivery()  # first, since reads block from here on
                await asyncio.to_thread(hold_open, self._master)
            else:
                await self._child.kill(lambda: members(self._pty))
        finally:
            self._stop_delivery()
            self._let_go()
            self.files.remove()
            # It outlives SIGKILL, as in an uninterruptible wait.
            if self._child.ended is None and self._sink is not None:
                self._child.end(Ended())
                self._sink.on_end(Ended())

    def _let_go(self) -> None:
        self._open = False
        self._hold.drop(self._pty)
        self._child.close()
        self._observer.close()
        os.close(self._master)
        if self._slave is not None:
            os.close(self._slave)


def hold_open(master: int) -> None:
    """Start a process that reads the pty until no program has it open any more, and ends then.

    Without a reader, a program that prints would stand still once the pty is full; without an open master it would get
    EIO. The process is `cat`, in a session of its own: what ends our terminal does not end it. A shell starts it in the
    background, so that it is no child of ours.
    """
    actions = [
        (os.POSIX_SPAWN_DUP2, master, 0),
        *((os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_WRONLY, 0) for descriptor in (1, 2)),
    ]
    os.set_blocking(master, True)  # for both of us: we read no more
    argv = ["sh", "-c", "exec 3<&0; cat <&3 &"]
    os.waitpid(os.posix_spawn("/bin/sh", argv, os.environ, file_actions=actions, setsid=True), 0)


def set_size(descriptor: int, columns: int, rows: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
