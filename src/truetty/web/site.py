"""The page while it is on: its listening socket, its tickets and its logins."""

from __future__ import annotations

import asyncio
import socket
import time
from dataclasses import replace
from typing import Final

from truetty.core.version import VERSION
from truetty.server.forms import ShareForm
from truetty.server.state.web_book import WebBook
from truetty.server.wire import door, listener, token
from truetty.server.wire.connections import Connection, most_connections
from truetty.server.wire.door import App
from truetty.server.wire.listener import Uvicorn
from truetty.web.gate import Gate
from truetty.web.links import Links
from truetty.web.logins import Login, Logins, Secrets
from truetty.web.tickets import INVITATION_SECONDS, Tickets

TICKET: Final = "#ticket="


class Site:
    """`app` is the server's API, `host` the address that `listening` is bound to, `book` what outlives this process."""

    def __init__(
        self, app: App, listening: socket.socket, host: str, book: WebBook, epoch: str, token_file: str
    ) -> None:
        self.port: Final[int] = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        self.url: Final = f"http://{shown}:{self.port}"
        self._socket = listening
        self._logins = Logins(book, time.time)
        self._tickets = Tickets()
        self._links = Links(book, self._logins, time.time)
        gate = Gate(
            app,
            door.names(host, self.port),
            f"truetty_{self.port}",
            self._logins,
            self._redeem,
            {"epoch": epoch, "truetty": VERSION},
            lambda: token.read(token_file),
        )
        self._uvicorn = Uvicorn(listener.config(gate, Connection, most_connections()))
        self._serving: asyncio.Task[None] | None = None

    @property
    def logins(self) -> list[Login]:
        return self._logins.all

    def start(self) -> None:
        self._serving = asyncio.ensure_future(self._uvicorn.serve(sockets=[self._socket]))

    async def close(self, *, off: bool) -> None:
        """`off`: logins end too. Otherwise the next server has them."""
        if off:
            self._logins.close()
        self._uvicorn.should_exit = True
        if self._serving is not None:
            await self._serving
        self._socket.close()

    def link(self, path: str = "/") -> str:
        """A URL that logs in, once, within a minute."""
        return f"{self.url}{path}{TICKET}{self._tickets.make(time.monotonic())}"

    def invite(self, path: str, terminal: str) -> str:
        """A URL that logs in for this terminal, once, within a quarter of an hour."""
        ticket = self._tickets.make(time.monotonic(), INVITATION_SECONDS, terminal)
        return f"{self.url}{path}{TICKET}{ticket}"

    def works(self, url: str) -> bool:
        """Whether a URL of `invite` can still be used."""
        return self._tickets.is_good(url.partition(TICKET)[2], time.monotonic())

    def share(self, terminal: str, path: str, seconds: float) -> ShareForm:
        link, ticket = self._links.make(terminal, seconds)
        return replace(link.form(), url=f"{self.url}{path}{TICKET}{ticket}")

    def shares(self) -> list[ShareForm]:
        return [link.form() for link in self._links.all]

    def revoke(self, id: str) -> ShareForm:
        return self._links.revoke(id).form()

    def _redeem(self, ticket: str) -> tuple[Login, Secrets] | None:
        now = time.monotonic()
        if (grant := self._tickets.take(ticket, now)) is not None:
            return self._logins.begin(terminal=grant.terminal)
        if (by_link := self._links.redeem(ticket)) is not None:
            return by_link
        self._tickets.count_wrong(now)
        return None
