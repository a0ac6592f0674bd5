"""What happens in the server, numbered: the newest events in a ring, and listeners that are places in it.

Rule 1: `seq` counts 1, 2, 3… in one life of the server, which `epoch` names. A listener that asks with another epoch,
        or for what the ring no longer has, gets `reset`: how everything stands now, and the number to go on from.
Rule 2: a listener is a number. Nothing is queued for it, so one that does not read costs nothing; one that is too far
        behind gets a reset.
Rule 3: an event is written as JSON once, for all listeners.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final

from truetty.server import limits
from truetty.server.rights import Credential

LONG_AGO: Final = -1  # the number of an event that no ring has
# Events that name the terminal they are about.
OF_TERMINALS: Final = frozenset({"waiting", "resumed", "progress", "downgraded", "healed", "lease", "handoff_over"})


# JSON in ASCII: half a character, which stands for a byte that is no UTF-8, travels too. Values are trees: none is
# searched for a circle.
encoded: Final[Callable[[object], str]] = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Events:
    """`state` says how everything stands, for a reset."""

    def __init__(self, state: Callable[[], Mapping[str, Any]], clock: Callable[[], float] = time.time) -> None:
        self.epoch: Final = secrets.token_hex(8)
        self.listeners = 0
        self.pages = 0  # listeners that are pages by which any question can be answered
        self.over = False  # the server ends: no more will come
        self._state = state
        self._clock = clock
        self._ring: deque[str] = deque()
        self._bytes = 0
        self._last = 0
        self._listeners: set[Listener] = set()
        self._taken = asyncio.Event()

    @property
    def seq(self) -> int:
        """The number of the last one."""
        return self._last

    @property
    def _first(self) -> int:
        """The number of the oldest in the ring."""
        return self._last - len(self._ring) + 1

    def publish(self, event: str, **facts: object) -> None:
        self._last += 1
        text = encoded({"seq": self._last, "epoch": self.epoch, "at": self._clock(), "event": event, **facts})
        self._ring.append(text)
        self._bytes += len(text)
        while len(self._ring) > limits.MOST_EVENTS or (self._bytes > limits.MOST_EVENT_BYTES and len(self._ring) > 1):
            self._bytes -= len(self._ring.popleft())
        self.wake()

    def wake(self) -> None:
        for one in self._listeners:
            one.on_news()

    def listen(
        self, since: int | None = None, epoch: str | None = None, on_news: Callable[[], None] | None = None
    ) -> Listener:
        """From the event after `since` on; None: from the next one on. `on_news` is called when there may be one."""
        known = since is not None and since <= self._last and epoch in (None, self.epoch)
        return Listener(self, self._last if since is None else since if known else LONG_AGO, on_news)

    def after(self, seq: int) -> tuple[int, list[str]]:
        """The number to go on from, and what has come since this one: its events, or a reset."""
        if seq == self._last:
            return seq, []
        if seq < self._first - 1 or self._last - seq > limits.MOST_BEHIND:
            return self._last, [self._reset()]
        behind = self._last - seq
        return self._last, [self._ring[index] for index in range(len(self._ring) - behind, len(self._ring))]

    def _reset(self) -> str:
        facts = {"seq": self._last, "epoch": self.epoch, "at": self._clock(), "event": "reset"}
        return encoded({**facts, **self._state()})

    async def close(self) -> None:
        """Comes back when every listener has taken the last one, or takes nothing any more."""
        self.over = True
        self.wake()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limits.LAST_WORDS_SECONDS):
                while any(one.seq < self._last for one in self._listeners):
                    self._taken.clear()
                    await self._taken.wait()

    def on_take(self) -> None:
        self._taken.set()

    def add(self, listener: Listener) -> None:
        self._listeners.add(listener)
        self.listeners = len(self._listeners)

    def remove(self, listener: Listener) -> None:
        self._listeners.discard(listener)
        self.listeners = len(self._listeners)
        self.on_take()


class Listener:
    """A place in the ring. Where there may be something to take, `on_news` is called; None: `wake` is set."""

    def __init__(self, events: Events, seq: int, on_news: Callable[[], None] | None = None) -> None:
        self.wake: Final = asyncio.Event()
        self.on_news: Final = on_news or self.wake.set
        self._events = events
        self.seq = seq  # of the last one that was taken
        events.add(self)

    @property
    def is_behind(self) -> bool:
        """Whether there is something to take."""
        return self.seq != self._events.seq

    def take(self) -> list[str]:
        """What has come since it was last asked, each as JSON."""
        self.seq, found = self._events.after(self.seq)
        self._events.on_take()
        return found

    def close(self) -> None:
        self._events.remove(self)


async def texts(events: Events, listener: Listener, credential: Credential) -> AsyncIterator[str]:
    """Each event when it comes, and a heartbeat where there are none for a while. It ends with the server."""
    while True:
        listener.wake.clear()
        for text in listener.take():
            if (visible := _visible(text, credential)) is not None:
                yield visible
        if events.over:  # the last one, which says why, was among these
            return
        try:
            async with asyncio.timeout(limits.HEARTBEAT_SECONDS):
                await listener.wake.wait()
        except TimeoutError:
            yield encoded({"event": "heartbeat", "seq": events.seq, "epoch": events.epoch})


def _visible(text: str, credential: Credential) -> str | None:
    """The event, as far as it is about what this credential is for. None: it is not."""
    if credential.terminal is None:
        return text
    event = json.loads(text)
    match event:
        case {"event": "reset", "terminals": terminals, "commands": commands}:
            others: dict[str, Any] = {name: [] for name, value in event.items() if isinstance(value, list)}
            mine = {"terminals": terminals, "commands": commands}
            own = {name: [one for one in mine[name] if credential.covers(one["id"])] for name in mine}
            own["handoffs"] = [one for one in event.get("handoffs", ()) if credential.covers(one["terminal_id"])]
            return encoded({**event, **others, **own})
        case {"event": "server"}:
            return text
        case {"terminal": {"id": id}} | {"command": {"terminal_id": id}} | {"handoff": {"terminal_id": id}}:
            return text if credential.covers(id) else None
        case {"event": event, "terminal_id": id} if event in OF_TERMINALS:
            return text if credential.covers(id) else None
    return None
