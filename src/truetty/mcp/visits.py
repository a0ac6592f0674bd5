"""A person's way to a terminal that an agent handed over: who may come in, and for how long.

Rule 1: a link works once, and only for a while; so does a page that nobody uses. The browser that used a link gets two
        keys, a cookie and one inside the page; both are needed, since a browser shows cookies of this machine to every
        server on it. For the same reason the page is shown again only for the cookie together with the link.
Rule 2: whose the terminal is, `service/handoffs.py` decides. If the command asks again, the same page types again.
Rule 3: what is typed is passed on and kept nowhere.
Rule 4: what was asked for as a secret is typed only where a secret is still asked for, and as hidden as it was.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from dataclasses import dataclass, field
from typing import Final

from truetty.core.errors import Denied
from truetty.service.handoffs import Handoff, Secrecy, secrecy
from truetty.service.service import Service
from truetty.terminal.command import Command

# Time to find the window and the password. An unused link is a way in for who finds it: after this it is worth nothing.
LINK_LASTS: Final = 15 * 60.0


@dataclass(slots=True, eq=False)
class Visit:
    """One command in one person's hands."""

    service: Service = field(repr=False)
    command: Command
    reason: str
    cookie: str = field(repr=False)
    key: str = field(repr=False)
    code: str | None = field(default=None, repr=False)  # in the link, until it is used
    used_code: str | None = field(default=None, repr=False)
    secrecy: Secrecy = "open"  # as the page said when it was last shown
    timer: asyncio.TimerHandle | None = None

    @property
    def asks_now(self) -> Secrecy:
        return secrecy(self.command)

    @property
    def handoff(self) -> Handoff | None:
        """While the terminal is the person's."""
        found = self.service.handoffs.of(self.command.terminal_id)
        return found if found is not None and found.command_id == self.command.id else None

    def give_back(self) -> None:
        if (handoff := self.handoff) is not None:
            self.service.handoffs.give_back(handoff.ticket)


class Visits:
    def __init__(self) -> None:
        self._visits: list[Visit] = []

    @property
    def open(self) -> tuple[Visit, ...]:
        """Those whose command has not finished."""
        return tuple(one for one in self._visits if not one.command.finished)

    def offer(self, service: Service, handoff: Handoff, command: Command) -> Visit:
        """A visit with a link: the one that was not used yet, or a fresh one."""
        self._visits = list(self.open)
        visit = next((one for one in self._visits if one.command is command), None)
        if visit is None:
            visit = Visit(service, command, handoff.reason, _key(), _key())
            self._visits.append(visit)
        visit.reason, visit.code = handoff.reason, visit.code or _key()
        self._expire_later(visit)
        return visit

    def enter(self, code: str) -> Visit | None:
        """Use a link."""
        visit = next((one for one in self._visits if one.code is not None and _same(one.code, code)), None)
        if visit is not None:
            visit.code, visit.used_code = None, visit.code
            self._expire_later(visit)
        return visit

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
            raise Denied("the command has finished", reason="finished")
        if _less_hidden(asked or visit.secrecy, visit.asks_now):
            raise Denied("The question has changed. Nothing was typed: it might have been seen.", reason="changed")
        waiting = visit.command.waiting
        enter_key = "\r" if waiting is not None and waiting.kind in ("key", "fullscreen") else "\n"
        handoff = visit.handoff or visit.service.handoff(visit.command.id, visit.reason)
        await visit.service.handoffs.type(handoff.ticket, text + enter_key if enter else text)

    def forget(self, service: Service) -> None:
        """Its terminals are being closed."""
        for visit in self._visits:
            if visit.service is service:
                _end(visit)
        self._visits = [one for one in self._visits if one.service is not service]

    def close(self) -> None:
        for visit in self._visits:
            _end(visit)
        self._visits = []

    def _expire_later(self, visit: Visit) -> None:
        if visit.timer is not None:
            visit.timer.cancel()
        visit.timer = asyncio.get_running_loop().call_later(LINK_LASTS, _expire, visit)


def _expire(visit: Visit) -> None:
    visit.code = None
    with contextlib.suppress(Denied):  # the command has finished, and the ticket with it
        visit.give_back()


def _end(visit: Visit) -> None:
    visit.code = None
    if visit.timer is not None:
        visit.timer.cancel()


def _less_hidden(before: str, now: Secrecy) -> bool:
    return (before == "hidden" and now != "hidden") or (before == "secret" and now == "open")


def _key() -> str:
    return secrets.token_urlsafe(24)


def _same(known: str, sent: str) -> bool:
    return secrets.compare_digest(known.encode(), sent.encode("utf-8", "surrogatepass"))
