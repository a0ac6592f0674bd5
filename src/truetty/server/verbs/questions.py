"""The verbs about questions, described."""

from __future__ import annotations

from typing import Final

from truetty.server import forms
from truetty.server.fields import ANSWER, TEXT, TYPED, Field
from truetty.server.verbs.row import Verb

ROWS: Final[tuple[Verb, ...]] = (
    Verb("questions", "GET", "/v1/questions", "What the policy has a person asked, and is open.", (), forms.Questions),
    Verb(
        "settle",
        "POST",
        "/v1/questions/{question_id}",
        "Answer a question. Refused with `settled` if it has been answered.",
        (
            Field("question_id", TEXT, "its id", required=True),
            Field("answer", ANSWER, "whether the command may run", required=True),
            Field("rule", TEXT, "of always: what is allowed from now on; otherwise what was suggested"),
            Field("word", TYPED, "of deny: why, for the caller"),
        ),
        forms.SettledQuestion,
        right="answer",
    ),
    Verb(
        "decline",
        "POST",
        "/v1/handoffs/{command_id}",
        "Not now: an agent that asks a person to take over is told so. Refused with `settled` if it no longer asks.",
        (
            Field("command_id", TEXT, "the command that it asks about", required=True),
            Field("word", TYPED, "for the agent"),
        ),
        forms.Nothing,
        right="answer",
    ),
)
