"""The verbs about all that was run, carried out.

Rule 1: counts are exact for what was searched, and what was not searched is said.
Rule 2: a search gives the loop back every few milliseconds, and ends after two seconds.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator
from typing import Final

from truetty.core.errors import Misuse
from truetty.core.patterns import BoundedPattern, searches
from truetty.server import forms
from truetty.server.caller import Caller
from truetty.server.watch import Watch
from truetty.service.service import Service
from truetty.store.search import Match
from truetty.terminal.command import Command

STATES: Final = ("running", "waiting", "finished", "lost", "ok", "failed")
MOST_LISTED: Final = 500
MOST_HITS: Final = 1000
MOST_OF_ONE: Final = 50  # hits of one command
SEARCH_SECONDS: Final = 2.0
MOST_SPANS: Final = 20  # of a line
SHOWN: Final = 400  # characters of a line
BEFORE: Final = 80  # of these, before the first place
MOST_CHARACTERS: Final = 200_000  # of lines of one command that are looked at more closely


class HistoryActs:
    def __init__(self, service: Service, watch: Watch) -> None:
        self._service = service
        self._watch = watch

    async def history(
        self,
        caller: Caller,
        *,
        terminal_id: str | None,
        state: str | None,
        by: str | None,
        since: float | None,
        before: str | None,
        limit: int,
    ) -> forms.History:
        found = self._chosen(terminal_id, state, by, since)
        begin = 0
        if before is not None:
            places = [place for place, one in enumerate(found) if one.id == before]
            if not places:
                raise Misuse(f"{before[:100]!r} is not in this list any more: begin anew", before=before[:100])
            begin = places[0] + 1
        page = found[begin : begin + min(limit, MOST_LISTED)]
        more = begin + len(page) < len(found)
        terminals = self._terminals(page, asked=terminal_id)  # one without a command has a name too
        return forms.History(tuple(page), terminals, len(found), page[-1].id if page and more else None)

    async def search(
        self,
        caller: Caller,
        *,
        q: str,
        regex: bool,
        case: bool,
        terminal_id: str | None,
        state: str | None,
        by: str | None,
        since: float | None,
        limit: int,
    ) -> forms.SearchForm:
        if not q:
            raise Misuse("there is nothing to look for: q is empty", name="q")
        pattern = BoundedPattern(("" if case else "(?i)") + (q if regex else re.escape(q)))
        chosen = self._chosen(terminal_id, state, by, since)
        results: list[forms.SearchedCommand] = []
        searched, left = 0, min(limit, MOST_HITS)
        try:
            async with asyncio.timeout(SEARCH_SECONDS):
                for form in chosen:
                    one = await self._search(self._service.command(form.id), form, pattern, left)
                    searched += 1
                    if one.count or one.spans:
                        results.append(one)
                        left -= len(one.hits)
        except TimeoutError:
            pass
        lines = sum(one.count for one in results)
        return forms.SearchForm(
            results=tuple(results),
            terminals=self._terminals(one.command for one in results),
            matches=lines + sum(bool(one.spans) for one in results),
            commands=len(results),
            searched=searched,
            of=len(chosen),
            more=searched < len(chosen) or lines > sum(len(one.hits) for one in results),
        )

    async def _search(
        self, command: Command, form: forms.CommandForm, pattern: BoundedPattern, left: int
    ) -> forms.SearchedCommand:
        most = min(left, MOST_OF_ONE)
        found = await command.output.slices.search(pattern, 0, MOST_CHARACTERS, most)
        hits = tuple(_hit(match, pattern) for match in found.matches)
        return forms.SearchedCommand(form, tuple(_spans(pattern, command.text)), found.count, hits)

    def _terminals(
        self, commands: Iterable[forms.CommandForm], asked: str | None = None
    ) -> tuple[forms.TerminalForm, ...]:
        ids = dict.fromkeys(one.terminal_id for one in commands) | ({} if asked is None else {asked: None})
        return tuple(self._watch.terminal(self._service.registry.get(id)) for id in ids)

    def _chosen(
        self, terminal_id: str | None, state: str | None, by: str | None, since: float | None
    ) -> list[forms.CommandForm]:
        """The newest first."""
        if state is not None and state not in STATES:
            raise Misuse(f"there is no state {state[:100]!r}; there are {', '.join(STATES)}", state=state[:100])
        if terminal_id is not None:
            self._service.registry.get(terminal_id)  # an unknown one is refused
        commands = [one for one in self._service.books.commands.all() if terminal_id in (None, one.terminal_id)]
        forms = map(self._watch.command, reversed(commands))
        return [
            one
            for one in forms
            if _is_in(one, state) and by in (None, one.by) and (since is None or (one.started_at or 0) > since)
        ]


def _is_in(command: forms.CommandForm, state: str | None) -> bool:
    ended = command.state == "finished"
    match state:
        case None:
            return True
        case "ok":
            return ended and command.exit_code == 0
        case "failed":
            return ended and command.exit_code not in (0, None)
        case _:
            return command.state == state


def _spans(pattern: BoundedPattern, text: str) -> Iterator[tuple[int, int]]:
    """Where it is found, the first places."""
    at, count = 0, 0
    while count < MOST_SPANS and at <= len(text):
        found = next((one for one in searches(pattern, text, at) if one is not None), None)
        if found is None:
            return
        end = found.start + len(found.text)
        if end > found.start:
            yield found.start, end
            count += 1
        at = max(end, found.start + 1)


def _hit(match: Match, pattern: BoundedPattern) -> forms.Hit:
    """The line, or what stands around the first place in it."""
    spans = list(_spans(pattern, match.line))
    column = max(0, spans[0][0] - BEFORE) if spans and len(match.line) > SHOWN else 0
    text = match.line[column : column + SHOWN]
    inside = [(begin - column, min(end - column, len(text))) for begin, end in spans if begin - column < len(text)]
    return forms.Hit(match.line_number, column, text, tuple(inside))
