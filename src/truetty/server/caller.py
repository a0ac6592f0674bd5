"""Who calls a verb: what it is named, how long its calls may wait, and what stands for it in the registry."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol

from truetty.server import limits
from truetty.server.rights import OWNER, Credential


class Caller(Protocol):
    @property
    def name(self) -> str | None:
        """What the client calls itself."""

    @property
    def longest_wait(self) -> float | None:
        """Seconds that one of its calls may wait; None: without end."""

    @property
    def credential(self) -> Credential:
        """What it may do."""

    def token(self, caller: str | None) -> object:
        """What has the terminals that this caller acquires. It is over when the client has gone."""

    def rest(self) -> AbstractAsyncContextManager[None]:
        """Around a wait: meanwhile other calls of the client are carried out."""


class HttpCaller:
    """One request. It is over when it was answered."""

    longest_wait = limits.LONGEST_POLL

    def __init__(self, name: str | None, credential: Credential = OWNER) -> None:
        self.name = credential.name or name
        self.credential = credential

    def token(self, caller: str | None) -> object:
        return asyncio.current_task()

    def rest(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()
