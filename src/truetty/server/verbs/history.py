"""The verbs about all that was run, described."""

from __future__ import annotations

from typing import Final

from truetty.server import forms
from truetty.server.fields import COUNT, FLAG, SECONDS, TEXT, Field
from truetty.server.verbs.row import Verb

WHICH: Final = (
    Field("terminal_id", TEXT, "only this terminal's, by its id; closed ones are known too, as long as they are kept"),
    Field("state", TEXT, "running, waiting, finished, lost, ok (exit code 0) or failed"),
    Field("by", TEXT, "agent, person or program"),
    Field("since", SECONDS, "only what was started after this time, in seconds since 1970"),
)
ROWS: Final[tuple[Verb, ...]] = (
    Verb(
        "history",
        "GET",
        "/v1/history",
        "Commands of all terminals, the newest first.",
        (
            *WHICH,
            Field("before", TEXT, "only those before this command: the `next` of the page before"),
            Field("limit", COUNT, "so many at most", default=100),
        ),
        forms.History,
    ),
    Verb(
        "search",
        "GET",
        "/v1/search",
        "Search command lines and clean output, the newest first. It takes 2 s at most, and says what was left out.",
        (
            Field("q", TEXT, "a text", required=True),
            Field("regex", FLAG, "it is a regular expression, in RE2's syntax", default=False),
            Field("case", FLAG, "capitals count", default=False),
            *WHICH,
            Field("limit", COUNT, "lines at most; all are counted", default=200),
        ),
        forms.SearchForm,
    ),
)
