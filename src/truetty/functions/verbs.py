"""What the verbs of `service.py` are called, what they take and what that means, for language models.

Rule 1: said once, here. Surfaces that offer the verbs read it from this table.
Rule 2: names that models know from other tools are understood (`cmd`, `chars`, `yield_time_ms`), and not advertised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Type = Literal["string", "number", "integer", "boolean", "strings"]
# What a name of another tool is given in, compared to ours. A bare `timeout` is in seconds for some tools and in
# milliseconds for others: it is told by its size, and the result says so.
Unit = Literal["same", "milliseconds", "either"]

# Patience where the model names none: long enough for most commands, short enough not to look dead.
RUN_WAIT: Final = 30.0
# What was typed is mostly answered at once.
SEND_WAIT: Final = 5.0


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: Type
    description: str
    required: bool = False
    aliases: Mapping[str, Unit] = field(default_factory=dict)  # other names it may come under


@dataclass(frozen=True, slots=True)
class Verb:
    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()
    read_only: bool = False  # it changes nothing that runs


def _also(*names: str) -> dict[str, Unit]:
    return dict.fromkeys(names, "same")


# For people who look at calls; nothing is done with them.
PASSED_OVER: Final = ("description", "explanation")

_ID: Final = Parameter(
    "id",
    "string",
    "The command_id of a command, or a terminal_id: then its last command is meant.",
    required=True,
    aliases=_also("command_id", "terminal_id", "session_id"),
)
_FOR: Final = Parameter(
    "for",
    "string",
    "What to wait for: settled (finished, or waiting for input; the default), exit, input, match:REGEX (found in new "
    "output), idle:SECONDS (nothing printed for so long), port:NUMBER (it listens there). The end always ends it.",
    aliases=_also("until"),
)


def _patience(seconds: float, rest: str) -> Parameter:
    """How long a call takes at most. It ends no command, whatever it is called elsewhere."""
    aliases: dict[str, Unit] = {
        "seconds": "same", "timeout": "either",
        "yield_time_ms": "milliseconds", "timeout_ms": "milliseconds", "wait_ms": "milliseconds",
    }  # fmt: skip
    return Parameter("wait", "number", f"Seconds to wait; default {seconds:g}. {rest}", aliases=aliases)


VERBS: Final = (
    Verb(
        "run",
        "Run a shell command in a persistent terminal and say how it stands: finished (with its exit code), waiting "
        "for input, or still running when the wait is over. Variables and the directory stay for the next command.",
        (
            Parameter("command", "string", "The command line, as it is.", required=True, aliases=_also("cmd")),
            _patience(RUN_WAIT, "The command goes on after it: use wait, read or stop."),
            _FOR,
            Parameter("kill_after", "number", "Seconds after which the command is ended; default: never."),
            Parameter(
                "terminal_id",
                "string",
                "The terminal to run in. Without it: the one of your last command, or another while that one runs.",
                aliases=_also("session_id", "terminal", "id"),
            ),
            Parameter("cwd", "string", "The directory, if no terminal is named.", aliases=_also("workdir")),
            Parameter("task", "string", "A name for a line of work that has its own terminals."),
            Parameter("shell", "string", "The shell, by name or path, if no terminal is named."),
            Parameter("key", "string", "Any text that is unique to this request: sent again, it runs nothing twice."),
        ),
    ),
    Verb(
        "read",
        "Read a command's output: what was not read yet, a part of it, the lines that match, or the last lines.",
        (
            _ID,
            Parameter("offset", "integer", "From this character on. Without it: what was not read yet."),
            Parameter("limit", "integer", "At most so many characters."),
            Parameter(
                "grep", "string", "Only lines in which this regular expression is found.", aliases=_also("pattern")
            ),
            Parameter("context", "integer", "With grep: so many lines around each."),
            Parameter("tail", "integer", "Only so many last lines."),
        ),
        read_only=True,
    ),
    Verb(
        "wait",
        "Wait for a command that still runs, and say how it stands. It never ends the command.",
        (
            _ID,
            _patience(RUN_WAIT, "The command goes on after it."),
            _FOR,
        ),
        read_only=True,
    ),
    Verb(
        "send",
        "Type into a running command, exactly as given: an answer needs its newline, or enter. Secrets are refused: "
        "use handoff.",
        (
            _ID,
            Parameter("text", "string", 'What to type, for example "y\\n".', aliases=_also("chars", "input")),
            Parameter("keys", "strings", "Keys to press after the text, for example C-c, Up, Escape."),
            Parameter("enter", "boolean", "Press Enter after it all.", aliases=_also("submit")),
            _patience(SEND_WAIT, "What follows is told."),
        ),
    ),
    Verb("screen", "What a person would see of the terminal now. For full-screen programs.", (_ID,), read_only=True),
    Verb(
        "stop",
        "End a command: interrupt it, then terminate, then kill it. Its terminal stays, unless close is true.",
        (_ID, Parameter("close", "boolean", "Close the terminal too.")),
    ),
    Verb("terminals", "The open terminals, and what each is doing.", read_only=True),
    Verb(
        "handoff",
        "Leave the terminal of a running command to a person, for a password or another thing you must not type.",
        (_ID, Parameter("reason", "string", "What the person is asked to do, in a sentence.", required=True)),
    ),
)

# Anthropic's own tool. The model knows what it takes; its schema is not sent.
BASH: Final = Verb(
    "bash",
    "Run a command in one bash that stays, with its variables and its directory.",
    (
        Parameter("command", "string", "The command line. Needed, unless it is restarted.", aliases=_also("cmd")),
        Parameter("restart", "boolean", "End this bash and all that runs in it; the next command gets a new one."),
    ),
)
BY_NAME: Final = {verb.name: verb for verb in VERBS}
