"""Who is told of a change, in which order, and what a failure of one means for the others."""

from __future__ import annotations

import asyncio

import pytest

from tests.patience import PATIENCE
from truetty.terminal.changes import Changes, Rank


async def test_a_subscriber_that_fails_keeps_nobody_from_being_told() -> None:
    changes, told, failures = Changes(), [], []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context["exception"]))

    def fail() -> None:
        raise RuntimeError("no descriptors left")

    changes.subscribe(fail, Rank.OWNERS)
    changes.subscribe(lambda: told.append("second"), Rank.OWNERS)
    waiting = asyncio.ensure_future(changes.until(lambda: bool(told), PATIENCE))
    await asyncio.sleep(0)
    changes.tell()
    await waiting
    assert told == ["second"] and [str(failure) for failure in failures] == ["no descriptors left"]


async def test_a_condition_that_fails_is_its_own_waiters_error() -> None:
    changes, holds = Changes(), False

    def condition() -> bool:
        if holds:
            raise OSError("too many open files")
        return False

    failing = asyncio.ensure_future(changes.until(condition, PATIENCE))
    other = asyncio.ensure_future(changes.until(lambda: holds, PATIENCE))
    await asyncio.sleep(0)
    holds = True
    changes.tell()
    await other
    with pytest.raises(OSError, match="too many open files"):
        await failing


async def test_who_has_left_is_not_told() -> None:
    changes, told = Changes(), []
    leave = changes.subscribe(lambda: told.append(1), Rank.OWNERS)
    changes.tell()
    leave()
    changes.tell()
    assert told == [1] and changes.subscribers == 0


async def test_nobody_waits_when_it_is_over() -> None:
    changes = Changes()
    waiting = asyncio.ensure_future(changes.until(lambda: False, None))
    await asyncio.sleep(0)
    changes.close()
    await asyncio.wait_for(waiting, PATIENCE)
    await changes.until(lambda: False, None)
    assert changes.waiters == 0


async def test_a_wait_that_wants_to_look_again_after_the_last_change_does() -> None:
    """As one for a pattern, which looks at a slice of the output at a time. No change may come after the last."""
    changes, slices = Changes(), 0
    is_there = False

    def holds() -> bool:
        nonlocal slices
        slices += is_there
        return slices == 5

    def again() -> float | None:
        return asyncio.get_running_loop().time() if is_there else None

    waiting = asyncio.ensure_future(changes.until(holds, None, again))
    while not changes.waiters:
        await asyncio.sleep(0)
    is_there = True
    changes.tell()
    await waiting
    assert slices == 5 and changes.waiters == 0
