"""The verbs about the page, carried out: it is turned on and off, and links to it are made.

Rule 1: what serves the page is imported when it is first turned on, in a thread.
Rule 2: it listens on the loopback only. The keeper has the listening socket too: when a server is killed, the next one
        goes on with it, and no connection is refused meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import Any, Final, Protocol
from urllib.parse import quote

from truetty.core import lazy
from truetty.core.errors import HostError, Misuse
from truetty.server import forms
from truetty.server.caller import Caller
from truetty.server.limits import LONGEST_SHARE
from truetty.server.lookup import find_terminal
from truetty.server.state.web_book import Address, WebBook
from truetty.server.wire import door, token
from truetty.service.service import Service

LOG: Final = logging.getLogger("truetty.server")
HOST: Final = "127.0.0.1"
PORT: Final = 7717  # of a page for which no address is named, unless another program has it


class Site(Protocol):
    """`truetty.web.site.Site`."""

    url: str

    @property
    def logins(self) -> list[Any]: ...

    def start(self) -> None: ...

    async def close(self, *, off: bool) -> None: ...

    def link(self, path: str) -> str: ...

    def invite(self, path: str, terminal: str) -> str: ...

    def works(self, url: str) -> bool: ...

    def share(self, terminal: str, path: str, seconds: float) -> forms.ShareForm: ...

    def shares(self) -> list[forms.ShareForm]: ...

    def revoke(self, id: str) -> forms.ShareForm: ...


class Sockets(Protocol):
    """What keeps the listening socket for the next server."""

    def lend(self, listening: socket.socket) -> None: ...

    def take_back(self) -> None: ...

    def lent(self) -> socket.socket | None:
        """By a server before this one."""


# From the class of a site, its socket and its host to the site.
Make = Callable[[Any, socket.socket, str], Site]


class WebActs:
    """`on_change` is called when it was turned on or off. `token_file` has the token of programs, if they may come."""

    def __init__(
        self,
        service: Service,
        make: Make,
        book: WebBook,
        sockets: Sockets | None,
        on_change: Callable[[], None],
        token_file: str,
    ) -> None:
        self._token_file = token_file
        self._service = service
        self._make = make
        self._book = book
        self._sockets = sockets
        self._on_change = on_change
        self._site: Site | None = None
        self._turning = asyncio.Lock()

    @property
    def url(self) -> str | None:
        return None if self._site is None else self._site.url

    # -- its life

    async def take_over(self) -> None:
        """Go on where the server before this one listened."""
        lent = None if self._sockets is None else self._sockets.lent()
        if (address := self._book.address) is None:
            if lent is not None:
                lent.close()
        else:
            async with self._turning:
                try:
                    await self._open(address.host, lent or door.bind(address.host, address.port))
                except (HostError, OSError, ImportError) as error:  # terminals come first
                    LOG.warning("the page cannot go on: %s", error)
                    self._book.close()

    async def leave(self) -> None:
        """The next server goes on with it."""
        if self._site is not None:
            await self._site.close(off=False)

    async def end(self) -> None:
        async with self._turning:
            await self._close()

    async def _open(self, host: str, listening: socket.socket) -> None:
        try:
            kind = await asyncio.to_thread(lambda: lazy.load("truetty.web.site", "Site"))
            self._site = self._make(kind, listening, host)
        except BaseException:
            listening.close()
            raise
        self._site.start()
        self._on_change()

    async def _close(self) -> None:
        if self._site is None:
            return
        site, self._site = self._site, None
        self._book.close()
        if self._sockets is not None:
            self._sockets.take_back()
        await site.close(off=True)
        self._on_change()

    # -- verbs

    async def web(self, caller: Caller) -> forms.WebForm:
        logins = 0 if self._site is None else len(self._site.logins)
        takes_token = self._site is not None and token.read(self._token_file) is not None
        return forms.WebForm(self.url, logins, self._token_file if takes_token else None)

    async def web_on(self, caller: Caller, *, host: str | None, port: int | None, with_token: bool) -> forms.WebForm:
        if with_token:
            token.read_or_make(self._token_file)
        await self._turn_on(host, port)
        return await self.web(caller)

    async def _turn_on(self, host: str | None, port: int | None) -> None:
        async with self._turning:
            if self._site is None:
                listening = _listen(host or HOST, port)
                address = Address(host or HOST, listening.getsockname()[1])
                await self._open(address.host, listening)
                if self._sockets is not None:
                    self._sockets.lend(listening)
                self._book.open(address)
            elif not self._listens_on(host, port):
                message = f"the page is at {self._site.url} already: turn it off first, with truetty serve --no-web"
                raise Misuse(message, url=self._site.url)

    def _listens_on(self, host: str | None, port: int | None) -> bool:
        address = self._book.address
        return address is not None and host in (None, address.host) and port in (None, 0, address.port)

    async def web_off(self, caller: Caller) -> forms.WebForm:
        await self.end()
        return await self.web(caller)

    async def ticket(self, caller: Caller, *, terminal: str | None) -> forms.LinkForm:
        path = "/" if terminal is None else _path(find_terminal(self._service, terminal, exact=False).id)
        return forms.LinkForm(self._on().link(path))

    async def invite(self, terminal_id: str, again: str | None) -> str:
        """A URL that logs a browser in, for this terminal alone. `again` is one that may still work."""
        if self._site is None:
            await self._turn_on(None, None)
        site = self._on()
        return again if again is not None and site.works(again) else site.invite(_path(terminal_id), terminal_id)

    async def share(self, caller: Caller, *, terminal_id: str, exact: bool, seconds: float) -> forms.ShareForm:
        id = find_terminal(self._service, terminal_id, exact=exact).id
        if not 0 < seconds <= LONGEST_SHARE:
            raise Misuse(f"a link works for {LONGEST_SHARE:,} seconds at most, and for more than none", seconds=seconds)
        return self._on().share(id, _path(id), seconds)

    async def shares(self, caller: Caller) -> forms.Shares:
        return forms.Shares(() if self._site is None else tuple(self._site.shares()))

    async def revoke(self, caller: Caller, *, share_id: str) -> forms.ShareForm:
        return self._on().revoke(share_id)

    def _on(self) -> Site:
        if self._site is None:
            raise Misuse("the page is off: truetty serve --web turns it on", name="web")
        return self._site


def _path(terminal_id: str) -> str:
    return f"/t/{quote(terminal_id)}"


def _listen(host: str, port: int | None) -> socket.socket:
    if not door.is_loopback(host):
        message = f"{host} can be reached from other machines: the page is for this one. ssh -L brings it to yours"
        raise Misuse(message, host=host)
    try:
        return door.bind(host, PORT if port is None else port)
    except HostError:
        if port is not None:
            raise
        return door.bind(host, 0)
