"""What the verbs of `service.py` are called, what they take and what that means, for language models.

Rule 1: this table is the only source. Surfaces that offer the verbs are made from it.
Rule 2: names that models know from other tools are understood (`cmd`, `chars`, `yield_time_ms`), and not advertised.
        Nor are parameters that models seldom need: each word of a schema costs tokens in every request.
Rule 3: waits are in seconds. A name that ends in `_ms` is in milliseconds; a bare `timeout` is either in other tools.
        None of them ends a command: only `kill_after` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from truetty.service.service import PAGE_SIZE

Type = Literal["string", "number", "integer", "boolean", "strings"]
# The unit of a name from another tool, compared to ours. A bare `timeout` is in seconds for some tools and in
# milliseconds for others: its size decides, and the result says so.
Unit = Literal["same", "milliseconds", "either"]

# How long `run` waits if the model names no time: most commands are over by then, and no client has timed out.
RUN_WAIT: Final = 30.0
# Most programs answer what was typed at once.
SEND_WAIT: Final = 5.0


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: Type
    description: str
    required: bool = False
    aliases: Mapping[str, Unit] = field(default_factory=dict)  # other names it may come under
    default: str | float | None = None
    zero: bool = False  # 0 and an empty text are values; elsewhere they mean that it is absent
    line: bool = False  # a line for a shell: a list of words is one too
    listed: bool = True  # in the schemas; what is not listed is taken all the same

    @property
    def names(self) -> Mapping[str, Unit]:
        """All that it may come under."""
        return {self.name: "same", **self.aliases}


@dataclass(frozen=True, slots=True)
class Verb:
    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()
    read_only: bool = False  # it changes nothing that runs

    @property
    def listed(self) -> tuple[Parameter, ...]:
        """The parameters that models read of."""
        return tuple(each for each in self.parameters if each.listed)


def _also(*names: str) -> dict[str, Unit]:
    return dict.fromkeys(names, "same")


_DIRECTORIES: Final = _also("workdir", "directory", "dir_path", "dir", "working_directory")

# For people who look at calls, and of earlier versions; nothing is done with them.
PASSED_OVER: Final = ("description", "explanation", "only_new")

ID: Final = Parameter(
    "id",
    "string",
    "A command_id, or a terminal_id for the last command there.",
    required=True,
    aliases=_also("command_id", "terminal_id", "session_id", "shell_id"),
)
_UNTIL: Final = Parameter(
    "until",
    "string",
    "What to wait for: settled (finished or asking), exit, input, match:REGEX, idle:SECONDS or port:NUMBER.",
    aliases=_also("for"),
    default="settled",
)
_TOKENS: Final = Parameter("max_output_tokens", "integer", "Show about so many tokens of the output.")


def _unlisted(parameter: Parameter) -> Parameter:
    return replace(parameter, listed=False)


def _patience(default: float | None, description: str) -> Parameter:
    """How long a call waits at most, under all names that other tools have for it."""
    aliases: dict[str, Unit] = {
        "seconds": "same", "initial_wait": "same", "delay": "same", "timeout": "either",
        "yield_time_ms": "milliseconds", "timeout_ms": "milliseconds", "wait_ms": "milliseconds",
        "delay_ms": "milliseconds",
    }  # fmt: skip
    return Parameter("wait", "number", description, aliases=aliases, default=default, zero=True)


VERBS: Final = (
    Verb(
        "run",
        "Run a shell command in a terminal that stays: directory, variables and jobs last. For every command, above "
        "all long, interactive and background ones. Gives output and exit code, or says that it still runs, or what it "
        "asks (answer with send). No command is ended because time is over.",
        (
            Parameter("command", "string", "The command line.", True, _also("cmd"), line=True),
            Parameter("cwd", "string", "Directory to run it in; the shell stays there.", aliases=_DIRECTORIES),
            _patience(RUN_WAIT, "Seconds to wait for it. It goes on after that."),
            _UNTIL,
            Parameter(
                "background",
                "boolean",
                "Come back at once.",
                aliases=_also("run_in_background", "is_background"),
            ),
            Parameter(
                "terminal_id",
                "string",
                "Terminal to run it in. Without it: yours, or another while that one is busy.",
                aliases=_also("session_id", "terminal", "id", "shell_id"),
            ),
            Parameter("outside", "boolean", "In a sandbox: ask the user to let it run outside."),
            _TOKENS,
            Parameter("kill_after", "number", "End it after so many seconds. Without it: never.", listed=False),
            Parameter("task", "string", "A name for a line of work that has its own terminals.", listed=False),
            Parameter("shell", "string", "The shell, by name or path. Without it: the user's.", listed=False),
            Parameter(
                "key",
                "string",
                "Any text that is unique to this request: sent again, it runs nothing twice.",
                listed=False,
            ),
        ),
    ),
    Verb(
        "read",
        "Read a command's output: what is new, a page from offset, lines that match grep, or the last lines. Nothing "
        "that was printed is lost.",
        (
            ID,
            Parameter("offset", "integer", "Begin here, in characters. Without it: at what is new.", zero=True),
            Parameter(
                "limit",
                "integer",
                "At most so many characters.",
                aliases=_also("length", "max_chars"),
                default=PAGE_SIZE,
            ),
            Parameter(
                "grep",
                "string",
                "Only lines in which this regular expression (RE2) is found.",
                aliases=_also("pattern"),
            ),
            Parameter("context", "integer", "With grep: so many lines around each.", listed=False),
            Parameter("tail", "integer", "Only so many last lines.", zero=True),
        ),
        read_only=True,
    ),
    Verb(
        "wait",
        "Wait for a running command, and say how it stands. Never ends it.",
        (
            ID,
            _UNTIL,
            _patience(RUN_WAIT, "Seconds to wait. It goes on after that."),
            _unlisted(_TOKENS),
            Parameter("match", "string", "The same as until match:REGEX.", aliases=_also("pattern"), listed=False),
            Parameter("idle", "number", "The same as until idle:SECONDS.", listed=False),
            Parameter("port", "integer", "The same as until port:NUMBER.", listed=False),
        ),
        read_only=True,
    ),
    Verb(
        "send",
        "Answer a command that asks, or press keys in it, and see what it does. Secrets are refused: use handoff.",
        (
            ID,
            Parameter("text", "string", "What to type.", aliases=_also("chars", "input")),
            Parameter("enter", "boolean", "Press Enter after it all.", aliases=_also("submit")),
            Parameter("keys", "strings", "Keys to press after the text: C-c, Up, Escape, Tab."),
            _patience(SEND_WAIT, "Seconds to wait for what it does."),
            _unlisted(_UNTIL),
            _unlisted(_TOKENS),
        ),
    ),
    Verb(
        "screen",
        "What a person would see now: for full-screen programs (editors, pagers, menus).",
        (ID,),
        read_only=True,
    ),
    Verb(
        "stop",
        "End a command: interrupt, then terminate, then kill. The terminal stays, unless close.",
        (ID, Parameter("close", "boolean", "End its terminal too, and all that runs in it."), _unlisted(_TOKENS)),
    ),
    Verb("terminals", "The open terminals, and what runs in them.", read_only=True),
    Verb(
        "handoff",
        "Let the user type into a command that waits: for passwords and other secrets. Never ask for them in the chat.",
        (
            ID,
            Parameter("reason", "string", "What the user is asked to type, and why: the user reads it."),
            _patience(None, "Seconds to wait for the user."),
        ),
    ),
)

# Anthropic's own tool. The model knows what it takes; its schema is not sent.
BASH: Final = Verb(
    "bash",
    "Run a command in one bash that stays, with its variables and its directory.",
    (
        Parameter(
            "command", "string", "The command line. Needed, unless it is restarted.", aliases=_also("cmd"), zero=True
        ),
        Parameter("restart", "boolean", "End this bash and all that runs in it; the next command gets a new one."),
    ),
)
BY_NAME: Final = {verb.name: verb for verb in VERBS}
