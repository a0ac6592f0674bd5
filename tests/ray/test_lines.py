"""The ends of a tunnel, without Ray between them."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.patience import PATIENCE
from truetty.ray.lines import WINDOW, Lines


async def carry(source: Lines, target: Lines) -> None:
    while True:
        target.put(await source.take())


@asynccontextmanager
async def tunnel(count: int) -> AsyncIterator[list[tuple[socket.socket, socket.socket]]]:
    """The outer sockets of connections that lead through it."""
    here, there = Lines(), Lines()
    pairs = []
    for number in range(count):
        (near, ours), (theirs, far) = socket.socketpair(), socket.socketpair()
        near.setblocking(False)
        far.setblocking(False)
        here.add(number, ours)
        there.add(number, theirs)
        pairs.append((near, far))
    tasks = [asyncio.ensure_future(carry(here, there)), asyncio.ensure_future(carry(there, here))]
    try:
        async with asyncio.timeout(PATIENCE):
            yield pairs
    finally:
        for task in tasks:
            task.cancel()
        here.close()
        there.close()
        await asyncio.sleep(0)
        for near, far in pairs:
            near.close()
            far.close()


async def read_all(stream: socket.socket, size: int) -> bytes:
    loop, data = asyncio.get_running_loop(), bytearray()
    while len(data) < size:
        data += await loop.sock_recv(stream, 1 << 16)
    return bytes(data)


async def test_bytes_come_as_they_were_sent_in_both_directions() -> None:
    loop = asyncio.get_running_loop()
    there, back = random.Random(1).randbytes(5 * WINDOW), random.Random(2).randbytes(3 * WINDOW)
    async with tunnel(1) as [(near, far)]:
        _, _, one, two = await asyncio.gather(
            loop.sock_sendall(near, there),
            loop.sock_sendall(far, back),
            read_all(far, len(there)),
            read_all(near, len(back)),
        )
        assert (one, two) == (there, back)


async def test_a_connection_that_is_not_read_holds_up_no_other() -> None:
    loop = asyncio.get_running_loop()
    async with tunnel(2) as [(stuck, _), (near, far)]:
        filling = asyncio.ensure_future(loop.sock_sendall(stuck, bytes(8 * WINDOW)))
        for number in range(100):
            await loop.sock_sendall(near, b"%03d" % number)
            assert await read_all(far, 3) == b"%03d" % number
        assert not filling.done()
        filling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await filling


async def test_an_end_comes_behind_the_last_bytes() -> None:
    loop = asyncio.get_running_loop()
    async with tunnel(1) as [(near, far)]:
        await loop.sock_sendall(near, b"last")
        near.close()
        assert await loop.sock_recv(far, 100) == b"last"
        assert await loop.sock_recv(far, 100) == b""
