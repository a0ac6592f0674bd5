"""Retry keys, and turns."""

from __future__ import annotations

import asyncio

import pytest

from truetty import LimitReached, Misuse
from truetty.server import limits
from truetty.server.refusals import KeyReused
from truetty.server.state.keys import Keys
from truetty.server.wire.turns import Turns


class Work:
    def __init__(self) -> None:
        self.begun = 0
        self.may_end = asyncio.Event()
        self.error: Exception | None = None

    async def __call__(self) -> int:
        self.begun += 1
        await self.may_end.wait()
        if self.error is not None:
            raise self.error
        return self.begun


async def test_the_same_request_is_carried_out_once() -> None:
    keys, work = Keys(), Work()
    asked = [asyncio.ensure_future(keys.once("k", "run", {"a": 1}, work)) for _ in range(5)]
    await asyncio.sleep(0)
    with pytest.raises(KeyReused):
        await keys.once("k", "run", {"a": 2}, work)
    with pytest.raises(KeyReused):
        await keys.once("k", "start", {"a": 1}, work)
    asked[0].cancel()  # its client has gone
    work.may_end.set()
    assert await asyncio.gather(*asked[1:]) == [1] * 4
    assert await keys.once("k", "run", {"a": 1}, work) == 1


async def test_what_was_refused_may_be_tried_again() -> None:
    keys, work = Keys(), Work()
    work.may_end.set()
    work.error = Misuse("no")
    with pytest.raises(Misuse):
        await keys.once("k", "run", {}, work)
    await asyncio.sleep(0)
    work.error = None
    assert await keys.once("k", "run", {"other": 1}, work) == 2


async def test_old_keys_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    keys, work = Keys(lambda: now[0]), Work()
    work.may_end.set()
    monkeypatch.setattr(limits, "MOST_KEYS", 3)
    for key in "abcd":
        await keys.once(key, "run", {}, work)
    assert await keys.once("b", "run", {}, work) == 2
    assert await keys.once("a", "run", {}, work) == 5  # there were more than three
    now[0] = limits.KEY_SECONDS + 1
    assert await keys.once("d", "run", {}, work) == 6


async def test_what_is_under_way_ends_with_the_server() -> None:
    keys, work = Keys(), Work()
    asked = asyncio.ensure_future(keys.once("k", "run", {}, work))
    await asyncio.sleep(0)
    await keys.close()
    with pytest.raises(asyncio.CancelledError):
        await asked


async def test_turns_are_given_back_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CALLS", 1)
    monkeypatch.setattr(limits, "MOST_WAITS", 1)
    in_all = asyncio.Semaphore(1)
    turns = Turns(in_all)
    turn = await turns.next()
    await turn.begin()
    assert turns.calls.locked() and in_all.locked()
    async with turn.rest():
        other = await turns.next()  # there is room while it waits
        with pytest.raises(LimitReached):
            async with other.rest():
                pass
        other.end()
    assert turns.calls.locked() and in_all.locked()
    with pytest.raises(ZeroDivisionError):
        async with turn.rest():
            raise ZeroDivisionError
    assert not turns.calls.locked() and not in_all.locked()
    turn.end()
    turn.end()
    assert not turns.calls.locked()
    last = await turns.next()
    async with last.rest():
        last.end()  # its client has gone meanwhile
    assert not turns.calls.locked() and turns.waits == 0
