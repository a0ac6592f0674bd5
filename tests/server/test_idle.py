"""Connections that say nothing for long: an HTTP connection is closed, a WebSocket stays."""

from __future__ import annotations

import asyncio
import socket
from functools import partial
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect

from tests.patience import PATIENCE
from truetty.server.wire.connections import Connection, Connections

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    async for message in websocket.iter_text():
        await websocket.send_text(message)


async def page(request: Any) -> PlainTextResponse:
    return PlainTextResponse("here")


async def test_a_websocket_stays_where_an_http_connection_is_closed() -> None:
    app = Starlette(routes=[Route("/", page), WebSocketRoute("/echo", echo)])
    http = cast("type[asyncio.Protocol]", partial(Connection, Connections(8, head=PATIENCE, next_head=0.1)))
    config = uvicorn.Config(app, http=http, ws="websockets-sansio", log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        serving = asyncio.ensure_future(server._serve([listening]))
        try:
            async with connect(f"ws://127.0.0.1:{port}/echo", proxy=None) as websocket, asyncio.timeout(PATIENCE):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(REQUEST)
                assert (await reader.read()).endswith(b"here")  # it was closed, though it was made later
                writer.close()
                await websocket.send("still there")
                assert await websocket.recv() == "still there"
        finally:
            server.should_exit = True
            await serving
