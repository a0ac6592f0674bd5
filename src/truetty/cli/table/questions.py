"""`truetty questions`, `allow` and `deny`, described."""

from __future__ import annotations

from typing import Final

from truetty.cli.table.row import CommandRow, Example, Group, Option, Word, switch
from truetty.cli.table.shared import JSON, ON

_QUESTION: Final = Word("id", "QUESTION")
_STATUS: Final = "Exit status: 0 · 125 it is answered already, or another error of truetty's"

QUESTIONS: Final = CommandRow(
    "questions",
    "List what a person is asked",
    "List the commands that wait for a person's yes, because the policy of the server asks.",
    (Example("truetty questions", "what is open"), Example("truetty allow q3", "let it run")),
    (),
    "",
    (Group("Options", (ON, JSON)),),
    ("Exit status: 0 · 125 an error of truetty's",),
    module="terminals.questions",
)

ALLOW: Final = CommandRow(
    "allow",
    "Let a command run that waits for a yes",
    "Answer a question with yes: the command runs.",
    (
        Example("truetty allow q3", "this time"),
        Example("truetty allow q3 --always", "and whatever the suggested rule allows"),
        Example("truetty allow q3 --rule 'git push'", "and whatever this rule allows"),
    ),
    (_QUESTION,),
    "QUESTION is the id that truetty questions shows.",
    (
        Group(
            "Options",
            (
                switch("--always", "allow by the rules that truetty questions shows, from now on"),
                Option("--rule", "allow by this rule, from now on", "RULE"),
                ON,
            ),
        ),
    ),
    (
        "--always and --rule write the rule into the settings file that the policy is from. "
        "If it is from no file, the rule holds until the server ends.",
        _STATUS,
    ),
    module="terminals.questions",
)

DENY: Final = CommandRow(
    "deny",
    "Refuse a command that waits for a yes",
    "Answer a question with no: the command does not run.",
    (Example("truetty deny q3", "no"), Example("truetty deny q3 'use the test database'", "and why")),
    (_QUESTION, Word("word", "WORD", required=False)),
    "QUESTION is the id that truetty questions shows. The caller is told WORD.",
    (Group("Options", (ON,)),),
    (_STATUS,),
    module="terminals.questions",
)
