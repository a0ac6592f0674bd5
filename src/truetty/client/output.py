"""The output of a command elsewhere, and the transcript of its terminal.

Rule 1: names and arguments are those of `truetty.Output` and of its transcript.
Rule 2: a plain method asks the server and waits for the answer, as a local one reads its file. `slices` has the reads
        that may take long, to be awaited.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from truetty.client.link import Again, Link
from truetty.core.errors import Misuse
from truetty.server import forms
from truetty.server.limits import LARGEST_READ, LARGEST_TEXT_ANSWER
from truetty.server.refusals import TooLarge
from truetty.store.reads import PAGE_LENGTH
from truetty.store.search import Match
from truetty.store.transcript import Range
from truetty.text.digest import Budget

_FLAGS: Final = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"), (re.VERBOSE, "x"), (re.ASCII, "a"))


def budget_field(budget: int | Budget | None) -> dict[str, Any] | None:
    return None if budget is None else asdict(Budget.of(budget))


def pattern_field(pattern: str | re.Pattern[str]) -> str:
    """One text: the flags of a compiled pattern stand at its beginning."""
    if isinstance(pattern, str):
        return pattern
    if not isinstance(pattern, re.Pattern) or not isinstance(pattern.pattern, str):
        raise Misuse(f"a pattern is a text or a compiled one, not {pattern!r}", pattern=pattern)
    flags = "".join(letter for flag, letter in _FLAGS if pattern.flags & flag)
    return f"(?{flags}){pattern.pattern}" if flags else pattern.pattern


def _check_lines(head: int | None, tail: int | None) -> None:
    if min(head or 0, tail or 0) < 0:
        raise Misuse("no number of lines is negative", head=head, tail=tail)


def _check_page(offset: int, limit: int) -> None:
    if min(offset, limit) < 0:
        raise Misuse("no offset and no limit is negative", offset=offset, limit=limit)


class Slices:
    """The long reads of an output, to be awaited."""

    def __init__(self, link: Link, command_id: str) -> None:
        self._link = link
        self._which = {"command_id": command_id, "exact": True}

    async def text(self, budget: int | Budget | None = None, head: int | None = None, tail: int | None = None) -> str:
        """Clean text: all of it, within a budget of characters, or only the first and the last lines of it."""
        _check_lines(head, tail)
        fields = {**self._which, "budget": budget_field(budget), "head": head, "tail": tail}
        try:
            return (await self._link.call("text", forms.Text, fields)).text
        except TooLarge:
            parts: list[str] = []
            while part := await self.page(sum(map(len, parts)), LARGEST_TEXT_ANSWER):
                parts.append(part)
            return "".join(parts)

    async def page(self, offset: int = 0, limit: int = PAGE_LENGTH) -> str:
        """The characters [offset, offset + limit) of the clean text; "" behind its end."""
        _check_page(offset, limit)
        return (await self._link.call("page", forms.Text, {**self._which, "offset": offset, "limit": limit})).text

    async def unread(self, budget: int | Budget | None = None) -> str:
        """As `Output.unread`."""
        fields = {**self._which, "budget": budget_field(budget)}
        return (await self._link.call("unread", forms.Text, fields, Again.ONCE)).text

    async def grep(self, pattern: str | re.Pattern[str], context: int = 0, limit: int | None = None) -> list[Match]:
        """Lines that the pattern is found in, with `context` lines around each; at most `limit` of them."""
        fields = {**self._which, "pattern": pattern_field(pattern), "context": context, "limit": limit}
        return list((await self._link.call("grep", forms.Matches, fields)).matches)

    async def lines(self) -> int:
        """Lines of the clean text; a last one without its newline counts."""
        return (await self._link.call("lines", forms.Count, self._which)).count


class Output:
    """`terminal.command.output`: what one command has printed."""

    def __init__(self, link: Link, command_id: str) -> None:
        self._link = link
        self._which = {"command_id": command_id, "exact": True}
        self._slices = Slices(link, command_id)

    @property
    def slices(self) -> Slices:
        """The reads that may take long, to be awaited: `matches = await output.slices.grep("error")`."""
        return self._slices

    @property
    def bytes(self) -> int:
        """How many bytes the program has printed, those in a gap included."""
        return self._stored.bytes

    @property
    def path(self) -> str | None:
        """The file with the whole transcript, on the server's machine; None while that is in memory."""
        return self._stored.path

    @property
    def complete(self) -> bool:
        """Whether every byte printed so far is stored."""
        return self._stored.complete

    @property
    def missing(self) -> int:
        """How many bytes could not be stored."""
        return self._stored.missing

    @property
    def all_given(self) -> bool:
        """Whether `unread` has given everything there is."""
        return self._stored.all_given

    @property
    def _stored(self) -> forms.OutputForm:
        return self._link.ask("output", forms.OutputForm, self._which)

    def raw(self) -> builtins.bytes:
        """The program's bytes as the pty gave them."""
        return self.read()

    def read(self, offset: int = 0, limit: int | None = None) -> builtins.bytes:
        """The bytes in [offset, offset + limit), those in a gap left out."""
        return b"".join(_pieces(self._link, "raw", self._which, offset, limit))

    @property
    def lines(self) -> int:
        """Lines of the clean text; a last one without its newline counts."""
        return self._link.ask("lines", forms.Count, self._which).count

    def text(self, budget: int | Budget | None = None, head: int | None = None, tail: int | None = None) -> str:
        """Clean text: all of it, within a budget of characters, or only the first and the last lines of it."""
        _check_lines(head, tail)
        fields = {**self._which, "budget": budget_field(budget), "head": head, "tail": tail}
        try:
            return self._link.ask("text", forms.Text, fields).text
        except TooLarge:
            parts: list[str] = []
            while part := self.page(sum(map(len, parts)), LARGEST_TEXT_ANSWER):
                parts.append(part)
            return "".join(parts)

    def page(self, offset: int = 0, limit: int = PAGE_LENGTH) -> str:
        """The characters [offset, offset + limit) of the clean text; "" behind its end."""
        _check_page(offset, limit)
        return self._link.ask("page", forms.Text, {**self._which, "offset": offset, "limit": limit}).text

    def unread(self, budget: int | Budget | None = None) -> str:
        """Clean text that this method has not returned before, on any connection."""
        return self._link.ask("unread", forms.Text, {**self._which, "budget": budget_field(budget)}).text

    def grep(self, pattern: str | re.Pattern[str], context: int = 0, limit: int | None = None) -> list[Match]:
        """Lines that the pattern is found in, with `context` lines around each; at most `limit` of them."""
        fields = {**self._which, "pattern": pattern_field(pattern), "context": context, "limit": limit}
        return list(self._link.ask("grep", forms.Matches, fields).matches)


