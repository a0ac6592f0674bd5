"""/v1/connect: one WebSocket on which a client makes numbered calls, and hears what happens.

    client → {"id": 7, "do": "run", "command": "make", "key": "…"}       a call: a verb of the table, with its fields
             {"id": 1, "do": "listen", "since": 812, "epoch": "…"}       from now on events come too
             {"id": 8, "do": "cancel", "call": 7}                        call 7 needs no answer any more
    server → {"hello": {…}}                                              first
             {"id": 7, "ok": {…}}  or  {"id": 7, "error": {"code", "message", "facts"}}
             {"id": 9, "part": {…}}                                      of a stream, before its "ok"
             {"event": {…}}                                              of one that listens
             [{"event": {…}}, {"id": 7, "ok": {…}}]                      several of these at once, in their order

Rule 1: answers come in any order. An event that a call has caused comes before the call's answer. An event alone may be
        held back for some milliseconds: a command that ends by then is one message and not three.
Rule 2: a client that does not read its answers has no further calls read. Nothing is queued for it but these answers.
Rule 3: when the client goes, calls without a retry key are cancelled. What runs in its terminals goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from truetty.core.errors import LimitReached, Misuse
from truetty.server import fields, limits
from truetty.server.dispatch import Dispatch, find
from truetty.server.events import Events, Listener, encoded
from truetty.server.forms import Hello
from truetty.server.refusals import refusal
from truetty.server.rights import OWNER, Credential
from truetty.server.shapes import plain
from truetty.server.verbs import BY_NAME
from truetty.server.wire.turns import Turn, Turns

LOG: Final = logging.getLogger("truetty.server")


class ConnectionCaller:
    """One call of a connection."""

    longest_wait = None

    def __init__(self, connection: Connection, turn: Turn) -> None:
        self.name = connection.client
        self.credential = connection.credential
        self._connection = connection
        self._turn = turn

    def token(self, caller: str | None) -> object:
        return self._connection.token(caller)

    def rest(self) -> AbstractAsyncContextManager[None]:
        return self._turn.rest()


class Connection:
    def __init__(
        self,
        websocket: WebSocket,
        dispatch: Dispatch,
        events: Events,
        hello: Hello,
        in_all: asyncio.Semaphore,
        client: str | None,
        credential: Credential = OWNER,
    ) -> None:
        self.client: Final = client
        self.credential: Final = credential
        self._socket = websocket
        self._dispatch = dispatch
        self._events = events
        self._hello = hello
        self._turns = Turns(in_all)
        self._calls: dict[int, asyncio.Task[None]] = {}
        self._tokens: dict[str | None, asyncio.Task[bool]] = {}
        self._gone = asyncio.Event()
        self._listener: Listener | None = None
        self._wake = asyncio.Event()  # there is something to send
        self._delay: asyncio.TimerHandle | None = None  # events are held back until then
        self._frames: deque[tuple[str, Callable[[], None]]] = deque()  # each with what is called when it was sent

    def token(self, caller: str | None) -> object:
        """A task that ends with the connection: the registry sees by that that the caller is over."""
        if caller not in self._tokens:
            if len(self._tokens) >= limits.MOST_CALLERS:
                message = "a connection has named too many callers"
                raise LimitReached(message, limit="callers", value=limits.MOST_CALLERS)
            self._tokens[caller] = asyncio.ensure_future(self._gone.wait())
        return self._tokens[caller]

    async def serve(self) -> None:
        sending = asyncio.ensure_future(self._send_all())
        reading = asyncio.ensure_future(self._read_all())
        try:
            await asyncio.wait({sending, reading}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await self._end(sending, reading)

    async def _end(self, *tasks: asyncio.Task[None]) -> None:
        self._gone.set()
        if self._listener is not None:
            self._listener.close()
        self._end_delay()
        left = {*tasks, *self._calls.values(), *self._tokens.values()}
        for task in left:
            task.cancel()
        await asyncio.wait(left)
        for _, on_sent in self._frames:  # nobody reads them
            on_sent()
        for task in tasks:
            if not task.cancelled() and (error := task.exception()) is not None:
                LOG.error("a connection has failed", exc_info=error)

    # -- reading

    async def _read_all(self) -> None:
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                turn = await self._turns.next()
                try:
                    text = await self._socket.receive_text()
                except BaseException:
                    turn.end()
                    raise
                self._take(text, turn)

    def _take(self, text: str, turn: Turn) -> None:
        try:
            call = _read(text)
            id = call.get("id")
            if isinstance(id, bool) or not isinstance(id, int) or id < 0:
                raise Misuse("a call has an id: a whole number, 0 or more. Nothing was done.")
            if id in self._calls:
                raise Misuse(f"call {id} is still under way: take another number. Nothing was done.", call=id)
        except Exception as error:
            self._refuse(None, error, turn)
        else:
            self._start(id, call, turn)

    def _start(self, id: int, call: dict[str, Any], turn: Turn) -> None:
        """Its turn ends when its answer was sent."""
        task = self._calls[id] = asyncio.ensure_future(self._carry_out(id, call, turn))

        def over(done: asyncio.Task[None]) -> None:
            del self._calls[id]
            if done.cancelled() or done.exception() is not None:  # it has no answer
                turn.end()

        task.add_done_callback(over)

    # -- carrying out

    async def _carry_out(self, id: int, call: dict[str, Any], turn: Turn) -> None:
        await turn.begin()
        try:
            match call.get("do"):
                case "listen":
                    found: Any = self._listen(call)
                case "cancel":
                    found = self._cancel(call)
                case name:
                    verb = find(name)
                    found = await self._dispatch.call(verb, call, ConnectionCaller(self, turn), call.get("key"))
                    if verb.stream:
                        async with turn.rest():
                            async for part in found:
                                await self._put_part({"id": id, "part": plain(part)})
                        found = {}
            self._put({"id": id, "ok": plain(found)}, turn.end)
        except Exception as error:
            self._refuse(id, error, turn)

    def _refuse(self, id: int | None, error: Exception, turn: Turn) -> None:
        found = refusal(error)
        if not hasattr(error, "facts"):
            LOG.error("a call has failed", exc_info=error)
        self._put({"id": id, "error": plain(found)}, turn.end)

    def _listen(self, call: dict[str, Any]) -> dict[str, Any]:
        wanted = fields.read(BY_NAME["events"].fields, call)
        if self._listener is not None:
            self._listener.close()
        self._listener = self._events.listen(wanted["since"], wanted["epoch"], self._on_event)
        self._wake.set()
        return {"seq": self._events.seq, "epoch": self._events.epoch}

    def _cancel(self, call: dict[str, Any]) -> dict[str, Any]:
        task = self._calls.get(call["call"]) if isinstance(call.get("call"), int) else None
        if task is not None and task is not asyncio.current_task():
            task.cancel()
        return {"cancelled": task is not None}

    # -- sending

    def _put(self, frame: dict[str, Any], on_sent: Callable[[], None]) -> None:
        self._frames.append((encoded(frame), on_sent))
        self._wake.set()

    async def _put_part(self, frame: dict[str, Any]) -> None:
        """Comes back when it was sent."""
        sent = asyncio.Event()
        self._put(frame, sent.set)
        await sent.wait()

    def _on_event(self) -> None:
        """It is sent with the next answer, which may be near."""
        if self._delay is None:
            self._delay = asyncio.get_running_loop().call_later(limits.EVENT_SECONDS, self._wake.set)

    def _end_delay(self) -> None:
        if self._delay is not None:
            self._delay.cancel()
            self._delay = None

    async def _send_all(self) -> None:
        try:
            await self._socket.send_text(encoded({"hello": plain(self._hello)}))
            while True:
                await self._wake.wait()
                self._wake.clear()
                self._end_delay()
                while self._frames or (self._listener is not None and self._listener.is_behind):
                    await self._send_batch()
        except (WebSocketDisconnect, RuntimeError):
            return  # starlette says by a RuntimeError that the client has gone

    async def _send_batch(self) -> None:
        """The events that have come, and behind them answers."""
        texts = [f'{{"event":{text}}}' for text in (self._listener.take() if self._listener is not None else ())]
        size = sum(map(len, texts))
        sent: list[Callable[[], None]] = []
        while self._frames and (not sent or size < limits.MB):
            text, on_sent = self._frames.popleft()
            texts.append(text)
            sent.append(on_sent)
            size += len(text)
        try:
            if texts:
                await self._socket.send_text(texts[0] if len(texts) == 1 else f"[{','.join(texts)}]")
        finally:  # or nobody reads it any more
            for on_sent in sent:
                on_sent()


def _read(text: str) -> dict[str, Any]:
    try:
        call = fields.decoded(text)
    except (ValueError, RecursionError):
        raise Misuse("the message is no JSON. Nothing was done.") from None
    if not isinstance(call, dict):
        raise Misuse("the message is no JSON object. Nothing was done.")
    return call
