"""/v1/events as a WebSocket. A browser has six connections for plain requests to a server, for all its tabs together,
and many more of these.

    server → an event in each message, the first of a new listener a `reset`; {"t": "pong", "x"}
    client → {"t": "ping", "x"}, since a browser cannot send pings of the protocol

Rule: a listener that names no `since` gets a `reset` first: how everything stands, with what is open.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from truetty.core.errors import Misuse
from truetty.server import events, fields, limits
from truetty.server.events import LONG_AGO, Events, Listener, encoded
from truetty.server.rights import Credential
from truetty.server.verbs import BY_NAME

SUBPROTOCOL: Final = "truetty.events.1"
REFUSED: Final = 1008  # codes of WebSockets
TOO_LARGE: Final = 1009
RESTARTS: Final = 1012


async def serve(websocket: WebSocket, source: Events, credential: Credential) -> None:
    rows = BY_NAME["events"].fields
    try:
        wanted = fields.read(rows, fields.from_query(rows, dict(websocket.query_params)))
    except Misuse as error:
        await websocket.close(REFUSED, str(error)[:100])
        return
    offered = websocket.scope.get("subprotocols", ())
    await websocket.accept(SUBPROTOCOL if SUBPROTOCOL in offered else None)
    since = LONG_AGO if wanted["since"] is None else wanted["since"]
    listener = source.listen(since, wanted["epoch"])
    tasks = {
        asyncio.ensure_future(_send(websocket, source, listener, credential)),
        asyncio.ensure_future(_hear(websocket)),
    }
    answers = credential.is_page and credential.terminal is None and "answer" in credential.rights
    source.pages += answers
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        source.pages -= answers
        listener.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _send(websocket: WebSocket, source: Events, listener: Listener, credential: Credential) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the client has gone
        async for text in events.texts(source, listener, credential):
            await websocket.send_text(text)
        await websocket.close(RESTARTS)


async def _hear(websocket: WebSocket) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            text = await websocket.receive_text()
            if len(text) > limits.LARGEST_FRAME:
                await websocket.close(TOO_LARGE)
                return
            match _read(text):
                case {"t": "ping", **rest}:
                    await websocket.send_text(encoded({"t": "pong", "x": rest.get("x")}))
                case _:
                    pass  # of a later version


def _read(text: str) -> Any:
    with contextlib.suppress(ValueError, RecursionError):
        return fields.decoded(text)
    return None
