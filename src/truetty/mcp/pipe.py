"""Standard input and output, joined to the session that a server of terminals has for the client.

    connected ──cut──▸ connected again            the next server has the terminals
        │                 └──no server answers──▸ alone: what is under way is answered with an error
        │                                           └──the client's next line──▸ connected, to a new server
        └──the client's input ends──▸ over

Rule 1: each line of the client is a message to the server, and each message of the server a line for the client.
        `traffic.py` knows what is said again on a new connection.
Rule 2: a server that has ended for good is not started again by calls that were under way.
Rule 3: the end of the client's input is the end, and closes no terminal.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import threading
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from truetty.client.dial import Address
from truetty.client.http import NEEDS_TOKEN, error, wrong_token
from truetty.core.errors import ChannelLost, HostError, TruettyError
from truetty.core.version import VERSION
from truetty.mcp.opening import PATH, Opening
from truetty.mcp.traffic import Traffic
from truetty.mcp.wire import Wire
from truetty.server import limits
from truetty.server.events import encoded
from truetty.server.shapes import plain

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection
    from websockets.exceptions import InvalidStatus

GOODBYE_SECONDS: Final = 1.0  # for the server's answer when the client has gone
MOST_TRIES: Final = 10  # of a connection that is cut before its server has answered
CALM_SECONDS: Final = 60.0  # a connection that has lasted so long was not cut by what was sent first on it
MOST_LINES: Final = 64  # of the client's that wait to be sent
LONGEST_LINE: Final = limits.LARGEST_BODY - limits.LARGEST_HEAD  # bytes; what stands before it is shorter


class Pipe:
    def __init__(self, address: Address, opening: Opening, wire: Wire) -> None:
        self._address = address
        self._opening = opening
        self._wire = wire
        self._traffic = Traffic(structured=opening.structured)
        self._lines: asyncio.Queue[str] = asyncio.Queue(MOST_LINES)
        self._kept_line: str | None = None  # a line that came while there was no connection
        self._is_over = False  # the client's input has ended
        self._has_warned = False

    async def run(self, ending: Collection[int]) -> int:
        """The one of the `ending` signals that came, or 0 if the client has ended it. Raises TruettyError."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[int] = loop.create_future()
        for number in ending:
            loop.add_signal_handler(number, _end, ended, number)
        serving = asyncio.ensure_future(self._serve())
        waited: set[asyncio.Future[Any]] = {serving, ended}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
            return 0
        serving.cancel()
        await asyncio.wait({serving})
        return ended.result()

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        connection: ClientConnection | None = await self._connect(start=True)
        threading.Thread(target=self._read_client, args=(loop,), daemon=True).start()
        while connection is not None:
            began = loop.time()
            try:
                await self._join(connection)
            finally:
                await connection.close()
            if self._is_over:
                return
            if loop.time() - began > CALM_SECONDS:
                self._traffic.settle()
            await self._write(*self._traffic.cut())
            connection = await self._connect_again() or await self._connect_for_next_line()

    # -- one connection

    async def _join(self, connection: ClientConnection) -> None:
        """Until it is cut, or the client's input has ended."""
        tasks = {asyncio.ensure_future(self._send(connection)), asyncio.ensure_future(self._receive(connection))}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            for task in (await asyncio.wait(tasks))[0]:
                if not task.cancelled() and (failure := task.exception()) is not None:
                    raise failure

    async def _send(self, connection: ClientConnection) -> None:
        with _cut():
            for text in self._traffic.begin():
                await connection.send(text)
            while line := self._kept_line or await self._lines.get():
                self._kept_line = None
                if (message := await self._outgoing(line)) is not None:
                    await connection.send(message)
            self._is_over = True

    async def _outgoing(self, line: str) -> str | None:
        if len(line.encode("utf-8", "replace")) <= LONGEST_LINE:
            return self._traffic.from_client(line)
        refused = self._traffic.refuse(line, f"a message has at most {LONGEST_LINE:,} bytes. Nothing was done.")
        await self._write(*([] if refused is None else [refused]))
        return None

    async def _receive(self, connection: ClientConnection) -> None:
        with _cut():
            while True:
                line = self._traffic.from_server(str(await connection.recv(decode=True)))
                if line is not None:
                    await self._write(line)

    # -- the client

    def _read_client(self, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread, which cannot be called back: the process ends without it."""
        line = " "
        while line:
            try:
                line = self._wire.readline()
            except OSError:  # a socket that the client has reset
                line = ""
            try:
                asyncio.run_coroutine_threadsafe(self._lines.put(line), loop).result()
            except (RuntimeError, asyncio.CancelledError):  # the loop is over
                return

    async def _write(self, *lines: str) -> None:
        for line in lines:
            with contextlib.suppress(OSError):  # the client is gone, and its input ends too
                await asyncio.to_thread(self._wire.write, line)

    # -- making a connection

    async def _connect_again(self) -> ClientConnection | None:
        """To the server that follows one that was killed. None: there is none."""
        try:
            return await self._connect(start=False)
        except TruettyError as trouble:
            reason = f"the server has ended, and what is under way with it: {trouble}"
            await self._write(*self._traffic.give_up(ChannelLost(reason, reason="no server")))
            self._traffic.ends.clear()  # the next server may begin with the same ids
            return None

    async def _connect_for_next_line(self) -> ClientConnection | None:
        """None: the client has no next line."""
        while line := await self._lines.get():
            self._kept_line = line
            try:
                return await self._connect(start=True)
            except TruettyError as trouble:
                self._kept_line = None
                self._traffic.from_client(line)
                await self._write(*self._traffic.give_up(trouble))
        return None

    async def _connect(self, *, start: bool) -> ClientConnection:
        """Raises TruettyError: there is no server, or it refuses the client."""
        for _ in range(MOST_TRIES):
            stream = await asyncio.to_thread(partial(self._address.dial, start=start))
            stream.setblocking(False)
            with _cut():
                return await self._open(stream)
        raise HostError(f"{self._address!r} ends each connection at its beginning", reason="it was cut")

    async def _open(self, stream: Any) -> ClientConnection:
        connect, refused = _websockets()
        headers = self._address.headers()
        host = headers.pop("Host")
        try:
            connection: ClientConnection = await connect(
                f"ws://{host}{PATH}",
                sock=stream,
                compression=None,
                max_size=None,
                proxy=None,
                open_timeout=None,  # a server that follows another one may take long to start
                close_timeout=GOODBYE_SECONDS,
                additional_headers={**headers, "Truetty-Client": f"truetty/{VERSION}"},
            )
        except refused as answer:
            stream.close()
            if answer.response.status_code == NEEDS_TOKEN:
                raise wrong_token() from answer
            message = f"{self._address!r} is an older server, which has no MCP sessions"
            raise HostError(f"{message}: truetty serve --upgrade keeps every terminal", reason=str(answer)) from answer
        except BaseException:
            stream.close()
            raise
        try:
            traffic = self._traffic
            opening = replace(
                self._opening, task=traffic.task, known_questions=traffic.questions, known_ends=tuple(traffic.ends)
            )
            await connection.send(encoded(plain(opening)))
            self._check(json.loads(await connection.recv()))
        except BaseException:
            await connection.close()
            raise
        return connection

    def _check(self, answer: dict[str, Any]) -> None:
        if "error" in answer:
            raise error(answer)
        if (warning := answer["ok"].get("warning")) is not None and not self._has_warned:
            self._has_warned = True
            print(f"truetty mcp: {warning}", file=sys.stderr, flush=True)


def _websockets() -> tuple[Any, type[InvalidStatus]]:
    """What connects, and what it raises where the server has no such route."""
    try:
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidStatus
    except ImportError as missing:
        message = "websockets is missing: the extra brings it, pip install '.[server]' in a checkout of truetty"
        raise HostError(message, reason="websockets is missing") from missing
    return connect, InvalidStatus


class _cut(contextlib.AbstractContextManager[None]):
    """Around what ends quietly when the connection is cut."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> bool:
        if kind is None:
            return False
        from websockets.exceptions import ConnectionClosed, InvalidHandshake

        return issubclass(kind, OSError | ConnectionClosed | InvalidHandshake | EOFError)


def _end(ended: asyncio.Future[int], number: int) -> None:
    if not ended.done():
        ended.set_result(number)
