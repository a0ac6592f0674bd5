"""One WebSocket to a server: numbered calls, their answers in any order, and events.

Rule 1: events are handed on before the answer that follows them is. So what a call has changed is known when it
        returns.
Rule 2: a connection that ends makes every call on it raise `Cut`. What becomes of them then is decided in `link.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Self

from truetty.client.http import NEEDS_TOKEN, error, wrong_token
from truetty.core.errors import HostError, TruettyError
from truetty.core.version import VERSION
from truetty.server import forms, protocol, shapes
from truetty.server.events import encoded

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection
    from websockets.http11 import Response

Fields = Mapping[str, Any]
OnEvent = Callable[[dict[str, Any]], None]
OnPart = Callable[[dict[str, Any]], None]
CLIENT: Final = f"truetty/{VERSION}"


class Cut(Exception):
    """The connection has ended, and the answer has not come."""


class Wire:
    def __init__(self, websocket: ClientConnection, hello: forms.Hello, on_event: OnEvent) -> None:
        self.hello: Final = hello
        self.protocol: Final = agreed(hello)  # the highest number that both speak
        self._websocket = websocket
        self._on_event = on_event
        self._numbers = itertools.count(1)
        self._calls: dict[int, asyncio.Future[Any]] = {}
        self._parts: dict[int, OnPart] = {}
        self._sending: set[asyncio.Future[None]] = set()  # what is sent without waiting for it
        self._reading = asyncio.ensure_future(self._read())

    @classmethod
    async def over(cls, stream: socket.socket, headers: Mapping[str, str], on_event: OnEvent) -> Self:
        """Over a connection that is made. Raises HostError."""
        websocket = await connection(stream, headers, "/v1/connect")
        from websockets.exceptions import WebSocketException

        try:
            hello = json.loads(await websocket.recv())["hello"]
        except (OSError, WebSocketException, EOFError) as trouble:
            stream.close()
            raise HostError(f"the server does not answer: {trouble}", reason=str(trouble)) from trouble
        try:
            return cls(websocket, shapes.made(forms.Hello, hello), on_event)
        except BaseException:
            await websocket.close()
            raise

    @property
    def is_cut(self) -> bool:
        return self._reading.done()

    async def until_cut(self) -> None:
        await asyncio.wait([self._reading])

    async def call(self, verb: str, fields: Fields, on_part: OnPart | None = None) -> Any:
        """The answer. Raises what was answered instead, or Cut."""
        if self.is_cut:
            raise Cut
        number = next(self._numbers)
        answer = self._calls[number] = asyncio.get_running_loop().create_future()
        if on_part is not None:
            self._parts[number] = on_part
        try:
            await self._send({"id": number, "do": verb, **fields})
            return await answer
        except asyncio.CancelledError:
            self.post("cancel", {"call": number})
            raise
        finally:
            self._calls.pop(number, None)
            self._parts.pop(number, None)

    def post(self, verb: str, fields: Fields) -> None:
        """A call whose answer is not waited for."""
        if not self.is_cut:
            sending = asyncio.ensure_future(self._send({"id": next(self._numbers), "do": verb, **fields}))
            self._sending.add(sending)
            sending.add_done_callback(self._sent)

    def _sent(self, sending: asyncio.Future[None]) -> None:
        self._sending.discard(sending)
        if not sending.cancelled():
            sending.exception()  # it is cut: every call says so

    async def close(self) -> None:
        with contextlib.suppress(Exception):
            await self._websocket.close()
        await self.until_cut()

    async def _send(self, frame: Fields) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            await self._websocket.send(encoded(frame))
        except (ConnectionClosed, OSError):
            raise Cut from None

    async def _read(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            with contextlib.suppress(ConnectionClosed, OSError):
                while True:
                    message = json.loads(await self._websocket.recv())
                    for frame in message if isinstance(message, list) else [message]:
                        self._take(frame)
        finally:
            for answer in list(self._calls.values()):
                if not answer.done():
                    answer.set_exception(Cut())
                    answer.exception()  # a caller that is gone does not hear it

    def _take(self, frame: dict[str, Any]) -> None:
        if "event" in frame:
            self._on_event(frame["event"])
            return
        number = frame.get("id")
        if "part" in frame:
            if (on_part := self._parts.get(number)) is not None:  # type: ignore[arg-type]
                on_part(frame["part"])
            return
        answer = self._calls.get(number)  # type: ignore[arg-type]
        if answer is None or answer.done():
            return
        if "error" in frame:
            answer.set_exception(error(frame))
        else:
            answer.set_result(frame.get("ok"))


async def connection(
    stream: socket.socket, headers: Mapping[str, str], path: str, subprotocol: str | None = None
) -> ClientConnection:
    """A WebSocket over a connection that is made. Raises HostError."""
    try:
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidStatus, WebSocketException
        from websockets.typing import Subprotocol
    except ImportError as missing:
        stream.close()
        message = "websockets is missing: the extra brings it, pip install '.[server]' in a checkout of truetty"
        raise HostError(message, reason="websockets is missing") from missing
    more = {name: value for name, value in headers.items() if name != "Host"}
    try:
        return await connect(
            f"ws://{headers['Host']}{path}",
            sock=stream,
            compression=None,
            max_size=None,
            proxy=None,
            subprotocols=None if subprotocol is None else [Subprotocol(subprotocol)],
            additional_headers={**more, "Truetty-Client": CLIENT, protocol.HEADER: protocol.written()},
        )
    except InvalidStatus as refused:
        stream.close()
        raise _refusal(refused.response) from refused
    except (OSError, WebSocketException, EOFError) as trouble:
        stream.close()
        raise HostError(f"the server does not answer: {trouble}", reason=str(trouble)) from trouble


def _refusal(response: Response) -> TruettyError:
    """What was answered in place of a WebSocket."""
    if response.status_code == NEEDS_TOKEN:
        return wrong_token()
    try:
        return error(json.loads(response.body or b""))
    except (ValueError, LookupError, TypeError):
        reason = f"HTTP {response.status_code}"
        return HostError(f"the server does not answer: {reason}", reason=reason)


def agreed(hello: forms.Hello) -> int:
    """The highest number of the protocol that both speak. Raises HostError where there is none."""
    number = protocol.highest(protocol.PROTOCOL, hello.protocol)
    if number is None:
        theirs = f"the server is truetty {hello.truetty} and speaks protocol {protocol.described(hello.protocol)}"
        ours = f"this is truetty {VERSION} and speaks {protocol.described(protocol.PROTOCOL)}"
        message = f"{theirs}; {ours}: install the same version"
        raise HostError(message, reason="versions", server=hello.truetty, client=VERSION)
    return number