class Transcript:
    """All bytes of one terminal."""

    def __init__(self, link: Link, terminal_id: str) -> None:
        self._link = link
        self._which = {"terminal_id": terminal_id, "exact": True}

    @property
    def size(self) -> int:
        """Bytes ever appended."""
        return self._form().size

    @property
    def path(self) -> str | None:
        """The file, on the server's machine; None while everything is in memory."""
        return self._form().path

    @property
    def trouble(self) -> str | None:
        """Why the disk did not take what it was last given; None when it did."""
        return self._form().trouble

    def read(self, offset: int = 0, limit: int | None = None) -> bytes:
        """The bytes in [offset, offset + limit), those in a gap left out."""
        return b"".join(_pieces(self._link, "transcript", self._which, offset, limit))

    def gaps(self, start: int = 0, end: int | None = None) -> tuple[Range, ...]:
        """What could not be kept, as spans of offsets."""
        return self._form(start, end).gaps

    def _form(self, start: int = 0, end: int | None = None) -> forms.TranscriptForm:
        return self._link.ask("gaps", forms.TranscriptForm, {**self._which, "start": max(0, start), "end": end})


def _pieces(link: Link, verb: str, which: dict[str, Any], offset: int, limit: int | None) -> Iterator[bytes]:
    at = max(0, offset)
    end = None if limit is None else at + max(0, limit)
    while end is None or at < end:
        wanted = LARGEST_READ if end is None else min(LARGEST_READ, end - at)
        data, following, size = link.read(verb, {**which, "offset": at, "limit": wanted})
        yield data
        end = size if end is None else min(end, size)  # of what was there at the beginning
        at = max(following, at + 1)
