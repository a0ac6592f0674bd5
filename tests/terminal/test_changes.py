"""Who hears of a change, in which order, and until when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.stage import PATIENCE
from truetty.terminal.changes import Changes, Rank


def test_the_order_is_that_of_the_ranks() -> None:
    changes, heard = Changes(), list[str]()
    for rank in (Rank.OWNERS, Rank.STREAMS, Rank.COMMAND, Rank.RECORDINGS, Rank.ANSWERS):
        changes.subscribe(lambda name=rank.name: heard.append(name), rank)  # type: ignore[misc]
    changes.tell()
    assert heard == ["COMMAND", "ANSWERS", "STREAMS", "RECORDINGS", "OWNERS"]


def test_those_of_one_rank_come_in_the_order_in_which_they_came() -> None:
    changes, heard = Changes(), list[int]()
    for number in range(5):
        changes.subscribe(lambda number=number: heard.append(number), Rank.STREAMS)  # type: ignore[misc]
    changes.tell()
    assert heard == [0, 1, 2, 3, 4]


def test_who_has_left_hears_nothing() -> None:
    changes, heard = Changes(), list[str]()
    leave_early = changes.subscribe(lambda: heard.append("early"), Rank.STREAMS)
    leave: list[Callable[[], None]] = []
    changes.subscribe(lambda: leave[0](), Rank.COMMAND)
    leave.append(changes.subscribe(lambda: heard.append("late"), Rank.OWNERS))  # gone in the middle of a change
    leave_early()
    leave_early()
    changes.tell()
    assert heard == [] and changes.subscribers == 1


async def test_a_wait_sees_what_subscribers_have_settled() -> None:
    changes, settled = Changes(), list[bool]()
    changes.subscribe(lambda: settled.append(True), Rank.OWNERS)
    waiting = asyncio.ensure_future(changes.until(lambda: bool(settled), None))
    await asyncio.sleep(0)
    assert changes.waiters == 1
    changes.tell()
    await asyncio.wait_for(waiting, PATIENCE)
    assert changes.waiters == 0


async def test_the_end_ends_every_wait() -> None:
    changes = Changes()
    waiting = asyncio.ensure_future(changes.until(lambda: False, None))
    await asyncio.sleep(0)
    changes.close()
    await asyncio.wait_for(waiting, PATIENCE)
    await asyncio.wait_for(changes.until(lambda: False, None), PATIENCE)


async def test_a_cancelled_wait_leaves_nothing_behind() -> None:
    changes = Changes()
    waiting = asyncio.ensure_future(changes.until(lambda: False, PATIENCE))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert changes.waiters == 0
