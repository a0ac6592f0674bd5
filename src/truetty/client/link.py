"""The connection to a server, as terminals and commands use it: one WebSocket, made anew when it was cut.

Rule 1: what only looks or waits is asked again on a new connection, for as long as one can be made.
Rule 2: what starts something carries a retry key. If no answer came, it is asked again once, with the same key. The
        server, and the next one if it was killed, answers that without doing it twice.
        `run` starts and waits in one call, and its key is that of its start. If it was cut, it is a `start` that is
        asked again: the command is known then, and waited for by rule 1.
Rule 3: what types is never sent twice. A caller whose call was cut and not asked again gets `ChannelLost`.
Rule 4: a server that has said that it ends is not started again by a call that was under way. It refuses a wait that
        comes after that; such a wait ends as those do that it had taken: when the server is gone.
Rule 5: `ask` blocks for one round trip on a connection of its own. So it works inside the event loop too, where a local
        terminal would read its file.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from enum import Enum, auto
from functools import partial
from typing import Any, Final, TypeVar

from truetty.client.dial import Address
from truetty.client.http import Answer, Http, quoted
from truetty.client.wire import CLIENT, Cut, Fields, OnEvent, OnPart, Wire
from truetty.core.errors import ChannelLost, HostError, Misuse
from truetty.core.outcome import Outcome
from truetty.server import forms, shapes
from truetty.server.refusals import Stopping
from truetty.server.verbs import BY_NAME

T = TypeVar("T")

KEY_BYTES: Final = 16  # 22 characters
GOES_ON: Final = "What runs there goes on"
OVER: Final = "What ran there has ended with the server"
NOWHERE: Final = "none"  # the epoch of no server: the first event is a reset


class Again(Enum):
    """Whether a call that was sent and not answered is asked again."""

    ALWAYS = auto()  # it looks or waits, or comes to the same if it is done twice
    ONCE = auto()  # it has a retry key
    NEVER = auto()


class Link:
    """`on_event` is called with every event, `on_open` with each new connection before any call uses it."""

    def __init__(self, address: Address, on_event: OnEvent, on_open: Callable[[Wire], Awaitable[None]]) -> None:
        self.address: Final = address
        self.closed = False
        self.stopping = False  # the server has said that it ends
        self._on_event = on_event
        self._on_open = on_open
        self._wire: Wire | None = None
        self._loop = asyncio.get_running_loop()
        self._opening = asyncio.Lock()
        self._watchers = 0
        self._healing: asyncio.Task[None] | None = None
        self._seq, self._epoch = 0, NOWHERE  # of the last event
        self._http = Http(self._dial, {**address.headers(), "Truetty-Client": CLIENT})
        self._asking = threading.Lock()

    async def open(self) -> Wire:
        """The connection that there is, or a new one. Raises HostError."""
        self._check_open()
        if self._wire is not None and not self._wire.is_cut:
            return self._wire
        async with self._opening:
            self._check_open()
            if self._wire is None or self._wire.is_cut:  # it may have been made meanwhile
                self._wire = await self._connect(start=not self.stopping)
                self.stopping = False
            return self._wire

    async def _connect(self, *, start: bool) -> Wire:
        stream = await asyncio.to_thread(partial(self.address.dial, start=start))
        stream.setblocking(False)
        wire = await Wire.over(stream, self.address.headers(), self._hear)
        try:
            await wire.call("listen", {"since": self._seq, "epoch": self._epoch})
            await self._on_open(wire)
        except Cut:
            raise HostError("the connection was cut at its beginning", reason="it was cut") from None
        except BaseException:
            await wire.close()
            raise
        self._watch(wire)
        return wire

    async def close(self) -> None:
        self.closed = True
        if self._healing is not None:
            self._healing.cancel()
        if self._wire is not None:
            await self._wire.close()
        self._http.close()

    # -- calls

    async def call(
        self,
        verb: str,
        kind: type[T],
        fields: Fields,
        again: Again = Again.ALWAYS,
        *,
        deadline: float | None = None,
        on_part: OnPart | None = None,
    ) -> T:
        """The answer. `deadline`: the call's `timeout` is what is left until then, whenever it is sent.

        `fields` are read again when it is asked again.
        """
        self._check_open()
        more: dict[str, Any] = {"key": secrets.token_urlsafe(KEY_BYTES)} if BY_NAME[verb].keyed else {}
        cut = 0
        while True:
            wire = await self._wire_for(fields, cut)
            if deadline is not None:
                more["timeout"] = max(0.0, deadline - asyncio.get_running_loop().time())
            try:
                return shapes.made(kind, await wire.call(verb, {**fields, **more}, on_part))
            except (Cut, Stopping) as error:
                if isinstance(error, Stopping):
                    if again is not Again.ALWAYS:
                        raise
                    self.stopping = True
                    await wire.until_cut()
                cut += 1
                if self.closed or again is Again.NEVER or (again is Again.ONCE and cut > 1):
                    raise self._lost(fields, "it was cut") from None

    async def run(self, fields: Fields, deadline: float | None) -> Outcome | forms.CommandForm:
        """How a new command stands when it has settled or `deadline` is over; after a cut, that it has started.

        `fields` are those of `start`.
        """
        self._check_open()
        keyed = {**fields, "key": secrets.token_urlsafe(KEY_BYTES)}
        wire = await self._wire_for(fields, 0)
        wait = None if deadline is None else max(0.0, deadline - asyncio.get_running_loop().time())
        try:
            return shapes.made(Outcome, await wire.call("run", {**keyed, "wait": wait}))
        except Cut:
            if self.closed:
                raise self._lost(fields, "it was cut") from None
        wire = await self._wire_for(fields, 1)
        try:
            return shapes.made(forms.CommandForm, await wire.call("start", keyed))
        except Cut:
            raise self._lost(fields, "it was cut") from None

    async def _wire_for(self, fields: Fields, cut: int) -> Wire:
        try:
            return await self.open()
        except HostError as error:
            if not cut:
                raise
            if isinstance(error, ChannelLost):
                raise self._lost(fields, error.facts["reason"], "What ran there is lost") from error
            is_over = error.facts.get("reason") == "no server"  # no keeper has the socket: it was ended on purpose
            raise self._lost(fields, str(error), OVER if is_over else GOES_ON) from error

    def post(self, verb: str, fields: Fields) -> None:
        """A call whose answer is not waited for. It comes before every later one."""
        if self._wire is not None:
            self._wire.post(verb, fields)

    def _lost(self, fields: Fields, reason: object, outlook: str = GOES_ON) -> ChannelLost:
        names = {name: fields[name] for name in ("terminal_id", "command_id") if name in fields}
        if "terminal" in fields:
            names["terminal_id"] = fields["terminal"]
        message = f"the connection to {self.address.where} was lost: {reason}. {outlook}"
        return ChannelLost(message, reason=reason, **names)

    # -- blocking

    def ask(self, verb: str, kind: type[T], fields: Fields) -> T:
        """The same, at once: this thread waits for the answer. Raises ChannelLost."""
        return shapes.made(kind, self._asked(verb, fields).json())

    def read(self, verb: str, fields: Fields) -> tuple[bytes, int, int]:
        """Bytes, where to read on, and the size of the whole."""
        answer = self._asked(verb, fields)
        if answer.status >= 400:
            answer.json()
        return answer.body, int(answer.headers["truetty-next-offset"]), int(answer.headers["truetty-size"])

    def _asked(self, verb: str, fields: Fields) -> Answer:
        self._check_open()
        row = BY_NAME[verb]
        known = {field.name: field.kind for field in row.fields}
        named = {name: value for name, value in fields.items() if value is not None}
        path = row.path
        for name in [name for name in named if f"{{{name}}}" in path]:
            path = path.replace(f"{{{name}}}", quoted(str(named.pop(name))))
        key = secrets.token_urlsafe(KEY_BYTES) if row.keyed else None
        with self._asking:
            if row.method != "GET":
                return self._http.ask(row.method, path, None, named, key=key, again=False)
            query = {
                name: value if known[name].is_text and isinstance(value, str) else json.dumps(value)
                for name, value in named.items()
            }
            return self._http.ask("GET", path, query)

    def hang_up(self) -> None:
        """The connection for `ask` is not kept: no server is there any more."""
        with self._asking:
            self._http.close()

    def _dial(self) -> socket.socket:
        made = self.address.dial(start=not self.stopping)
        made.setblocking(True)
        return made

    # -- watching

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """While inside, the connection is made anew as soon as it was cut: events are waited for."""
        self._watchers += 1
        try:
            if self._wire is not None and self._wire.is_cut:
                self._heal()
            yield
        finally:
            self._watchers -= 1

    def _watch(self, wire: Wire) -> None:
        async def follow() -> None:
            await wire.until_cut()
            if self._watchers and not self.closed:
                with contextlib.suppress(HostError):
                    await self.open()

        self._healing = asyncio.ensure_future(follow())

    def _heal(self) -> None:
        assert self._wire is not None
        self._watch(self._wire)

    def _hear(self, event: dict[str, Any]) -> None:
        self._seq, self._epoch = event["seq"], event["epoch"]
        if event["event"] == "server" and event.get("stopping"):
            self.stopping = True
        self._on_event(event)

    def _check_open(self) -> None:
        if self.closed:
            raise Misuse(f"the connection to {self.address.where} was closed: connect again")
