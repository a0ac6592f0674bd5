"""The event loop that serves the blocking face: one for the process, in one background thread."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Final, Protocol, TypeVar

from truetty.core.errors import Misuse


class Closes(Protocol):
    """What must be closed before the process ends."""

    async def close(self) -> None: ...


T = TypeVar("T")


class Loop:
    """The background thread. A forked child makes its own: threads do not survive a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._owner = 0
        self._open: set[Closes] = set()

    def call(self, work: Coroutine[object, object, T]) -> T:
        running = self._running()
        if threading.current_thread().name == THREAD:
            work.close()
            raise Misuse("truetty.sync cannot be used from its own event loop")
        future = asyncio.run_coroutine_threadsafe(work, running)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def ask(self, question: Callable[[], T]) -> T:
        """Ask where the bytes arrive, so that nothing moves while it is answered."""

        async def answered() -> T:
            return question()

        return self.call(answered())

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._owner != os.getpid():
                self._owner = os.getpid()
                self._open = set()
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name=THREAD, daemon=True).start()
            return self._loop

    def keep(self, owner: Closes) -> None:
        self._open.add(owner)

    def forget(self, owner: Closes) -> None:
        self._open.discard(owner)

    def close_all(self) -> None:
        """At exit: terminals nobody closed are closed, so that no process or file stays."""
        if self._loop is not None and self._owner == os.getpid():
            for owner in list(self._open):
                self.call(owner.close())


THREAD: Final = "truetty.sync"
loop: Final = Loop()
atexit.register(loop.close_all)
