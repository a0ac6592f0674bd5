"""The live view of a terminal, as a client has it: frames in both directions on a WebSocket of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any, Final, Self

from truetty.client.dial import Address
from truetty.client.http import quoted
from truetty.client.wire import connection

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

SUBPROTOCOL: Final = "truetty.view.1"


class ViewCut(Exception):
    """The connection has ended, and the terminal has not."""


class View:
    def __init__(self, websocket: ClientConnection) -> None:
        self._websocket = websocket

    @classmethod
    async def over(cls, address: Address, terminal_id: str, last: tuple[str, int] | None = None) -> Self:
        """`last`: epoch and `seq` of a view that was cut. It goes on there if it can. Raises HostError."""
        stream = await asyncio.to_thread(address.dial, start=False)
        stream.setblocking(False)
        path = f"/v1/terminals/{quoted(terminal_id)}/view"
        query = "" if last is None else f"?epoch={quoted(last[0])}&from={last[1]}"
        return cls(await connection(stream, address.headers(), path + query, SUBPROTOCOL))

    async def take(self) -> bytes | dict[str, Any]:
        """The next frame. Raises ViewCut."""
        from websockets.exceptions import ConnectionClosed

        try:
            message = await self._websocket.recv()
        except ConnectionClosed:
            raise ViewCut from None
        return message if isinstance(message, bytes) else dict(json.loads(message))

    async def say(self, frame: bytes | dict[str, Any]) -> None:
        """On a connection that was cut nothing is said: `take` still gives what came before that, and then raises."""
        from websockets.exceptions import ConnectionClosed

        with contextlib.suppress(ConnectionClosed):
            await self._websocket.send(frame if isinstance(frame, bytes) else json.dumps(frame))

    async def close(self) -> None:
        await self._websocket.close()
