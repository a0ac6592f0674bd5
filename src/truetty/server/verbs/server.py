"""The verbs about the server, described."""

from __future__ import annotations

from typing import Final

from truetty.server import forms
from truetty.server.fields import COUNT, FLAG, PATH, TEXT, Field
from truetty.server.verbs.row import Verb

ROWS: Final[tuple[Verb, ...]] = (
    Verb("hello", "GET", "/v1/hello", "Who answers, and what it speaks.", (), forms.Hello),
    Verb("status", "GET", "/v1/status", "How the server is.", (), forms.Status),
    Verb(
        "shutdown",
        "POST",
        "/v1/stop",
        "End the server and all its terminals. Refused with `busy` while commands run, unless forced.",
        (Field("force", FLAG, "though commands run", default=False),),
        forms.Nothing,
        right="admin",
    ),
    Verb(
        "upgrade",
        "POST",
        "/v1/upgrade",
        "Let another server follow, which has started before this one leaves. Terminals, commands and ids go on.",
        (Field("python", PATH, "the interpreter that has it; otherwise this server's own"),),
        forms.Nothing,
        right="admin",
    ),
    Verb(
        "events",
        "GET",
        "/v1/events",
        "What happens, as it happens. On /v1/connect it is `listen`.",
        (
            Field("since", COUNT, "the last number that was seen; otherwise only what comes"),
            Field("epoch", TEXT, "the life of the server that it was seen in"),
        ),
        dict[str, object],
        stream=True,
    ),
)
