"""A terminal on a scripted channel, for tests that choose the order of things."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import truetty
from tests.patience import PATIENCE as PATIENCE
from truetty.core.observation import Observation
from truetty.core.testimony import Secrets
from truetty.terminal.options import Options
from truetty.terminal.wire.conversation import Conversation
from truetty.testing import FakeChannel, mark

READY = Observation("ready", reader=4242, program="bash")
LINE = Observation("waiting", kind="line", reader=77, program="cat", wakes=1)
KEY = Observation("waiting", kind="key", reader=78, program="vim", wakes=1)


class Stage:
    """A terminal and its fake shell."""

    def __init__(self, options: Options | None = None) -> None:
        self.channel = FakeChannel()
        self.observer = self.channel.observer
        given = replace(options or Options("bash", startup=5), channel=self.channel)
        self.terminal = truetty.Terminal(given.shell, **given.arguments())

    def part(self, part: bytes | tuple[object, ...]) -> bytes:
        """Bytes as they are; a tuple is a mark of the newest command: its letter, and what follows the secret."""
        if isinstance(part, bytes):
            return part
        conversation = self.terminal._conversation
        assert conversation is not None
        secrets = secrets_of(conversation)
        known = {
            "C": secrets.start,
            "M": secrets.start,
            "D": secrets.end,
            "H": secrets.answer,
            "P": secrets.key,
            "2": secrets.key,
        }
        letter, *rest = part
        return mark(str(letter), known[str(letter)], *rest)

    def say(self, *parts: bytes | tuple[object, ...]) -> None:
        self.channel.say(b"".join(map(self.part, parts)))

    async def open(self) -> truetty.Terminal:
        opening = asyncio.ensure_future(self.terminal.__aenter__())
        await asyncio.sleep(0)
        self.say(("P", 0, "himBHs"), b"$ ")
        return await asyncio.wait_for(opening, PATIENCE)

    def typed(self) -> bytes:
        """What was typed since this was last asked."""
        typed = bytes(self.channel.written)
        self.channel.written.clear()
        return typed

    async def looked(self, times: int = 3) -> None:
        """Wait until that many further looks were made."""
        goal = self.observer.looks + times
        await until(lambda: self.observer.looks >= goal)


def secrets_of(conversation: Conversation) -> Secrets:
    """Of the newest command; before the first, only the terminal's own."""
    run = conversation.run
    return run.secrets if run is not None else Secrets("", "", "", conversation.link.typist.lines)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.002)
