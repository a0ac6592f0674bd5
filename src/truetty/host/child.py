"""The shell as a child of ours: how it ends, and how it is made to end with every process of its terminal.

Rule 1: the exit is learnt from a pidfd, not from EIO: a background job may hold the tty open for ever, and we hold
        a descriptor of the slave ourselves.
Rule 2: a child that is to end gets a hang-up, then SIGTERM, then SIGKILL. Each goes to the processes that still live.
        SIGKILL goes twice: what was started while the first was sent is found by the next look.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from truetty.host.base import Ended

# How long programs get to end by themselves at each step.
GRACE: Final = 0.5
# How long the kernel gets to end them. Only what hangs in an uninterruptible wait takes so long.
KILL_LIMIT: Final = 5.0

_STEPS: Final = (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL, signal.SIGKILL)

OnExit = Callable[[Ended], None]
Members = Callable[[], Awaitable[set[int]]]


class Child:
    """`supervises`: the shell is not the child itself but what the child has started, and the child ends with it. So it
    is signalled last."""

    def __init__(self, pid: int, *, supervises: bool = False) -> None:
        self.pid = pid
        self._supervises = supervises
        self.ended: Ended | None = None
        self._pidfd = _pidfd(pid)
        self._gone: asyncio.Future[None] | None = None  # done when `ended` is set; None: not watched

    def watch(self, on_exit: OnExit) -> None:
        loop = asyncio.get_running_loop()
        self._gone = loop.create_future()
        if self._pidfd is not None:
            loop.add_reader(self._pidfd, self._on_exit, self._pidfd, on_exit)
        else:
            threading.Thread(target=self._wait_in_thread, args=(loop, on_exit), daemon=True).start()

    def end(self, ended: Ended) -> None:
        """It counts as ended: all that it has printed was read."""
        self.ended = ended
        if self._gone is not None:
            _settle(self._gone)

    def unwatch(self) -> None:
        if self._pidfd is not None:
            asyncio.get_running_loop().remove_reader(self._pidfd)

    def close(self) -> None:
        if self._pidfd is not None:
            if self.ended is None:
                with contextlib.suppress(ChildProcessError):
                    os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOHANG)
            os.close(self._pidfd)

    async def kill(self, members: Members) -> None:
        """With every process of its terminal: `members` returns those that live now, as far as they can be seen."""
        everyone = await self._everyone(members)
        for step, number in enumerate(_STEPS, 1):
            for pid in everyone:
                if pid == self.pid and self._supervises and step < len(_STEPS):
                    continue
                send_signal(pid, number)
                if number == signal.SIGHUP:
                    send_signal(pid, signal.SIGCONT)
            await self._until_gone(everyone, KILL_LIMIT if number == signal.SIGKILL else GRACE)
            before, everyone = everyone, await self._everyone(members)
            if not everyone and (self._gone is None or self._gone.done()):
                break
            if number == signal.SIGKILL and everyone <= before:
                break  # an uninterruptible wait: it ends when that does

    async def kill_alone(self) -> None:
        """Without what it has started: SIGKILL, since a shell passes SIGHUP and SIGTERM on to its jobs."""
        if self.ended is None:
            send_signal(self.pid, signal.SIGKILL)
            await self._until_gone({self.pid}, KILL_LIMIT)

    async def _everyone(self, members: Members) -> set[int]:
        """All that are still there; the child itself even where no process can be seen."""
        pids = await members() | {self.pid}
        return pids if self.ended is None else pids - {self.pid}

    async def _until_gone(self, pids: Iterable[int], limit: float) -> None:
        loop = asyncio.get_running_loop()
        watched: dict[int, asyncio.Future[None]] = {}
        for pid in pids:
            # The child's own exit is known by `_gone`, if it is watched.
            if (pid != self.pid or self._gone is None) and (descriptor := _pidfd(pid)) is not None:
                watched[descriptor] = loop.create_future()
                loop.add_reader(descriptor, _settle, watched[descriptor])
        waits = [*watched.values(), *([] if self._gone is None else [self._gone])]
        try:
            if waits:
                await asyncio.wait(waits, timeout=limit)
        finally:
            for descriptor in watched:
                loop.remove_reader(descriptor)
                os.close(descriptor)

    def _on_exit(self, pidfd: int, on_exit: OnExit) -> None:
        result = os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if result is not None:
            exited = result.si_code == os.CLD_EXITED
            on_exit(Ended(code=result.si_status) if exited else Ended(signal=result.si_status))
            # Only now: if this process is killed before its listeners have kept the end, the next parent is told.
            os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOHANG)

    def _wait_in_thread(self, loop: asyncio.AbstractEventLoop, on_exit: OnExit) -> None:
        """Where there are no pidfds (macOS): a thread that does nothing but wait for this one child."""
        _, status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        ended = Ended(code=code) if code >= 0 else Ended(signal=-code)
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(on_exit, ended)


def send_signal(target: int, number: int) -> bool:
    """To a process, or to a group if `target` is negative. False if it is gone."""
    if target in (0, -1):  # our own group; every process there is
        return False
    try:
        os.kill(target, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux, gone already, or out of descriptors
        return None


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
