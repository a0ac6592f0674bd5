"""Our end of the tunnel to one host: sockets on this machine that lead to the server of a node.

Rule 1: one call brings what callers have asked since the last one (`send`), and one is always waiting for answers
        (`receive`). Each is made again when it has come back, so bytes keep their order and nothing is sent twice.
Rule 2: `receive` comes back every second. A host that has not answered for three of these beats is lost, as is one of
        which Ray says that it has died, and one that says itself that it has ended.
Rule 3: a host that is lost stays lost. Its connections end, and no other is made.
Rule 4: all this runs in a thread of its own: a program may block its own event loop for an answer (`Link.ask`).
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Final

from truetty.client.dial import Address
from truetty.core.errors import ChannelLost, TruettyError
from truetty.ray.host import BEAT, MISSES, Parcel
from truetty.ray.lines import Lines

LONGEST: Final = 400  # characters of what Ray says
OnLoss = Callable[[str, bool], None]  # why; whether what runs there may go on for a while


class Pump:
    """A thread with an event loop."""

    def __init__(self) -> None:
        self.loop: Final = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="truetty ray", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.loop.run_forever()
        self.loop.close()

    async def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """In that thread; the caller's event loop goes on."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self.loop))

    async def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        await asyncio.to_thread(self._thread.join)


class Tunnel(Address):
    """`on_loss` is called once, in the pump's thread."""

    def __init__(self, where: str, actor: Any, life: str, pump: Pump, on_loss: OnLoss) -> None:
        super().__init__(where)
        self._actor = actor
        self._life = life
        self._pump = pump
        self._on_loss = on_loss
        self._loss: str | None = None
        self._numbers = itertools.count(1)
        self._lines: Lines | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        """In the pump's thread."""
        self._lines = Lines()
        self._tasks = [asyncio.ensure_future(self._send()), asyncio.ensure_future(self._receive())]

    async def end(self) -> None:
        """In the pump's thread: no loss is told any more."""
        self._close("the cluster was closed")

    def dial(self, *, start: bool = True) -> socket.socket:
        if self._loss is not None:
            raise ChannelLost(f"{self.where} is lost: {self._loss}. Nothing was sent.", reason=self._loss)
        ours, theirs = socket.socketpair()
        self._pump.loop.call_soon_threadsafe(self._add, theirs)
        return ours

    def _add(self, theirs: socket.socket) -> None:
        if self._loss is not None or self._lines is None:
            theirs.close()
        else:
            self._lines.add(next(self._numbers), theirs)

    async def _send(self) -> None:
        assert self._lines is not None
        while True:
            batch = await self._lines.take()
            try:
                await answer(self._actor.send.remote(self._life, batch))
            except Exception as error:  # of Ray: whatever it is, it is not known what has arrived
                self._lose(described(error))
                return

    async def _receive(self) -> None:
        assert self._lines is not None
        while True:
            try:
                received = answer(self._actor.receive.remote(self._life))
                for _ in range(MISSES):
                    if (await asyncio.wait([received], timeout=BEAT))[0]:
                        break
                else:
                    self._lose(f"it has not answered for {MISSES * BEAT:.0f} s", may_go_on=True)
                    return
                parcel: Parcel = received.result()
            except Exception as error:
                self._lose(described(error))
                return
            self._lines.put(parcel.batch)
            if parcel.end is not None:
                self._lose(parcel.end)
                return

    def _lose(self, why: str, *, may_go_on: bool = False) -> None:
        if self._loss is None:
            self._loss = why
            self._on_loss(why, may_go_on)  # before the connections end: a caller that is cut knows then
            self._close(why)

    def _close(self, why: str) -> None:
        self._loss = self._loss or why
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()
        if self._lines is not None:
            self._lines.close()


def answer(reference: Any) -> asyncio.Future[Any]:
    """Of a call by Ray. It may come when its caller is gone: then it is dropped."""
    found: asyncio.Future[Any] = asyncio.wrap_future(reference.future())
    found.add_done_callback(lambda one: one.cancelled() or one.exception())
    return found


def described(error: BaseException) -> str:
    """In a line: Ray wraps errors of ours, and its own messages have paragraphs."""
    for one in (error, getattr(error, "cause", None)):
        if isinstance(one, TruettyError):
            return str(one)
    lines = [line.strip() for line in str(error).partition("Some common causes")[0].splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1] if lines else ''}"[:LONGEST]
