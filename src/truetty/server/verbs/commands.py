"""The verbs about commands, described."""

from __future__ import annotations

from typing import Final

from truetty.core.outcome import Outcome
from truetty.server import forms
from truetty.server.fields import COUNT, FLAG, SECONDS, TEXT, TEXTS, TYPED, Field
from truetty.server.verbs.row import STARTING, TYPING, UNTIL_WHAT, WHICH_COMMAND, Verb

ROWS: Final[tuple[Verb, ...]] = (
    Verb(
        "run",
        "POST",
        "/v1/run",
        "Run a command, and report when it has settled or `wait` seconds have passed. It goes on after that.",
        (*STARTING, Field("wait", SECONDS, "patience; none: without end, over HTTP 60 s"), UNTIL_WHAT),
        Outcome,
        keyed=True,
    ),
    Verb(
        "start",
        "POST",
        "/v1/commands",
        "Start a command.",
        (*STARTING, Field("patience", SECONDS, "for a person's yes, where the policy asks; none: without end")),
        forms.CommandForm,
        keyed=True,
    ),
    Verb("command", "GET", "/v1/commands/{command_id}", "How a command stands.", WHICH_COMMAND, forms.CommandForm),
    Verb(
        "wait",
        "GET",
        "/v1/commands/{command_id}/wait",
        "Wait for it. Over HTTP a request takes 60 s at most: ask again.",
        (
            *WHICH_COMMAND,
            Field("timeout", SECONDS, "patience; none: without end"),
            UNTIL_WHAT,
            Field("after_episode", COUNT, "the last waiting that this caller knows; 0: none"),
            Field("after_byte", COUNT, "where the output begins that this caller has not had"),
        ),
        Outcome,
    ),
    Verb("report", "GET", "/v1/commands/{command_id}/report", "How it stands, with its text.", WHICH_COMMAND, Outcome),
    Verb(
        "explain",
        "GET",
        "/v1/commands/{command_id}/explain",
        "Why its outcome says what it says.",
        (*WHICH_COMMAND, Field("text", FLAG, "with the command itself", default=True)),
        forms.Text,
    ),
    Verb(
        "picture",
        "GET",
        "/v1/commands/{command_id}/picture",
        "What it has printed, drawn as SVG: the last megabyte of it, as on a screen that is high enough.",
        (*WHICH_COMMAND, Field("theme", TEXT, "dark or light", default="dark")),
        forms.Text,
    ),
    Verb(
        "activity",
        "GET",
        "/v1/commands/{command_id}/activity",
        "What it does at this moment, as the kernel says.",
        WHICH_COMMAND,
        forms.ActivityForm,
    ),
    Verb(
        "follow",
        "GET",
        "/v1/commands/{command_id}/events",
        "What `Command.events()` gives: `{event, …}`, the last one `finished` with the outcome.",
        (
            *WHICH_COMMAND,
            Field("coalesce", SECONDS, "the shortest time between two pieces of output"),
            Field("at", COUNT, "the `at` of the last event of another stream: go on behind it"),
        ),
        dict[str, object],
        stream=True,
    ),
    Verb(
        "send",
        "POST",
        "/v1/commands/{command_id}/send",
        "What an agent types: judged by the policy, refused for secrets. Reports after `wait` seconds at most.",
        (
            *WHICH_COMMAND,
            Field("text", TYPED, "typed as it is", default=""),
            Field("keys", TEXTS, "names of keys, pressed after the text", default=()),
            Field("wait", SECONDS, "patience", default=0),
            UNTIL_WHAT,
        ),
        Outcome,
        keyed=True,
    ),
    Verb(
        "type",
        "POST",
        "/v1/commands/{command_id}/type",
        "What a program of the user's own types: verbatim, secrets too. Waits for nothing.",
        (*WHICH_COMMAND, *TYPING),
        forms.CommandForm,
        keyed=True,
    ),
    Verb(
        "answer",
        "POST",
        "/v1/commands/{command_id}/answer",
        "What a person answers to the question of this `episode`; `stale` if it no longer asks that.",
        (
            *WHICH_COMMAND,
            Field("episode", COUNT, "the command's `episode`", required=True),
            Field("text", TYPED, "the answer", default=""),
            Field("enter", FLAG, "press Enter after it", default=True),
            Field("secret", FLAG, "type it only while the terminal hides what is typed", default=False),
        ),
        forms.CommandForm,
        keyed=True,
        right="answer",
    ),
    Verb("interrupt", "POST", "/v1/commands/{command_id}/interrupt", "Ctrl-C.", WHICH_COMMAND, forms.Interrupted),
    Verb(
        "stop",
        "POST",
        "/v1/commands/{command_id}/stop",
        "End it: Ctrl-C, then SIGTERM, then SIGKILL. The shell goes on.",
        WHICH_COMMAND,
        Outcome,
    ),
)
