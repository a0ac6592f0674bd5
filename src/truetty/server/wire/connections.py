"""The connections of a listener: how long one may be open without a request, and how many there are.

Rule 1: a connection without a request is closed after some seconds. So a head that is half sent costs a descriptor for
        no longer.
Rule 2: where there are too many, the one that has been without a request for longest is closed. If each has a request,
        the new one is closed. So descriptors are left for terminals, and a client with a token gets in.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from truetty.server.events import encoded
from truetty.server.refusals import head_too_large, refusal
from truetty.server.shapes import plain

HEAD_SECONDS: Final = 5.0  # for a head, from the connection on
# After an answer. uvicorn closes a silent connection sooner, but not one that has sent a part of its next head.
NEXT_HEAD_SECONDS: Final = 10.0
MOST_CONNECTIONS: Final = 256
HEAD_TOO_LARGE: Final = 431  # the status, which h11 names too
# How many may come before it is seen that there are too many.
ACCEPTED_AT_ONCE: Final = 128


def most_connections() -> int:
    """A quarter of the descriptors that this process may have, so that terminals have the rest."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if limit == resource.RLIM_INFINITY else max(8, min(MOST_CONNECTIONS, limit // 4))


class Connections:
    """Those of one listener. `head` and `next_head` are the seconds for the first and for each later request."""

    def __init__(self, most: int, *, head: float = HEAD_SECONDS, next_head: float = NEXT_HEAD_SECONDS) -> None:
        self.head = head
        self.next_head = next_head
        self._most = most
        self._idle: dict[Connection, None] = {}  # without a request, the longest first
        self._busy: set[Connection] = set()

    def rest(self, one: Connection) -> None:
        self._busy.discard(one)
        self._idle[one] = None
        if len(self._idle) + len(self._busy) > self._most:
            oldest = next(iter(self._idle))
            del self._idle[oldest]
            oldest.transport.abort()

    def serve(self, one: Connection) -> None:
        self._idle.pop(one, None)
        self._busy.add(one)

    def leave(self, one: Connection) -> None:
        self._idle.pop(one, None)
        self._busy.discard(one)


class Connection(H11Protocol):
    def __init__(self, all_of_them: Connections, **uvicorns: Any) -> None:
        super().__init__(**uvicorns)
        self._all = all_of_them
        self._end: asyncio.TimerHandle | None = None  # while it has no request: when it is closed

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._rest(self._all.head)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._follow()

    def send_400_response(self, msg: str) -> None:
        """A head that is too large and not whole yet is refused as one that is whole."""
        if getattr(sys.exception(), "error_status_hint", 400) != HEAD_TOO_LARGE:
            super().send_400_response(msg)
            return
        body = encoded({"error": plain(refusal(head_too_large()))}).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        for event in (
            h11.Response(status_code=HEAD_TOO_LARGE, headers=headers),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """From here on another protocol has it, which sends pings."""
        self._stay()
        self._all.leave(self)
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stay()
        self._all.leave(self)
        super().connection_lost(exc)

    def _follow(self) -> None:
        """It may have gone from one state to the other. After an upgrade the transport has another protocol."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return
        serves = self.cycle is not None and not self.cycle.response_complete
        if serves and self._end is not None:
            self._stay()
            self._all.serve(self)
        elif not serves and self._end is None:
            self._rest(self._all.next_head)

    def _rest(self, seconds: float) -> None:
        self._end = self.loop.call_later(seconds, self.transport.abort)
        self._all.rest(self)

    def _stay(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None
