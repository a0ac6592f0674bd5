"""The links and pages by which a person types into a terminal that an agent handed over, and how long they work.

Rule 1: a link works once, and for a limited time; an unused page works for a limited time too. The browser that opens a
        link gets two keys, a cookie and one inside the page. Both are needed, because a browser shows cookies of this
        machine to every server on it. For the same reason the page is shown again only for the cookie together with the
        link. Until a link is opened, it is offered again. After that a new link has new keys, and the old link and its
        keys no longer work. The times at which earlier links were opened are kept: an agent can open one too.
Rule 2: `service/handoffs.py` decides who may type. If the command asks again, the same page types again.
Rule 3: what is typed is passed on and kept nowhere.
Rule 4: what was asked for as a secret is typed only where a secret is still asked for, and as hidden as it was.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from truetty.core.errors import Denied
from truetty.service.handoffs import GIVEN_BACK, Handoff, Secrecy, secrecy
from truetty.service.reader import Look, look
from truetty.service.service import Service
from truetty.terminal.command import Command

# Time to find the window and the password. Any program that finds an unused link can use it, so it then stops working.
LINK_LASTS: Final = 15 * 60.0
UNUSED: Final = "The page was not used for 15 minutes."
MOST_EARLIER: Final = 5  # openings of earlier links that a page tells of
MOST_OLD_LINKS: Final = 100  # of which it can be said when they were opened


@dataclass(slots=True, eq=False)
class Visit:
    """One command that one person types into."""

    service: Service = field(repr=False)
    command: Command
    reason: str
    cookie: str = field(repr=False)
    key: str = field(repr=False)
    code: str | None = field(default=None, repr=False)  # in the link, until it is used
    used_code: str | None = field(default=None, repr=False)
    accepted: bool = False  # the client has said that it shows the link to the user
    opened_at: float | None = None  # in seconds since 1970
    earlier: tuple[float, ...] = ()  # when earlier links to the same command were opened
    secrecy: Secrecy = "open"  # as the page said when it was last shown
    timer: asyncio.TimerHandle | None = None

    @property
    def asks_now(self) -> Secrecy:
        return secrecy(self.command)

    def look(self) -> Look:
        """How things stand; the secrecy is what `type` compares with."""
        self.secrecy = self.asks_now
        return look(self.command, self.reason, self.secrecy)

    @property
    def handoff(self) -> Handoff | None:
        """While the terminal is the person's."""
        found = self.service.handoffs.of(self.command.terminal_id)
        return found if found is not None and found.command_id == self.command.id else None

    def give_back(self, reason: str = GIVEN_BACK) -> None:
        if (handoff := self.handoff) is not None:
            self.service.handoffs.give_back(handoff.ticket, reason)


class Visits:
    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._visits: list[Visit] = []
        self._old: dict[str, float | None] = {}  # links of visits that are over, and when each was opened

    @property
    def open(self) -> tuple[Visit, ...]:
        """Those whose command has not finished."""
        return tuple(one for one in self._visits if not one.command.finished)

    def offer(self, service: Service, handoff: Handoff, command: Command) -> Visit:
        """A visit with a link: the one that was not opened yet, or a new one, which ends the earlier one."""
        if (waiting := self.unopened(command)) is not None:
            waiting.reason = handoff.reason
            self._expire_later(waiting)
            return waiting
        visit = Visit(service, command, handoff.reason, _key(), _key(), _key())
        for one in list(self._visits):
            if one.command is command:
                visit.earlier = one.earlier if one.opened_at is None else (*one.earlier, one.opened_at)[-MOST_EARLIER:]
                self._drop(one)
            elif one.command.finished:
                self._drop(one)
        self._visits.append(visit)
        self._expire_later(visit)
        return visit

    def unopened(self, command: Command) -> Visit | None:
        """The one whose link can still be opened."""
        return next((one for one in self._visits if one.command is command and one.code is not None), None)

    def enter(self, code: str, visitor: str = "") -> Visit | None:
        """Use a link. `visitor`: what the program that opens it calls itself."""
        visit = next((one for one in self._visits if one.code is not None and _same(one.code, code)), None)
        if visit is not None:
            visit.service.record_visit(visit.command, visitor)
            if (handoff := visit.handoff) is not None:
                visit.service.handoffs.take(handoff.ticket)
            visit.code, visit.used_code, visit.opened_at = None, visit.code, self._clock()
            self._expire_later(visit)
        return visit

    def opened_at(self, code: str) -> float | None:
        """When a link was opened that leads nowhere any more."""
        used = (one.opened_at for one in self._visits if one.used_code is not None and _same(one.used_code, code))
        return next(used, None) or self._old.get(code)

    def enter_again(self, code: str, cookie: str | None) -> Visit | None:
        """The page anew, for the browser that used the link."""
        used = any(one.used_code is not None and _same(one.used_code, code) for one in self._visits)
        visit = self.find(cookie) if used else None
        known = visit.used_code if visit is not None else None
        return visit if known is not None and _same(known, code) else None

    def find(self, cookie: str | None) -> Visit | None:
        """The visit of this browser; it lasts for as long as the page is used."""
        visit = next((one for one in self._visits if cookie is not None and _same(one.cookie, cookie)), None)
        if visit is not None:
            self._expire_later(visit)
        return visit

    def knows(self, visit: Visit, key: str) -> bool:
        return _same(visit.key, key)

    async def type(self, visit: Visit, text: str, *, enter: bool, asked: str | None = None) -> None:
        """`asked` is the secrecy that the page was made for: an older page may be open beside the last one."""
        if visit.command.finished:
            visit.service.refuse_person(visit.command, "the command has finished", reason="finished")
        if _less_hidden(asked or visit.secrecy, visit.asks_now):
            message = "The question has changed. Nothing was typed: it might have been seen."
            visit.service.refuse_person(visit.command, message, reason="changed")
        waiting = visit.command.waiting
        enter_key = "\r" if waiting is not None and waiting.kind in ("key", "fullscreen") else "\n"
        handoff = visit.handoff or visit.service.handoff(visit.command.id, visit.reason)
        await visit.service.handoffs.type(handoff.ticket, text + enter_key if enter else text)

    def forget(self, service: Service) -> None:
        """Its terminals are being closed."""
        for visit in list(self._visits):
            if visit.service is service:
                self._drop(visit)

    def close(self) -> None:
        for visit in list(self._visits):
            self._drop(visit)

    def _drop(self, visit: Visit) -> None:
        self._visits.remove(visit)
        if visit.timer is not None:
            visit.timer.cancel()
        if (code := visit.code or visit.used_code) is not None:
            self._old[code] = visit.opened_at
        while len(self._old) > MOST_OLD_LINKS:
            del self._old[next(iter(self._old))]

    def _expire_later(self, visit: Visit) -> None:
        if visit.timer is not None:
            visit.timer.cancel()
        visit.timer = asyncio.get_running_loop().call_later(LINK_LASTS, _expire, visit)


def _expire(visit: Visit) -> None:
    visit.code = None
    with contextlib.suppress(Denied):  # the command has finished, and the ticket with it
        visit.give_back(UNUSED)


def _less_hidden(before: str, now: Secrecy) -> bool:
    return (before == "hidden" and now != "hidden") or (before == "secret" and now == "open")


def _key() -> str:
    return secrets.token_urlsafe(24)


def _same(known: str, sent: str) -> bool:
    return secrets.compare_digest(known.encode(), sent.encode("utf-8", "surrogatepass"))
