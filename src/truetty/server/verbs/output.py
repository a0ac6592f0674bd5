"""The verbs about output, described."""

from __future__ import annotations

from typing import Final

from truetty.server import forms
from truetty.server.fields import BUDGET, COUNT, FLAG, GREP, Field
from truetty.server.verbs.row import SPAN, WHICH_COMMAND, Verb
from truetty.store.line_slice import LineSlice

ROWS: Final[tuple[Verb, ...]] = (
    Verb(
        "read",
        "GET",
        "/v1/commands/{command_id}/output",
        "Clean text: what was not read yet, a part, the last lines, or lines that match.",
        (
            *WHICH_COMMAND,
            Field("offset", COUNT, "from this character on"),
            Field("limit", COUNT, "characters", default=10_000),
            Field("tail", COUNT, "the last lines"),
            Field("grep", GREP, "lines in which this is found"),
            Field("context", COUNT, "lines around each", default=0),
        ),
        forms.Page,
    ),
    Verb(
        "text",
        "GET",
        "/v1/commands/{command_id}/text",
        "Clean text, all of it or within a budget, as `Output.text` gives it.",
        (
            *WHICH_COMMAND,
            Field("budget", BUDGET, "at most so much"),
            Field("head", COUNT, "the first lines"),
            Field("tail", COUNT, "the last lines"),
        ),
        forms.Text,
    ),
    Verb(
        "page",
        "GET",
        "/v1/commands/{command_id}/page",
        "The characters from an offset on.",
        (
            *WHICH_COMMAND,
            Field("offset", COUNT, "of the first character", default=0),
            Field("limit", COUNT, "how many", default=10_000),
        ),
        forms.Text,
    ),
    Verb(
        "unread",
        "POST",
        "/v1/commands/{command_id}/unread",
        "Clean text that this verb has not given before.",
        (*WHICH_COMMAND, Field("budget", BUDGET, "at most so much")),
        forms.Text,
        keyed=True,
    ),
    Verb(
        "grep",
        "GET",
        "/v1/commands/{command_id}/grep",
        "Lines in which a pattern is found.",
        (
            *WHICH_COMMAND,
            Field("pattern", GREP, "in Python's syntax", required=True),
            Field("context", COUNT, "lines around each", default=0),
            Field("limit", COUNT, "so many matches at most"),
        ),
        forms.Matches,
    ),
    Verb("lines", "GET", "/v1/commands/{command_id}/lines", "How many lines it has.", WHICH_COMMAND, forms.Count),
    Verb(
        "slice",
        "GET",
        "/v1/commands/{command_id}/slice",
        "Lines by their numbers: `count` from `first` on, and the last ones; and how many there are.",
        (
            *WHICH_COMMAND,
            Field("first", COUNT, "the number of the first line, from 1", default=1),
            Field("count", COUNT, "lines, at most 2,000", default=500),
            Field("tail", COUNT, "the last lines too, at most 2,000", default=0),
            Field("colours", FLAG, "where each line is not plain: `[from, to, SGR numbers]`", default=False),
        ),
        LineSlice,
    ),
    Verb(
        "output",
        "GET",
        "/v1/commands/{command_id}/stored",
        "How much of its output is stored, and where.",
        WHICH_COMMAND,
        forms.OutputForm,
    ),
    Verb(
        "raw",
        "GET",
        "/v1/commands/{command_id}/raw",
        "The program's bytes as the pty gave them. Over HTTP `Range: bytes=` works.",
        (*WHICH_COMMAND, *SPAN),
        forms.Bytes,
    ),
)
