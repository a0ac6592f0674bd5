"""What becomes of the lease of `truetty attach`, frame by frame: a server would have to be slow at the right moment."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any, Self, cast

import pytest

from truetty.cli.attach.keyboard import DetachKeys
from truetty.cli.attach.session import Detached, Session
from truetty.cli.attach.tty import Tty
from truetty.cli.terminals.server import Server
from truetty.client.view import View

LEAVE = b"\x1d\x1d"
HELLO = {"t": "hello", "epoch": "e"}
UNKNOWN = {"t": "error", "code": "held", "message": "this lease of t1 is over", "facts": {}}
OURS = {"t": "lease", "mine": True, "holder": "ada", "reason": "attached"}
NOT_OURS = {"t": "lease", "mine": False, "holder": "ada", "reason": "attached"}
FREE = {"t": "lease", "mine": False, "holder": None, "reason": None}


class ATty:
    size = (80, 24)

    def __init__(self, input: int) -> None:
        self.input = input
        self.shown = b""

    def enter(self) -> None:
        pass

    def write(self, data: bytes) -> None:
        self.shown += data


class AServer:
    address = None

    def __init__(self) -> None:
        self.taken = 0
        self.given_back: list[str] = []

    def again(self, **_: object) -> Self:
        return self

    def post(self, path: str, **_: object) -> dict[str, str]:
        self.taken += 1
        return {"lease": f"L{self.taken}"}

    def delete(self, path: str) -> None:
        self.given_back.append(path.rpartition("/")[2])


class AView:
    """Gives these frames; after the last one the person leaves."""

    def __init__(self, keyboard: int, frames: list[dict[str, Any]]) -> None:
        self._keyboard = keyboard
        self._frames = frames

    async def take(self) -> dict[str, Any]:
        if not self._frames:
            os.write(self._keyboard, LEAVE)
            await asyncio.Event().wait()
        return self._frames.pop(0)

    async def say(self, frame: object) -> None:
        pass

    async def close(self) -> None:
        pass


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


@pytest.mark.parametrize(
    ("frames", "taken", "given_back"),
    [
        ([HELLO, OURS], 1, ["L1"]),
        ([HELLO, UNKNOWN, OURS], 2, ["L2"]),
        ([HELLO, UNKNOWN, NOT_OURS, OURS], 2, ["L2"]),  # it was told to all viewers before it was ours
        ([HELLO, NOT_OURS, UNKNOWN, NOT_OURS, OURS], 2, ["L2"]),
        ([HELLO, OURS, FREE], 1, []),
        ([HELLO, UNKNOWN, NOT_OURS, OURS, FREE], 2, []),
    ],
)
async def test_whose_lease_it_is(
    frames: list[dict[str, Any]],
    taken: int,
    given_back: list[str],
    pipe: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tty, server = ATty(pipe[0]), AServer()

    async def over(*_: object) -> AView:
        return AView(pipe[1], list(frames))

    monkeypatch.setattr(View, "over", over)
    session = Session(cast(Tty, tty), cast(Server, server), "t1", take=True, keys=DetachKeys.read(None))
    with pytest.raises(Detached):
        await session.run()
    session.give_back()
    assert (server.taken, server.given_back) == (taken, given_back)
    assert (b"no longer have" in tty.shown) is (not given_back)
