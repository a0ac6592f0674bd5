"""Logins: who has exchanged a ticket, for how long, and what they may do.

Rule 1: a login has two secrets. The cookie goes with every request of the browser, also to servers on other ports of
        this machine. The key is known to the page's own scripts alone. Neither is enough.
Rule 2: only their hashes are kept, here and in the journal. So a login outlives a server that is killed.
Rule 3: a login ends after 12 hours, by its logout, or with its link. What it has open ends then.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from truetty.server.rights import Credential, Right
from truetty.server.state.web_book import WebBook

LOGIN_SECONDS: Final = 12 * 3600.0
MOST_LOGINS: Final = 64  # the oldest gives way
PAGE: Final[tuple[Right, ...]] = ("watch", "answer", "type")


class Secrets(NamedTuple):
    cookie: str
    key: str


@dataclass(slots=True)
class Login:
    id: str
    name: str
    until: float  # seconds since 1970
    rights: tuple[Right, ...]
    terminal: str | None  # the one that it is for; None: all
    link: str | None  # the id of the link that it came by
    cookie: str  # hashed
    key: str  # hashed
    over: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    @property
    def credential(self) -> Credential:
        return Credential(frozenset(self.rights), self.name, self.terminal)

    def form(self) -> dict[str, Any]:
        """What its page is told."""
        return {
            "name": self.name,
            "expires_at": self.until,
            "rights": list(self.rights),
            "terminal": self.terminal,
        }


class Logins:
    """`now` is the time of day."""

    def __init__(self, book: WebBook, now: Callable[[], float]) -> None:
        self._book = book
        self._now = now
        self._by_cookie: dict[str, Login] = {}
        for entry in list(book.entries.values()):
            if entry.get("kind") == "login":
                self._read(entry)

    def begin(
        self,
        rights: Sequence[Right] = PAGE,
        *,
        terminal: str | None = None,
        link: str | None = None,
        until: float | None = None,
    ) -> tuple[Login, Secrets]:
        """`until`: its link's end."""
        self._forget()
        while len(self._by_cookie) >= MOST_LOGINS:
            self.end(next(iter(self._by_cookie.values())))
        number = self._book.next_number()
        made = Secrets(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        end = self._now() + LOGIN_SECONDS
        login = Login(
            id=f"v{number}",
            name=f"page-{number}",
            until=end if until is None else min(end, until),
            rights=tuple(rights),
            terminal=terminal,
            link=link,
            cookie=hashed(made.cookie),
            key=hashed(made.key),
        )
        self._by_cookie[login.cookie] = login
        self._book.put({"kind": "login", **{name: getattr(login, name) for name in _KEPT}})
        return login, made

    def find(self, cookie: str, key: str) -> Login | None:
        login = self._by_cookie.get(hashed(cookie))
        if login is None or not secrets.compare_digest(login.key, hashed(key)):
            return None
        if login.until <= self._now():
            self.end(login)
            return None
        return login

    def end(self, login: Login) -> None:
        if self._by_cookie.pop(login.cookie, None) is not None:
            self._book.drop(login.id)
            login.over.set()

    def end_link(self, link: str) -> None:
        for login in [one for one in self._by_cookie.values() if one.link == link]:
            self.end(login)

    def close(self) -> None:
        """The page is turned off. The book is closed by its owner."""
        for login in self._by_cookie.values():
            login.over.set()
        self._by_cookie.clear()

    @property
    def all(self) -> list[Login]:
        self._forget()
        return list(self._by_cookie.values())

    def _forget(self) -> None:
        for login in [one for one in self._by_cookie.values() if one.until <= self._now()]:
            self.end(login)

    def _read(self, entry: Any) -> None:
        login = Login(**{**{name: entry[name] for name in _KEPT}, "rights": tuple(entry["rights"])})
        if login.until > self._now():
            self._by_cookie[login.cookie] = login
        else:
            self._book.drop(login.id)


_KEPT: Final = ("id", "name", "until", "rights", "terminal", "link", "cookie", "key")


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
