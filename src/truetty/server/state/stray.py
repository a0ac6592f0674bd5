"""Terminals that the keeper holds and the journal does not describe."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Final

from truetty.core.observation import Observation
from truetty.host.base import Ended
from truetty.host.kept_hold import HeldPty, KeeperLink, KeptHold
from truetty.host.pty import LocalChannel
from truetty.server.forms import StrayForm

PIECE: Final = 1 << 20


class Nowhere:
    """For the output of a terminal of which no caller knows."""

    size = 0

    def take(self, master: int) -> bytes:
        return os.read(master, PIECE)


class Stray:
    """Its programs go on. What they print is read, so that they do not block, and is lost. No caller sees it."""

    def __init__(self, link: KeeperLink, held: HeldPty, folder: str, why: str, on_end: Callable[[Stray], None]) -> None:
        self.id: Final = held.name
        self.pid: Final = held.shell
        self.why: Final = why  # it was not taken over
        self._on_end = on_end
        self._channel = undescribed(link, held, folder)
        self._channel.attach(self)

    def on_data(self, data: bytes) -> None:
        return

    def on_look(self, seen: Observation, at: int) -> None:
        return

    def on_end(self, ended: Ended) -> None:
        self._closing = asyncio.ensure_future(self._channel.close())
        self._on_end(self)

    @property
    def form(self) -> StrayForm:
        return StrayForm(self.id, self.pid, self.why, f"kill -HUP {self.pid}")


def undescribed(link: KeeperLink, held: HeldPty, folder: str) -> LocalChannel:
    """Its channel. `folder`: a path where nothing is, since its private directory is not known."""
    return KeptHold(link, held.name, Nowhere()).adopt(held, folder)
