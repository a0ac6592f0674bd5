"""The verbs about the page, described. `PAGE_ROWS` are those of the page's own port, which `truetty.web` answers."""

from __future__ import annotations

from typing import Final

from truetty.server import forms
from truetty.server.fields import COUNT, FLAG, SECONDS, TEXT, Field
from truetty.server.verbs.row import WHICH_TERMINAL, Verb

ROWS: Final[tuple[Verb, ...]] = (
    Verb("web", "GET", "/v1/web", "Where the page is.", (), forms.WebForm),
    Verb(
        "web_on",
        "POST",
        "/v1/web",
        "Turn the page on: the server listens on a port of the loopback too.",
        (
            Field("host", TEXT, "an address of this machine's loopback; 127.0.0.1 if none is named"),
            Field("port", COUNT, "0: any; if none is named 7717, or any if that is taken"),
            Field("with_token", FLAG, "make a token for programs, in a file", default=False),
        ),
        forms.WebForm,
        right="admin",
    ),
    Verb(
        "web_off",
        "DELETE",
        "/v1/web",
        "Turn the page off. Everybody is logged out.",
        (),
        forms.WebForm,
        right="admin",
    ),
    Verb(
        "ticket",
        "POST",
        "/v1/web/tickets",
        "A URL that logs a browser in, once, within a minute.",
        (Field("terminal", TEXT, "the terminal that it shows"),),
        forms.LinkForm,
        right="admin",
    ),
    Verb(
        "share",
        "POST",
        "/v1/web/shares",
        "A URL by which one terminal is watched, by any number of browsers, until its end.",
        (*WHICH_TERMINAL, Field("seconds", SECONDS, "how long it works", required=True)),
        forms.ShareForm,
        right="admin",
    ),
    Verb("shares", "GET", "/v1/web/shares", "The links that work, without their URLs.", (), forms.Shares, right="type"),
    Verb(
        "revoke",
        "DELETE",
        "/v1/web/shares/{share_id}",
        "End a link. What was opened by it is closed.",
        (Field("share_id", TEXT, "its id", required=True),),
        forms.ShareForm,
    ),
)
PAGE_ROWS: Final[tuple[Verb, ...]] = (
    Verb(
        "login",
        "POST",
        "/v1/web/login",
        "Exchange the ticket of a link for a cookie and a key. On the page's port only. It needs a Truetty-Client "
        "header; every later request needs the cookie and the key, in the header Truetty-Key.",
        (Field("ticket", TEXT, "what stands behind #ticket= in the URL", required=True),),
        forms.LoginForm,
    ),
    Verb("session", "GET", "/v1/web/session", "Who is logged in. On the page's port only.", (), forms.SessionForm),
    Verb("logout", "POST", "/v1/web/logout", "End the login. On the page's port only.", (), forms.Nothing),
)
