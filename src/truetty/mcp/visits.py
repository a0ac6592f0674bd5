"""A person's way to a terminal that an agent handed over: who may come in, and for how long.

Rule 1: a link works once, and only for a while; so does a page nobody uses. Whoever used a link gets two keys, a cookie
        and one inside the page; both are needed, since a browser shows cookies of this machine to every server on it.
        For the same reason the page is shown again only to who has the cookie and the link that was used.
Rule 2: the terminal is the person's until it is given back, or until the command goes on after something was typed.
        If it asks again, the same page types again.
Rule 3: what is typed is passed on and kept nowhere.
Rule 4: what was asked for as a secret is typed only where a secret is still asked for, and as hidden as it was.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from dataclasses import dataclass, field
from typing import Final, Literal

from truetty import events
from truetty.core.errors import Denied
from truetty.questions.prompts import SECRETS
from truetty.service.handoffs import Handoff
from truetty.service.service import Service
from truetty.terminal.command import Command
from truetty.terminal.stream import Stream

# Long enough to find the window and the password; a link that lies about for longer is a key under the mat.
LINK_LASTS: Final = 15 * 60.0

# How a command takes what is typed: it shows nothing of it, it may show it though it asks for a secret, it may show it.
Asking = Literal["hidden", "secret", "open"]


@dataclass(slots=True, eq=False)
class Visit:
    """One command in one person's hands."""

    service: Service = field(repr=False)
    command: Command
    reason: str
    code: str | None = field(repr=False)  # in the link, until it is used
    ticket: str | None = field(repr=False)  # while the terminal is the person's
    cookie: str = field(repr=False)
    key: str = field(repr=False)
    used: str | None = field(default=None, repr=False)  # the link that was used
    shown: Asking = "open"  # as the page said when it was last looked at
    timer: asyncio.TimerHandle | None = None
    watch: asyncio.Task[None] | None = None

    @property
    def over(self) -> bool:
        return self.command.finished

    @property
    def held(self) -> bool:
        return self.ticket is not None and not self.over

    @property
    def asking(self) -> Asking:
        if self.over:
            return "open"
        if self.command.hides_typing:
            return "hidden"
        waiting = self.command.waiting
        return "secret" if waiting is not None and waiting.asks in SECRETS else "open"


class Visits:
    def __init__(self) -> None:
        self._visits: list[Visit] = []
        self._watches: set[asyncio.Task[None]] = set()

    def offer(self, service: Service, handoff: Handoff, command: Command) -> Visit:
        """A visit with a link: the one nobody has used yet, or a fresh one."""
        visit = next((one for one in self._visits if one.command is command), None)
        if visit is None:
            visit = Visit(service, command, handoff.reason, None, None, secrets.token_urlsafe(24), _key())
            self._visits = [one for one in self._visits if not one.over]
            self._visits.append(visit)
        visit.reason, visit.ticket, visit.code = handoff.reason, handoff.ticket, visit.code or _key()
        self._expire(visit)
        return visit

    def enter(self, code: str) -> Visit | None:
        """Use a link."""
        visit = next((one for one in self._visits if one.code is not None and _same(one.code, code)), None)
        if visit is not None:
            visit.code, visit.used = None, visit.code
            self._expire(visit)
        return visit

    def enter_again(self, code: str, cookie: str | None) -> Visit | None:
        """The page anew, for the browser that used the link."""
        used = any(one.used is not None and _same(one.used, code) for one in self._visits)
        visit = self.find(cookie) if used else None
        return visit if visit is not None and visit.used is not None and _same(visit.used, code) else None

    def find(self, cookie: str | None) -> Visit | None:
        """Whose page this is; it is somebody's for as long as it is looked at."""
        visit = next((one for one in self._visits if cookie is not None and _same(one.cookie, cookie)), None)
        if visit is not None:
            self._expire(visit)
        return visit

    def knows(self, visit: Visit, key: str) -> bool:
        return _same(visit.key, key)

    async def type(self, visit: Visit, text: str, *, enter: bool, asked: str | None = None) -> None:
        """`asked` is what the page said that this comes from: an older one may be open beside the last."""
        if visit.over:
            raise Denied("the command has finished", reason="finished")
        if _changed(asked or visit.shown, visit.asking):
            raise Denied("The question has changed. Nothing was typed: it might have been seen.", reason="changed")
        if visit.ticket is None:
            visit.ticket = visit.service.handoff(visit.command.id, visit.reason).ticket
        waiting = visit.command.waiting
        ends = "\r" if waiting is not None and waiting.kind in ("key", "fullscreen") else "\n"
        if visit.watch is None:
            visit.watch = asyncio.ensure_future(self._watch(visit, visit.command.events()))
            self._watches.add(visit.watch)
            visit.watch.add_done_callback(self._watches.discard)
        await visit.service.handoffs.type(visit.ticket, text + ends if enter else text)

    def give_back(self, visit: Visit) -> None:
        ticket, visit.ticket = visit.ticket, None
        if ticket is not None:
            with contextlib.suppress(Denied):  # the command has finished, and the ticket with it
                visit.service.handoffs.give_back(ticket)

    def forget(self, service: Service) -> None:
        """Its terminals are being closed."""
        for visit in self._visits:
            if visit.service is service:
                self._end(visit)
        self._visits = [one for one in self._visits if one.service is not service]

    async def close(self) -> None:
        for visit in self._visits:
            self._end(visit)
        self._visits = []
        if self._watches:
            await asyncio.wait(self._watches)

    def _end(self, visit: Visit) -> None:
        visit.code = visit.ticket = None
        if visit.timer is not None:
            visit.timer.cancel()
        if visit.watch is not None:
            visit.watch.cancel()

    def _expire(self, visit: Visit) -> None:
        if visit.timer is not None:
            visit.timer.cancel()
        visit.timer = asyncio.get_running_loop().call_later(LINK_LASTS, self._expired, visit)

    def _expired(self, visit: Visit) -> None:
        visit.code = None
        self.give_back(visit)

    async def _watch(self, visit: Visit, stream: Stream) -> None:
        """Give the terminal back as soon as the command goes on."""
        try:
            async for event in stream:
                if isinstance(event, events.Resumed | events.Finished):
                    self.give_back(visit)
        finally:
            await stream.aclose()


def _changed(shown: str, now: Asking) -> bool:
    return (shown == "hidden" and now != "hidden") or (shown == "secret" and now == "open")


def _key() -> str:
    return secrets.token_urlsafe(24)


def _same(known: str, given: str) -> bool:
    return secrets.compare_digest(known.encode(), given.encode("utf-8", "surrogatepass"))
