"""The gate in front of the server's API: which requests of the TCP port pass, and with which rights.

    Host, Origin ──▸ a document or a file: no login is needed
                 ──▸ /v1/web/login: a ticket for a cookie and a key
                 ──▸ all else: cookie and key (a page), or a Bearer token (a program)

Rule 1: Host and Origin are looked at first, by `server/wire/door.py`. A page's Origin is that of its Host. A WebSocket
        without an Origin is no browser's, and needs a token.
Rule 2: the key comes in the header Truetty-Key, or as the subprotocol `key.KEY` of a WebSocket, which is not echoed.
Rule 3: a request that changes something is JSON and has a header that no form can send. A login needs Truetty-Client.
Rule 4: what a login has open ends with the login.
Rule 5: after ten wrong tokens within a minute the next wrong ones are answered with 429. The right one is taken.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection
from http.cookies import CookieError, SimpleCookie
from math import ceil
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from truetty.core.errors import LimitReached, Misuse
from truetty.server import fields
from truetty.server.refusals import TooLarge
from truetty.server.rights import OWNER, SCOPE
from truetty.server.wire import door
from truetty.server.wire.door import App, Receive, Refused, Scope, Send, Values
from truetty.server.wire.guests import MCP_PATH
from truetty.server.wire.http import answer, refused
from truetty.web.documents import CLOSED, HEADERS, Documents
from truetty.web.logins import LOGIN_SECONDS, Login, Logins, Secrets
from truetty.web.tickets import MOST_WRONG, TooManyWrong, WrongOnes

KEY: Final = "truetty-key"
CLIENT: Final = "truetty-client"
KEY_PROTOCOL: Final = "key."
LOGIN: Final = "/v1/web/login"
LOGOUT: Final = "/v1/web/logout"
SESSION: Final = "/v1/web/session"
LARGEST_LOGIN: Final = 4096  # bytes of its body
LOGIN_BODY_SECONDS: Final = 10.0
FOREIGN: Final = Refused(403, "not from this Origin")
OVER: Final = 4401  # a code of WebSockets: the login is over
_JSON: Final = "application/json"

# A login for this ticket. None: it is not good. Raises TooManyWrong.
Redeem = Callable[[str], tuple[Login, Secrets] | None]


class NoTicket(Misuse):
    """The ticket was used, is too old, or was never made."""

    code = "no_ticket"


class NoSession(Misuse):
    """The cookie or the key is missing or wrong, or the login is over."""

    code = "no_session"


class Gate:
    """`greeting` is told to each page that logs in. `token` gives the one of programs, if there is one now."""

    def __init__(
        self,
        app: App,
        hosts: Collection[str],
        cookie: str,
        logins: Logins,
        redeem: Redeem,
        greeting: dict[str, Any],
        token: Callable[[], str | None],
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._cookie = cookie
        self._logins = logins
        self._redeem = redeem
        self._greeting = greeting
        self._token = token
        self._documents = Documents()
        self._wrong_tokens = WrongOnes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = door.values(scope)
        named = found.get("host", ("",))[0].lower()
        if scope["type"] == "http":
            send = _with_headers(send)
        if (wrong := door.misnamed(found, self._hosts, (f"http://{named}",))) is not None:
            await door.refuse(scope, send, wrong)
        elif found.get("sec-fetch-site", ["none"])[0] not in ("same-origin", "none") and _is_call(scope):
            await door.refuse(scope, send, FOREIGN)
        elif scope["type"] == "websocket":
            await self._upgrade(scope, receive, send, found)
        elif not _is_call(scope):
            await self._documents.answer(Request(scope, receive))(scope, receive, send)
        else:
            await self._call(scope, receive, send, found)

    # -- requests

    async def _call(self, scope: Scope, receive: Receive, send: Send, found: Values) -> None:
        if "authorization" in found:
            await self._program(scope, receive, send, found)
            return
        try:
            if scope["method"] not in ("GET", "HEAD"):
                _check_change(found)
            if scope["path"] == LOGIN and scope["method"] == "POST":
                await (await self._login(Request(scope, receive), found))(scope, receive, send)
                return
            login = self._find(found, _only(found, KEY))
            if scope["path"] == LOGOUT and scope["method"] == "POST":
                self._logins.end(login)
                await self._forget_cookie()(scope, receive, send)
            elif scope["path"] == SESSION and scope["method"] == "GET":
                await answer({**login.form(), **self._greeting})(scope, receive, send)
            else:
                await _while_open(login, self._app, {**scope, SCOPE: login.credential}, receive, send)
        except (Misuse, LimitReached) as error:
            await _refusal(error)(scope, receive, send)

    async def _program(self, scope: Scope, receive: Receive, send: Send, found: Values) -> None:
        if (token := self._token()) is not None and door.has_token(found, token):
            await self._app({**scope, SCOPE: OWNER}, receive, send)
            return
        try:
            self._wrong_tokens.add(time.monotonic())
        except TooManyWrong as error:
            message = f"there were {MOST_WRONG} wrong tokens within a minute: wait for {error.seconds:.0f} s"
            after = (b"retry-after", str(ceil(error.seconds)).encode())
            await door.refuse(scope, send, Refused(429, message, (after,)))
        else:
            await door.refuse(scope, send, door.NEEDS_TOKEN)

    async def _login(self, request: Request, found: Values) -> Response:
        if CLIENT not in found:
            raise Misuse("a login needs a Truetty-Client header. Nothing was done.")
        ticket = await _ticket(request)
        try:
            made = self._redeem(ticket)
        except TooManyWrong as error:
            message = f"there were {MOST_WRONG} wrong tickets within a minute: wait for {error.seconds:.0f} s"
            raise LimitReached(message, limit="tickets", value=MOST_WRONG) from None
        if made is None:
            raise NoTicket("this link was used already, or is too old: truetty open --web makes a new one")
        login, both = made
        response = answer({"key": both.key, **login.form(), **self._greeting})
        response.set_cookie(
            self._cookie, both.cookie, max_age=int(LOGIN_SECONDS), path="/", httponly=True, samesite="strict"
        )
        return response

    def _forget_cookie(self) -> Response:
        response = answer({})
        response.delete_cookie(self._cookie, path="/", httponly=True, samesite="strict")
        return response

    def _find(self, found: Values, key: str | None) -> Login:
        cookie = _cookie(found, self._cookie)
        login = self._logins.find(cookie, key) if cookie is not None and key is not None else None
        if login is None:
            raise NoSession("you are not logged in here: truetty open --web makes a link that does it")
        return login

    # -- WebSockets

    async def _upgrade(self, scope: Scope, receive: Receive, send: Send, found: Values) -> None:
        if "authorization" in found:
            await self._program(scope, receive, send, found)
            return
        offered = list(scope.get("subprotocols") or ())
        keys = [one.removeprefix(KEY_PROTOCOL) for one in offered if one.startswith(KEY_PROTOCOL)]
        if len(found.get("origin", ())) != 1:
            await door.refuse(scope, send, FOREIGN)
            return
        try:
            login = self._find(found, keys[0] if len(keys) == 1 else None)
        except NoSession as error:
            await door.refuse(scope, send, Refused(401, str(error)))
            return
        scope["subprotocols"] = [one for one in offered if not one.startswith(KEY_PROTOCOL)]
        await _while_open(login, self._app, {**scope, SCOPE: login.credential}, receive, send)


async def _while_open(login: Login, app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Serve it, until the login is over."""
    serving = asyncio.ensure_future(app(scope, receive, send))
    over = asyncio.ensure_future(login.over.wait())
    try:
        left = max(0.0, login.until - time.time())
        await asyncio.wait({serving, over}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        if not serving.done() and scope["type"] == "websocket":
            with contextlib.suppress(Exception):  # it has closed by itself
                await send({"type": "websocket.close", "code": OVER, "reason": "the login is over"})
        elif serving.done():
            serving.result()
    finally:
        over.cancel()
        serving.cancel()
        await asyncio.wait({serving, over})


async def _ticket(request: Request) -> str:
    length = request.headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()) or int(length[:9]) > LARGEST_LOGIN:
        raise TooLarge("a login has a body of a known, small size", limit="body", value=LARGEST_LOGIN)
    try:
        async with asyncio.timeout(LOGIN_BODY_SECONDS):
            given = fields.decoded(await request.body())
    except (ValueError, RecursionError, TimeoutError):
        given = None
    ticket = given.get("ticket") if isinstance(given, dict) else None
    if not isinstance(ticket, str):
        raise Misuse("a login is a JSON object with a ticket. Nothing was done.")
    return ticket


