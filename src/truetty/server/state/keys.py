"""Retry keys: a request that comes again with the same key is carried out once.

Rule 1: same key and same request: the same answer, also while the first is still being carried out.
Rule 2: same key and another request: `KeyReused`.
Rule 3: what was refused has done nothing, so its key is free again.
Rule 4: the request goes on when the client that sent it has gone: it may come again and ask.
Rule 5: keys outlive the server. A key is written down before anything is done, and what is done with it names it
        (`current`). The next server knows what was made with a key, and that nothing was.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from truetty.server import limits
from truetty.server.events import encoded
from truetty.server.refusals import KeyReused

# Of the request that is carried out now.
current: Final[ContextVar[str | None]] = ContextVar("key", default=None)


@dataclass(frozen=True, slots=True)
class PastKey:
    """A key of a server before this one."""

    key: str
    digest: str
    verb: str
    at: float  # seconds since 1970
    made: str | None  # the id of the terminal or command that was made with it

    def line(self) -> Mapping[str, Any]:
        """In the journal."""
        return {name: getattr(self, name) for name in self.__slots__}


Note = Callable[[PastKey], None]


@dataclass(frozen=True, slots=True)
class Record:
    """A key, and what it was used for."""

    key: str
    digest: str  # of the request
    verb: str
    at: float
    answering: asyncio.Task[Any]


def digest(verb: str, request: Mapping[str, Any]) -> str:
    text = encoded([verb, dict(sorted(request.items()))])
    return hashlib.sha256(text.encode()).hexdigest()


class Keys:
    """`note` is called before a request with a new key is carried out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, note: Note = lambda _: None) -> None:
        self._clock = clock
        self._note = note
        self._records: dict[str, Record] = {}
        self._past: dict[str, PastKey] = {}
        self._awaited: Counter[str] = Counter()  # by key: how many clients wait for the answer

    def take_over(self, keys: Iterable[PastKey]) -> None:
        """Those of a server before this one."""
        self._past = {one.key: one for one in keys}

    def past(self, key: str, verb: str, request: Mapping[str, Any]) -> PastKey | None:
        """What a server before this one has done with it."""
        found = self._past.get(key)
        if found is not None and found.digest != digest(verb, request):
            raise KeyReused(f"key {key} was used for another request ({found.verb})", key=key)
        return found

    async def once(
        self, key: str, verb: str, request: Mapping[str, Any], act: Callable[[], Coroutine[Any, Any, Any]]
    ) -> Any:
        self._drop(self._clock() - limits.KEY_SECONDS)
        wanted = digest(verb, request)
        record = self._records.get(key)
        if record is not None and record.digest != wanted:
            raise KeyReused(f"key {key} was used for another request ({record.verb})", key=key)
        if record is None:
            self._drop(inf, len(self._records) - limits.MOST_KEYS + 1)
            self._note(PastKey(key, wanted, verb, time.time(), None))
            before = current.set(key)
            answering = asyncio.ensure_future(act())  # which has a copy of the variable
            current.reset(before)
            record = self._records[key] = Record(key, wanted, verb, self._clock(), answering)
            answering.add_done_callback(lambda done: self._settle(key, done))
        self._awaited[key] += 1
        try:
            return await asyncio.shield(record.answering)
        finally:
            self._awaited[key] -= 1
            if not self._awaited[key]:
                del self._awaited[key]

    def is_awaited(self, key: str) -> bool:
        """Whether a client waits for the answer."""
        return key in self._awaited

    async def close(self) -> None:
        """Nothing that is under way goes on."""
        tasks = [record.answering for record in self._records.values() if not record.answering.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._records.clear()

    def _settle(self, key: str, done: asyncio.Task[Any]) -> None:
        record = self._records.get(key)
        if record is not None and record.answering is done and (done.cancelled() or done.exception() is not None):
            del self._records[key]

    def _drop(self, before: float, most: float = inf) -> None:
        """Of those that were answered, those from before this time, the oldest first and so many at most."""
        answered: list[str] = []
        for key, record in self._records.items():
            if record.at > before or len(answered) >= most:
                break
            if record.answering.done():
                answered.append(key)
        for key in answered:
            del self._records[key]
