"""The live view of a terminal: a picture, then the bytes that it prints, on a WebSocket of its own.

    server → {"t": "hello", "protocol": 1, "terminal", "epoch", "size", "from", "lease", "may"}
             {"t": "picture", "n", "seq", "size", "dump", "cursor", "alternate", "title", "skipped", "why"}
             bytes: u32 n | u64 from | u64 to | what was printed      big-endian; from is the seq of the frame before
             {"t": "lease", "n", "seq", "holder", "reason", "until", "wanted_by", "mine"}  it has changed hands
             {"t": "end", "n", "seq", "exit_code"}, {"t": "bye", "code"}, {"t": "pong", "x"}      bye is the last one
    client → {"t": "ack", "seq"}, {"t": "picture"}, {"t": "ping", "x"}, {"t": "lease", "lease"}
             {"t": "size", "lease", "size"}, {"t": "keys", "lease", "text"}, or bytes to type

Rule 1: `seq` is the place in the transcript up to which the viewer was shown the terminal. Picture and place are taken
        in one step, so that nothing is missed and nothing comes twice.
Rule 2: nothing a viewer does slows the terminal. For a viewer that does not acknowledge, only its place is kept.
Rule 3: what is too much, or too late, is skipped, and a picture is sent. The bytes are in the transcript. The slower
        pictures are drawn, the rarer they are: a terminal that is watched prints as fast as one that is not.
Rule 4: while a person has the terminal, keys and sizes are taken from that person's views alone: from those that have
        named the lease. A holder whose last view is gone loses the lease after a while.
Rule 5: a picture begins no character: bytes that begin inside one would lose it.
Rule 6: a viewer that was here before names its `seq` (`?from=SEQ&epoch=E`), and is given the bytes behind it where it
        can be: `from` in the hello says so. Else it gets a picture, whose `why` says why.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import struct
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from starlette.websockets import WebSocket, WebSocketDisconnect

from truetty.core.errors import Denied, TruettyError
from truetty.server import fields, limits
from truetty.server.events import encoded
from truetty.server.refusals import refusal
from truetty.server.shapes import plain
from truetty.server.watch import holding
from truetty.service.service import Service
from truetty.service.typing import Typist
from truetty.terminal.changes import Rank
from truetty.terminal.terminal import Terminal

LOG: Final = logging.getLogger("truetty.server")
SUBPROTOCOL: Final = "truetty.view.1"
TOO_LARGE: Final = 1009  # a code of WebSockets
HEAD: Final = struct.Struct(">IQQ")


class LastView(NamedTuple):
    """What a viewer that was here before has drawn."""

    epoch: str | None
    seq: int


class View:
    """One viewer."""

    def __init__(
        self,
        websocket: WebSocket,
        terminal: Terminal,
        service: Service,
        epoch: str,
        last: LastView | None = None,
        *,
        may_type: bool = True,
    ) -> None:
        self._socket = websocket
        self._terminal = terminal
        self._service = service
        self._epoch = epoch
        self._may_type = may_type
        self._number = 0
        self._seq = 0  # shown up to here
        self._acknowledged = 0
        self._size = terminal.size
        self._last = last  # where a connection of the viewer before this one was cut
        self._missed_to = 0  # bytes up to here are sent however many they are: they came while the viewer was away
        self._wanted: str | None = "first"  # why a picture is to be sent
        self._calm_at = 0.0  # from then on bytes are sent again, after a flood
        self._tick = limits.VIEW_TICK_SECONDS  # until the next frame
        self._wake = asyncio.Event()  # something may be there to show, or the viewer has said something
        self._said = asyncio.Event()  # the viewer has said something, or the terminal is gone
        self._is_over = False
        self._is_mute = False  # the server ends, and the viewer knows
        self._lease: str | None = None  # that this viewer has named
        self._part: Callable[[], None] = lambda: None  # its holder's connection is gone
        self._told: str | None = None  # the id of the lease that this viewer knows of

    async def serve(self) -> None:
        leave = self._terminal.changes.subscribe(self._on_change, Rank.STREAMS)
        tasks = {asyncio.ensure_future(self._show()), asyncio.ensure_future(self._listen())}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leave()
            self._part()
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            for task in tasks:
                if not task.cancelled() and (error := task.exception()) is not None:
                    LOG.error("a view has failed", exc_info=error)
        with contextlib.suppress(RuntimeError):  # the viewer has closed it
            await self._socket.close()

    def _on_change(self) -> None:
        self._wake.set()
        if self._terminal.changes.over:
            self._said.set()

    async def part(self, code: str) -> None:
        """Say why the connection is about to be closed, and nothing more. What the viewer sends is taken until then."""
        if self._is_over or self._is_mute:
            return
        self._is_mute = True
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the viewer has gone
            await self._socket.send_text(encoded({"t": "bye", "code": code}))

    # -- showing

    async def _show(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the viewer has gone
            now = self._service.leases.of(self._terminal.id)
            self._told = None if now is None else now.id
            self._begin()
            await self._say(
                {
                    "t": "hello",
                    "protocol": 1,
                    "terminal": self._terminal.id,
                    "epoch": self._epoch,
                    "size": list(self._size),
                    "from": self._seq if self._wanted is None else None,
                    "lease": plain(holding(now)),
                    "may": ["watch", "type"] if self._may_type else ["watch"],
                }
            )
            while not self._is_over:
                self._wake.clear()
                await self._step()
                if not self._is_over:
                    await self._pause()

    def _begin(self) -> None:
        """With the bytes that the viewer has missed, or with a picture."""
        if self._last is None:
            return
        since, timeline = self._last.seq, self._terminal.timeline()
        if self._last.epoch != self._epoch:
            self._wanted = "epoch"
        elif not timeline.can_resume(since):
            self._wanted = "place"
        elif timeline.resizes(since - 1, self._terminal.transcript.size):
            self._wanted = "size"
        elif timeline.end - since > limits.VIEW_WINDOW:
            self._wanted = "late"
        else:
            self._wanted = None
            self._seq = self._acknowledged = since
            self._missed_to = timeline.end

    async def _pause(self) -> None:
        """A frame has been sent: the next one comes after a tick, when there is something to show."""
        await self._within(self._tick, asyncio.Event())
        if self._window_is_full:
            # Until then output is no news: to wake up for each piece of it would slow the command.
            if not await self._within(limits.ACKNOWLEDGE_SECONDS, self._said, lambda: not self._window_is_full):
                await self._bye("idle")
        elif self._wanted is None and self._end() == self._seq and not self._has_news():
            await self._wake.wait()

    async def _within(self, seconds: float, event: asyncio.Event, holds: Any = lambda: False) -> bool:
        """Whether it held before the time was over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not holds():
                    await event.wait()
                    event.clear()
        return bool(holds())

    @property
    def _window_is_full(self) -> bool:
        return self._seq - self._acknowledged > limits.VIEW_WINDOW and not self._terminal.changes.over

    def _end(self) -> int:
        return self._terminal.shown(self._terminal.transcript.size)[0]

    async def _step(self) -> None:
        if self._terminal.size != self._size:
            self._wanted = self._wanted or "size"
        end, now = self._end(), asyncio.get_running_loop().time()
        behind = end - self._seq
        if behind > (limits.VIEW_FRAME if self._seq >= self._missed_to else limits.VIEW_WINDOW):
            self._calm_at = now + limits.CALM_SECONDS
            self._wanted = self._wanted or ("late" if behind > limits.VIEW_WINDOW else "flood")
        elif self._wanted is None and now < self._calm_at and behind:
            self._wanted = "flood"
        self._tick = limits.VIEW_TICK_SECONDS
        if self._wanted is not None:
            await self._picture(self._wanted, behind)
        elif behind:
            await self._bytes()
        if self._is_lease_new():
            await self._tell_lease()
        if self._terminal.changes.over and self._end() == self._seq:  # a shell that is ended may still print
            self._number += 1
            code = self._terminal.exit_code
            await self._say({"t": "end", "n": self._number, "seq": self._seq, "exit_code": code})
            await self._bye("closed")

    async def _picture(self, why: str, behind: int) -> None:
        self._wanted, self._number = None, self._number + 1
        now = asyncio.get_running_loop().time
        began = now()
        screen, end = self._terminal.screen(), self._end()
        self._tick = max(limits.PICTURE_SECONDS, (now() - began) / limits.PICTURE_SHARE)
        self._size, before = self._terminal.size, self._seq
        self._seq = end - _half_character(self._terminal.transcript.read(max(0, end - 3), 3)[: min(3, end)])
        if self._number == 1:
            self._acknowledged = self._seq
        dump = screen.dump if len(screen.dump) <= limits.LARGEST_PICTURE else "\r\n".join(screen.lines)
        await self._say(
            {
                "t": "picture",
                "n": self._number,
                "seq": self._seq,
                "size": list(screen.size),
                "dump": dump,
                "cursor": list(screen.cursor),
                "alternate": screen.alternate,
                "title": screen.title,
                "skipped": 0 if self._number == 1 else max(0, self._seq - before),
                "why": why,
            }
        )

    async def _bytes(self) -> None:
        self._number += 1
        end, data = self._terminal.timeline().shown(self._seq, limits.VIEW_FRAME)
        start, self._seq = self._seq, end
        if not self._is_mute:
            await self._socket.send_bytes(HEAD.pack(self._number, start, end) + data)

    # -- the lease

    def _has_news(self) -> bool:
        return self._terminal.changes.over or self._is_lease_new()

    def _is_lease_new(self) -> bool:
        now = self._service.leases.of(self._terminal.id)
        return self._told != (None if now is None else now.id)

    async def _tell_lease(self) -> None:
        now = self._service.leases.of(self._terminal.id)
        self._told, self._number = None if now is None else now.id, self._number + 1
        mine = now is not None and now.id == self._lease
        nothing = {"holder": None, "reason": None, "until": None, "wanted_by": None}
        facts = nothing if now is None else plain(holding(now))
        await self._say({"t": "lease", "n": self._number, "seq": self._seq, **facts, "mine": mine})

    def _check_typing(self) -> None:
        if not self._may_type:
            reason = "this link shows the terminal, and no one types by it"
            raise Denied(f"{reason}. Nothing was typed.", command=None, rule=None, reason=reason)

    def _join(self, lease: str | None) -> None:
        """This viewer is the holder's, from its first frame with the lease on."""
        self._check_typing()
        if lease is None or lease == self._lease:
            return
        self._service.leases.check(self._terminal.id, lease, done="Nothing was done.")
        self._part()
        self._part = self._service.leases.join(self._terminal.id)
        self._lease, self._told = lease, None  # it is told that the lease is its own

    async def _bye(self, code: str) -> None:
        self._is_over = True
        await self._say({"t": "bye", "code": code})

    async def _say(self, frame: dict[str, Any]) -> None:
        if not self._is_mute:
            await self._socket.send_text(encoded(frame))

    # -- what the viewer says

    async def _listen(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                await self._take(message.get("text"), message.get("bytes"))
            except TruettyError as error:
                await self._say({"t": "error", **plain(refusal(error))})
            except (ValueError, RecursionError):
                await self._say({"t": "error", "code": "misuse", "message": "this is no frame", "facts": {}})

    async def _take(self, text: str | None, data: bytes | None) -> None:
        if len(data or text or "") > limits.LARGEST_FRAME:
            await self._socket.close(TOO_LARGE)
            return
        if data is not None:
            self._check_typing()
            await self._service.type(self._terminal.id, data, by=Typist(self._lease))
            return
        frame = fields.decoded(text or "")
        match frame:
            case {"t": "ack", "seq": int() as seq}:
                self._acknowledged = max(self._acknowledged, min(seq, self._seq))
            case {"t": "picture"}:
                self._wanted = "asked"
            case {"t": "lease", "lease": str() as lease}:
                self._join(lease)
            case {"t": "keys", "text": str() as typed}:
                self._join(_named(frame))
                await self._service.type(self._terminal.id, typed, by=Typist(self._lease))
            case {"t": "size", "size": [int() as columns, int() as rows]}:
                self._join(_named(frame))
                self._service.leases.check(self._terminal.id, self._lease, done="It has the size that it had.")
                await self._terminal.resize(columns, rows)
                self._terminal.changes.tell()
            case {"t": "ping"}:
                await self._say({"t": "pong", "x": frame.get("x")})
            case {"t": str()}:
                pass  # of a later version
            case _:
                raise ValueError
        self._wake.set()
        self._said.set()


def _named(frame: dict[str, Any]) -> str | None:
    """The lease that a frame names."""
    lease = frame.get("lease")
    if lease is not None and not isinstance(lease, str):
        raise ValueError
    return lease


def _half_character(end: bytes) -> int:
    """How many bytes at the end of this are the beginning of a UTF-8 character that is not whole yet."""
    for back in range(1, len(end) + 1):
        byte = end[-back]
        if byte & 0xC0 != 0x80:  # no byte in the middle of one
            length = 2 if byte & 0xE0 == 0xC0 else 3 if byte & 0xF0 == 0xE0 else 4 if byte & 0xF8 == 0xF0 else 1
            return back if length > back else 0
    return 0
