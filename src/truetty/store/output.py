"""The output of one command: a window on the terminal's transcript without our own marks in it.

Rule 1: everything is read when asked for: running, finished or closed.
Rule 2: offsets of `read` count the program's bytes from the window's start, holes left out.
Rule 3: what may take long is there twice: at once (`output.grep`), and in slices that give the event loop back
        (`await output.slices.grep`).
"""

from __future__ import annotations

import asyncio
import builtins
import functools
import re
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from typing import Concatenate, ParamSpec, TypeVar

from truetty.store.clean_text import Summary
from truetty.store.part import Part
from truetty.store.reader import Reader
from truetty.store.reads import PAGE_LENGTH, Reads
from truetty.store.search import Match
from truetty.store.slices import Work, finish, in_slices
from truetty.store.window import Window
from truetty.text.digest import Budget

P = ParamSpec("P")
T = TypeVar("T")


def _sliced(
    read: Callable[Concatenate[Reads, P], Work[T]],
) -> Callable[Concatenate[Slices, P], Coroutine[object, object, T]]:
    @functools.wraps(read)
    async def awaitable(self: Slices, /, *arguments: P.args, **options: P.kwargs) -> T:
        return await in_slices(read(self.reads, *arguments, **options))

    return awaitable


class Slices:
    """The long reads of an output, to be awaited: other tasks of the event loop run every few milliseconds."""

    def __init__(self, reads: Reads) -> None:
        self.reads = reads
        self._reading = asyncio.Lock()  # one at a time moves the cursor of `unread`

    text = _sliced(Reads.text)
    page = _sliced(Reads.page)
    part = _sliced(Reads.part)
    last = _sliced(Reads.last)
    search = _sliced(Reads.search)
    grep = _sliced(Reads.grep)
    lines = _sliced(Reads.lines)
    slice = _sliced(Reads.slice)
    summary = _sliced(Reads.summary)

    async def unread(self, budget: int | Budget | None = None) -> str:
        """As `Output.unread`. A caller that is cancelled has read nothing."""
        return (await self.fresh(budget)).text

    async def fresh(self, budget: int | Budget | None, *, anew: bool = False) -> Part:
        """As `unread`, counted; `anew`: from the beginning."""
        async with self._reading:
            return await in_slices(self.reads.unread(budget, anew=anew))


class Output:
    """`terminal.command.output`: what one command has printed."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._reads = Reads(window)
        self._slices: Slices | None = None  # most outputs are read by their summary alone

    @property
    def slices(self) -> Slices:
        """The reads that may take long, to be awaited: `matches = await output.slices.grep("error")`."""
        if self._slices is None:
            self._slices = Slices(self._reads)
        return self._slices

    @property
    def bytes(self) -> int:
        """How many bytes the program has printed, those in a gap included."""
        return sum(last - first for first, last in self._window.whole())

    @property
    def path(self) -> str | None:
        """The file with the whole transcript; None while that is in memory."""
        return self._window.transcript.path

    @property
    def complete(self) -> bool:
        """Whether every byte printed so far is stored."""
        return not self.missing

    @property
    def missing(self) -> int:
        """How many bytes could not be stored."""
        gaps = self._window.transcript.gaps
        return sum(end - start for first, last in self._window.whole() for start, end in gaps(first, last))

    def raw(self) -> builtins.bytes:
        """The program's bytes as the pty gave them."""
        return self.read()

    def read(self, offset: int = 0, limit: int | None = None) -> builtins.bytes:
        """The bytes in [offset, offset + limit), those in a gap left out."""
        skip = max(0, offset)
        left = self._window.transcript.size if limit is None else max(0, limit)
        parts: list[builtins.bytes] = []
        for first, last in self._window.whole():
            begin = min(first + skip, last)
            skip -= begin - first
            stop = min(last, begin + left)
            left -= stop - begin
            parts.append(self._window.transcript.read(begin, stop - begin))
            if not left:
                break
        return b"".join(parts)

    @property
    def lines(self) -> int:
        """Lines of the clean text; a last one without its newline counts."""
        return finish(self._reads.lines())

    def text(self, budget: int | Budget | None = None, head: int | None = None, tail: int | None = None) -> str:
        """Clean text: all of it, within a budget of characters, or only the first and the last lines of it."""
        return finish(self._reads.text(budget, head, tail))

    def page(self, offset: int = 0, limit: int = PAGE_LENGTH) -> str:
        """The characters [offset, offset + limit) of the clean text; "" behind its end."""
        return finish(self._reads.page(offset, limit))

    def unread(self, budget: int | Budget | None = None) -> str:
        """Clean text that this method has not returned before."""
        return finish(self._reads.unread(budget)).text

    @property
    def all_given(self) -> bool:
        """Whether `unread` has given everything there is."""
        return self._reads.all_read

    @property
    def reads(self) -> Reads:
        """What its reads go by."""
        return self._reads

    def reader(self) -> Reader:
        """Another cursor, at the start of the output."""
        return self._reads.reader()

    def hold(self, budget: Budget | None = None) -> AbstractContextManager[None]:
        """While inside, clean text that was made stays in memory, so that the next read of it makes none.

        `budget` is one that a summary will be asked for.
        """
        return self._reads.hold(budget)

    def grep(self, pattern: str | re.Pattern[str], context: int = 0, limit: int | None = None) -> list[Match]:
        """Lines that the pattern is found in, with `context` lines around each; at most `limit` of them."""
        return finish(self._reads.grep(pattern, context, limit))

    def summary(self, budget: Budget) -> Summary:
        """Clean text within the budget, and exact counts."""
        return finish(self._reads.summary(budget))
