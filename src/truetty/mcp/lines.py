"""A WebSocket as the SDK's `stdio_server` uses files: lines of text are read, lines of text are written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager

from starlette.websockets import WebSocket, WebSocketDisconnect

from truetty.mcp.traffic import unmarked
from truetty.service.notices import Delivery, delivery


class Lines:
    """`is_leaving`: the server leaves its terminals to the next one, which is to read the rest."""

    def __init__(self, websocket: WebSocket, is_leaving: Callable[[], bool]) -> None:
        self._websocket = websocket
        self._is_leaving = is_leaving
        self._marks: dict[str, Mapping[str, object]] = {}  # by the id of their requests
        self._deliveries: dict[str, Delivery] = {}  # of answers that were not sent yet, by the same

    def take_mark(self, id: object) -> Mapping[str, object]:
        """What came with the request of this id; once."""
        return self._marks.pop(json.dumps(id), {})

    @contextmanager
    def answering(self, id: object) -> Iterator[None]:
        """Around the making of the answer to the request of this id."""
        name, made = json.dumps(id), Delivery()
        self._deliveries[name] = made
        before = delivery.set(made)
        try:
            yield
        except BaseException:
            self._deliveries.pop(name, None)
            made.fail()
            raise
        finally:
            delivery.reset(before)

    def close(self) -> None:
        """Nothing more is sent."""
        for made in self._deliveries.values():
            made.fail()
        self._deliveries.clear()

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            try:
                text = await self._websocket.receive_text()
            except WebSocketDisconnect:
                return
            if self._is_leaving():
                await asyncio.Event().wait()
            message, mark = unmarked(text)
            if mark is not None:
                self._marks[json.dumps(mark.get("id"))] = mark
            yield message

    async def write(self, line: str) -> None:
        try:
            await self._websocket.send_text(line)
        except (WebSocketDisconnect, RuntimeError):
            return  # starlette says by a RuntimeError that the client has gone, and the reader sees it
        if self._deliveries:
            message = json.loads(line)
            if "method" not in message and (made := self._deliveries.pop(json.dumps(message.get("id")), None)):
                made.settle()

    async def flush(self) -> None:
        """Nothing is held back."""
