"""The event loop that serves the blocking face: one for the process, in one background thread.

Rule 1: whatever belongs to the loop is touched in its thread only: `call` runs a coroutine there, `ask` a function.
Rule 2: a call that can never be answered is refused with `Misuse`: from the loop's own thread, and when Python ends.
Rule 3: a forked child has no copy of the thread; with its first call it starts a loop of its own.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Final, Protocol, TypeVar
from weakref import WeakSet

from truetty.core.errors import Misuse, TruettyError


class Closes(Protocol):
    """What must be closed before the process ends."""

    async def close(self) -> None: ...


T = TypeVar("T")


class Loop:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        # Weak: what no caller holds any more is closed when it is collected.
        self._open: WeakSet[Closes] = WeakSet()
        # Loops of the processes that this one was forked from. Closing one here would take descriptors from its owner.
        self._inherited: list[asyncio.AbstractEventLoop] = []
        os.register_at_fork(after_in_child=self._start_over)

    def call(self, start: Callable[[], Awaitable[T]]) -> T:
        """Start work in the loop and wait for its end. Ctrl-C in the caller's thread cancels it."""
        future = self._submit(start, self._running())
        try:
            return future.result()
        except TruettyError as error:  # the frames of the loop's thread say nothing to the caller
            raise error.with_traceback(None) from error.__cause__
        except BaseException:
            future.cancel()
            raise

    def ask(self, question: Callable[[], T]) -> T:
        """Call a function in the loop's thread: no byte arrives while it runs."""

        async def answer() -> T:
            return question()

        return self.call(answer)

    def post(self, start: Callable[[], Awaitable[None]]) -> None:
        """Start work in the loop and do not wait for it. Any thread may; when Python ends, nothing is started."""
        if self._loop is not None and not sys.is_finalizing():
            self._submit(start, self._loop)

    def _submit(self, start: Callable[[], Awaitable[T]], loop: asyncio.AbstractEventLoop) -> Future[T]:
        async def work() -> T:
            return await start()

        return asyncio.run_coroutine_threadsafe(work(), loop)

    def keep(self, owner: Closes) -> None:
        """Close it when the process ends, unless `forget` was called before."""
        self._open.add(owner)

    def forget(self, owner: Closes) -> None:
        self._open.discard(owner)

    def close_all(self) -> None:
        """At exit: no process and no file stays behind what was never closed."""
        for owner in list(self._open):
            self.call(owner.close)

    def _running(self) -> asyncio.AbstractEventLoop:
        if sys.is_finalizing():
            raise Misuse("truetty.sync cannot be used when Python is ending: its thread has stopped")
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=[self._loop], name="truetty.sync", daemon=True)
                self._thread.start()
            if threading.current_thread() is self._thread:
                raise Misuse("truetty.sync cannot be used from its own event loop: the call would wait for itself")
            return self._loop

    def _start_over(self) -> None:
        """In a forked child. Another thread may have held the lock at the moment of the fork."""
        self._lock = threading.Lock()
        self._open = WeakSet()
        if self._loop is not None:
            self._inherited.append(self._loop)
        self._loop = self._thread = None


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """A `sys.exit()` in a callback leaves `run_forever`. Every other terminal still needs the loop."""
    while True:
        with contextlib.suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()


loop: Final = Loop()
atexit.register(loop.close_all)
