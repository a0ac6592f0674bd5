"""Links to share: who has one watches one terminal, until the link ends.

Rule 1: a link's ticket is random (128 bits), and works for any number of browsers until its end. Only its hash is kept.
Rule 2: a link gives the right to watch one terminal. No one types, answers or sees another terminal by it.
Rule 3: when a link is revoked, or at its end, what was opened by it is closed.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from truetty.core.errors import LimitReached
from truetty.server.forms import ShareForm
from truetty.server.refusals import Unknown
from truetty.server.state.web_book import WebBook
from truetty.web.logins import Login, Logins, Secrets, hashed

MOST_LINKS: Final = 32
KIND: Final = "link"


@dataclass(frozen=True, slots=True)
class Link:
    id: str
    terminal: str
    made_at: float  # seconds since 1970
    until: float
    visits: int  # logins by it
    ticket: str  # hashed

    def form(self) -> ShareForm:
        return ShareForm(self.id, self.terminal, self.made_at, self.until, self.visits)


class Links:
    """`now` is the time of day."""

    def __init__(self, book: WebBook, logins: Logins, now: Callable[[], float]) -> None:
        self._book = book
        self._logins = logins
        self._now = now

    def make(self, terminal: str, seconds: float) -> tuple[Link, str]:
        """The link, and its ticket."""
        if len(self.all) >= MOST_LINKS:
            raise LimitReached(f"there are {MOST_LINKS} links: revoke one", limit="links", value=MOST_LINKS)
        ticket, now = secrets.token_urlsafe(16), self._now()
        link = Link(f"s{self._book.next_number()}", terminal, now, now + seconds, 0, hashed(ticket))
        self._keep(link)
        return link, ticket

    @property
    def all(self) -> list[Link]:
        """Those that still work."""
        kept = [one for one in self._book.entries.values() if one.get("kind") == KIND]
        links = [Link(**{name: one[name] for name in Link.__slots__}) for one in kept]
        for link in links:
            if link.until <= self._now():
                self._book.drop(link.id)
        return [link for link in links if link.until > self._now()]

    def redeem(self, ticket: str) -> tuple[Login, Secrets] | None:
        """A login by the link with this ticket. None: there is none."""
        given = hashed(ticket)
        link = next((one for one in self.all if secrets.compare_digest(one.ticket, given)), None)
        if link is None:
            return None
        self._keep(replace(link, visits=link.visits + 1))
        return self._logins.begin(["watch"], terminal=link.terminal, link=link.id, until=link.until)

    def revoke(self, id: str) -> Link:
        found = next((one for one in self.all if one.id == id), None)
        if found is None:
            known = [one.id for one in self.all]
            raise Unknown(f"no link {id[:100]!r}", name=id[:100], known=known)
        self._book.drop(found.id)
        self._logins.end_link(found.id)
        return found

    def _keep(self, link: Link) -> None:
        self._book.put({"kind": KIND, **{name: getattr(link, name) for name in Link.__slots__}})
