"""Long work in slices: no other task of the event loop waits for it longer than some milliseconds.

Rule 1: long work is a generator. It yields after every portion that the cleaner takes, and returns its result.
Rule 2: `finish(work)` does all of it at once; `await in_slices(work)` gives the loop back between two slices.
Rule 3: between two slices the output may grow and the caller may be cancelled: work changes no shared state before its
        last piece.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Final, TypeVar

SLICE_SECONDS: Final = 0.004  # seconds: a frame of 60 per second has 16

T = TypeVar("T")
Work = Generator[None, None, T]


def finish(work: Work[T]) -> T:
    """All of it, now."""
    while True:
        try:
            next(work)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]  # what a generator returns is Any in the exception


async def in_slices(work: Work[T]) -> T:
    """All of it; whatever else is ready on the loop goes first, every few milliseconds."""
    clock = asyncio.get_running_loop().time
    until = clock() + SLICE_SECONDS
    while True:
        try:
            next(work)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
        if clock() >= until:
            await turn()
            until = clock() + SLICE_SECONDS


async def turn() -> None:
    """Let everything else that is ready go first."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[None] = loop.create_future()
    loop.call_soon(_wake, future)
    await future


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