def _check_change(found: Values) -> None:
    kind = (_only(found, "content-type") or "").partition(";")[0].strip().lower()
    if kind != _JSON:
        raise Misuse("a request that changes something needs Content-Type: application/json. Nothing was done.")


def _is_call(scope: Scope) -> bool:
    return bool(scope["path"].startswith("/v1/")) or scope["path"] == MCP_PATH


def _only(found: Values, name: str) -> str | None:
    """The value of a header that is there once."""
    values = found.get(name, ())
    return values[0] if len(values) == 1 else None


def _cookie(found: Values, name: str) -> str | None:
    parsed: SimpleCookie = SimpleCookie()
    with contextlib.suppress(CookieError):
        parsed.load("; ".join(found.get("cookie", ())))
    return parsed[name].value if name in parsed else None


def _refusal(error: Exception) -> Response:
    response = refused(error)
    if isinstance(error, NoTicket | NoSession):
        response.status_code = 401
    return response


def _with_headers(send: Send) -> Send:
    """Every answer has the headers of a page, also those of the API."""

    async def wrapped(message: Any) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            present = {name.lower() for name, _ in headers}
            more = {**HEADERS, "content-security-policy": CLOSED}
            headers += [(a.lower().encode(), b.encode()) for a, b in more.items() if a.lower().encode() not in present]
            message = {**message, "headers": headers}
        await send(message)

    return wrapped
