"""The verbs about terminals, described."""

from __future__ import annotations

from typing import Final

from truetty.server import forms
from truetty.server.fields import COUNT, FLAG, FORM, NAME, SECONDS, SIZE, TEXT, Field
from truetty.server.verbs.row import LEASE, MAKING, PLACE, SPAN, TYPING, WHICH_TERMINAL, Verb

ROWS: Final[tuple[Verb, ...]] = (
    Verb(
        "open",
        "POST",
        "/v1/terminals",
        "A new terminal.",
        (*PLACE, *MAKING, Field("until_finished", FLAG, "close it when its first command has ended", default=False)),
        forms.TerminalForm,
        keyed=True,
    ),
    Verb(
        "acquire",
        "POST",
        "/v1/acquire",
        "A terminal of the task's, a free one, or a new one, as `Registry.acquire` gives it.",
        (
            *PLACE,
            Field("require_cwd", FLAG, "not one that must be moved there", default=False),
            Field("caller", TEXT, "tells callers of one connection apart"),
            *MAKING,
        ),
        forms.TerminalForm,
        keyed=True,
    ),
    Verb(
        "release",
        "POST",
        "/v1/release",
        "Let go of a task's terminals, or of one terminal. Nothing is closed.",
        (
            Field("task", TEXT, "the task"),
            Field("terminal", TEXT, "or one terminal, by its id"),
            Field("caller", TEXT, "the caller that has it"),
        ),
        forms.Terminals,
    ),
    Verb(
        "list",
        "GET",
        "/v1/terminals",
        "The terminals that are open, or, with `all`, those that are remembered too.",
        (
            Field("task", TEXT, "only this task's"),
            Field("state", TEXT, "only those whose last command is in this state, or `idle`"),
            Field("all", FLAG, "closed ones too", default=False),
        ),
        forms.Terminals,
    ),
    Verb("completed", "GET", "/v1/completed", "Finished commands with unread output.", (), forms.Commands),
    Verb("show", "GET", "/v1/terminals/{terminal_id}", "One terminal.", WHICH_TERMINAL, forms.TerminalForm),
    Verb(
        "change",
        "PATCH",
        "/v1/terminals/{terminal_id}",
        "Another name, or another task. An empty text takes it away.",
        (*WHICH_TERMINAL, Field("name", TEXT, "its name"), Field("task", TEXT, "its task")),
        forms.TerminalForm,
    ),
    Verb(
        "close",
        "DELETE",
        "/v1/terminals/{terminal_id}",
        "End its shell and all that runs in it.",
        (*WHICH_TERMINAL, Field("keep_jobs", FLAG, "what runs in the background goes on", default=False)),
        forms.TerminalForm,
        keyed=True,
    ),
    Verb(
        "type_in",
        "POST",
        "/v1/terminals/{terminal_id}/type",
        "Type to whatever reads the terminal, verbatim.",
        (*WHICH_TERMINAL, *TYPING, LEASE),
        forms.TerminalForm,
        keyed=True,
    ),
    Verb(
        "resize",
        "POST",
        "/v1/terminals/{terminal_id}/size",
        "Another size.",
        (*WHICH_TERMINAL, Field("size", SIZE, "columns and rows", required=True), LEASE),
        forms.TerminalForm,
    ),
    Verb(
        "lease",
        "POST",
        "/v1/terminals/{terminal_id}/lease",
        "Take it for a person: while it is held, no other client runs, types or resizes anything there.",
        (
            *WHICH_TERMINAL,
            Field("reason", TEXT, "why, for those who are refused meanwhile", default=""),
            Field("holder", NAME, "what the person is called", default="person"),
        ),
        forms.LeaseForm,
        keyed=True,
    ),
    Verb(
        "give_back",
        "DELETE",
        "/v1/terminals/{terminal_id}/lease/{lease}",
        "The person is done. The answer says what was run, and how it ended.",
        (*WHICH_TERMINAL, Field("lease", TEXT, "the lease", required=True)),
        forms.Did,
    ),
    Verb(
        "screen",
        "GET",
        "/v1/terminals/{terminal_id}/screen",
        "What a person would see now. With `after`, once more than that was printed, or the command has ended.",
        (
            *WHICH_TERMINAL,
            Field("after", COUNT, "the `seq` of the last screen"),
            Field("timeout", SECONDS, "how long to wait for that; none: without end, over HTTP 60 s"),
            Field("form", FORM, "as text: the lines, a dump for a terminal, or an SVG"),
            Field("title", TEXT, "of an SVG: a bar above it that says this"),
            Field("cursor", FLAG, "of an SVG: show the cursor", default=True),
            Field("theme", TEXT, "of an SVG: dark or light", default="dark"),
            Field("crop", FLAG, "of an SVG: leave out empty columns at the right", default=False),
        ),
        forms.ScreenForm | forms.Text,
    ),
    Verb(
        "shown",
        "GET",
        "/v1/terminals/{terminal_id}/shown",
        "What viewers see from an offset on, as bytes.",
        (*WHICH_TERMINAL, Field("since", COUNT, "the offset", default=0)),
        forms.Bytes,
    ),
    Verb(
        "transcript",
        "GET",
        "/v1/terminals/{terminal_id}/transcript",
        "All that it has printed, as bytes; the secrets of our marks are blanked.",
        (*WHICH_TERMINAL, *SPAN),
        forms.Bytes,
    ),
    Verb(
        "cast",
        "GET",
        "/v1/terminals/{terminal_id}/cast",
        "Its recording so far: the lines of an asciicast, version 3, with a marker where each command began. What was "
        "typed is not in it.",
        WHICH_TERMINAL,
        object,
        stream=True,
    ),
    Verb(
        "gaps",
        "GET",
        "/v1/terminals/{terminal_id}/gaps",
        "Its transcript's size, file and gaps.",
        (
            *WHICH_TERMINAL,
            Field("start", COUNT, "from this offset on", default=0),
            Field("end", COUNT, "up to this one"),
        ),
        forms.TranscriptForm,
    ),
    Verb(
        "jobs",
        "GET",
        "/v1/terminals/{terminal_id}/jobs",
        "Living processes that were started in it.",
        WHICH_TERMINAL,
        forms.Jobs,
    ),
)
