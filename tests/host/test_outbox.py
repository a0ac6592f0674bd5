"""What a tty does not take at once is kept, and goes in order."""

from __future__ import annotations

import asyncio
import os
import tty
from collections.abc import Iterator

import pytest

from truetty.host.outbox import Outbox

MUCH = b"".join(b"%07d " % number for number in range(20_000))  # more than any pty holds


@pytest.fixture
def pair() -> Iterator[tuple[int, int]]:
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    yield master, slave
    os.close(master)
    os.close(slave)


def read(slave: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += os.read(slave, size - len(data))
    return data


async def test_all_of_it_arrives_in_order(pair: tuple[int, int]) -> None:
    master, slave = pair
    outbox = Outbox(master)
    outbox.write(MUCH)
    outbox.write(b"and more")
    reading = asyncio.get_running_loop().run_in_executor(None, read, slave, len(MUCH) + 8)
    await asyncio.wait_for(outbox.drained(), 30)
    assert await asyncio.wait_for(reading, 30) == MUCH + b"and more"


async def test_with_nothing_to_write_nobody_waits(pair: tuple[int, int]) -> None:
    outbox = Outbox(pair[0])
    await outbox.drained()
    outbox.write(b"short")
    await outbox.drained()
    assert read(pair[1], 5) == b"short"


async def test_what_is_dropped_keeps_nobody_waiting(pair: tuple[int, int]) -> None:
    master, _ = pair
    outbox = Outbox(master)
    outbox.write(MUCH)
    waiting = asyncio.ensure_future(outbox.drained())
    turned = asyncio.Event()
    asyncio.get_running_loop().call_soon(turned.set)
    await turned.wait()
    assert not waiting.done()
    outbox.drop()
    await asyncio.wait_for(waiting, 30)
    assert not asyncio.get_running_loop().remove_writer(master)  # it watches no longer
