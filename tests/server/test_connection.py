"""A connection of /v1/connect, over a WebSocket that the test has in its hand."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

from starlette.websockets import WebSocket, WebSocketDisconnect

from truetty.server.dispatch import Dispatch
from truetty.server.events import Events
from truetty.server.forms import Hello
from truetty.server.wire.connection import Connection

HELLO = Hello("0", (1, 1), (), 1, "e")


class Unread:
    """Its client reads nothing but the hello. It calls a second time when the first answer is on its way, and goes when
    the second is made."""

    def __init__(self) -> None:
        self.sends = 0
        self.calls = 0  # that were carried out
        self._asked = 0
        self._changed = asyncio.Condition()

    async def hello(self, caller: object) -> Hello:
        async with self._changed:
            self.calls += 1
            self._changed.notify_all()
        return HELLO

    async def send_text(self, text: str) -> None:
        async with self._changed:
            self.sends += 1
            self._changed.notify_all()
        if self.sends > 1:
            await asyncio.Event().wait()

    async def receive_text(self) -> str:
        self._asked += 1
        async with self._changed:
            await self._changed.wait_for(lambda: self._asked == 1 or (self.sends > 1 and self.calls == self._asked - 1))
        if self._asked == 3:
            raise WebSocketDisconnect
        return json.dumps({"id": self._asked, "do": "hello"})


async def test_turns_are_given_back_of_answers_that_nobody_reads() -> None:
    """One is being sent when the client goes, the other one has not begun."""
    client, in_all = Unread(), asyncio.Semaphore(2)
    dispatch, events = Dispatch({"hello": client.hello}), Events(dict[str, Any])
    await Connection(cast(WebSocket, client), dispatch, events, HELLO, in_all, None).serve()
    assert (client.calls, client.sends) == (2, 2)
    for _ in range(2):
        assert not in_all.locked()
        await in_all.acquire()
