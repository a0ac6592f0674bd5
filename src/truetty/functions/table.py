"""What the verbs of `service.py` are called, what they take and what that means, for language models.

Rule 1: said once, here. Surfaces that offer the verbs read it from this table.
Rule 2: names that models know from other tools are understood (`cmd`, `chars`, `yield_time_ms`), and not advertised.
Rule 3: patience is given in seconds. What ends in `_ms` is in milliseconds; a bare `timeout` is either in other tools.
        None of them ends a command: only `kill_after` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from truetty.service.service import PAGE_SIZE

Type = Literal["string", "number", "integer", "boolean", "strings"]
# What a name of another tool is given in, compared to ours. A bare `timeout` is in seconds for some tools and in
# milliseconds for others: it is told by its size, and the result says so.
Unit = Literal["same", "milliseconds", "either"]

# Patience where the model names none: most commands are over by then, and no client's own time-out is.
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
    default: str | float | None = None
    zero: bool = False  # 0 and an empty text say something; elsewhere they are as good as nothing
    line: bool = False  # a line for a shell: a list of words is one too

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


def _also(*names: str) -> dict[str, Unit]:
    return dict.fromkeys(names, "same")


_DIRECTORIES: Final = _also("workdir", "directory", "dir_path", "dir", "working_directory")

# For people who look at calls; nothing is done with them.
PASSED_OVER: Final = ("description", "explanation")

ID: Final = Parameter(
    "id",
    "string",
    "The command_id of a command, or a terminal_id: then its last command is meant.",
    required=True,
    aliases=_also("command_id", "terminal_id", "session_id", "shell_id"),
)
_UNTIL: Final = Parameter(
    "until",
    "string",
    "What to wait for: settled (finished, or waiting for input), exit, input, match:REGEX (found in new output), "
    "idle:SECONDS (nothing printed for so long), port:NUMBER (it listens there). The end always ends it.",
    aliases=_also("for"),
    default="settled",
)
_TOKENS: Final = Parameter("max_output_tokens", "integer", "Show about so many tokens of the output.")


def _patience(default: float | None, description: str) -> Parameter:
    """How long a call takes at most, whatever it is called elsewhere."""
    aliases: dict[str, Unit] = {
        "seconds": "same", "initial_wait": "same", "delay": "same", "timeout": "either",
        "yield_time_ms": "milliseconds", "timeout_ms": "milliseconds", "wait_ms": "milliseconds",
        "delay_ms": "milliseconds",
    }  # fmt: skip
    return Parameter("wait", "number", description, aliases=aliases, default=default, zero=True)


VERBS: Final = (
    Verb(
        "run",
        "Run a shell command and get its output, exit code and state. Waits up to `wait` seconds for it to finish or "
        "to ask for input; then it goes on by itself and is reported as running. The shell stays: cd and variables "
        "last. While a command runs, further ones get another terminal.",
        (
            Parameter("command", "string", "The command line, as you would type it.", True, _also("cmd"), line=True),
            Parameter("cwd", "string", "The directory to run it in; the shell stays there.", aliases=_DIRECTORIES),
            Parameter(
                "terminal_id",
                "string",
                "The terminal to run it in. Without it: the one of your last command, or another while that one runs.",
                aliases=_also("session_id", "terminal", "id", "shell_id"),
            ),
            _patience(RUN_WAIT, "Seconds to wait for it; then it goes on by itself: use wait, read or stop."),
            _UNTIL,
            Parameter(
                "background",
                "boolean",
                "Come back at once.",
                aliases=_also("run_in_background", "is_background"),
            ),
            Parameter("kill_after", "number", "End the command after so many seconds. Without it: never."),
            Parameter("task", "string", "A name for a line of work that has its own terminals."),
            Parameter("shell", "string", "The shell, by name or path. Without it: the user's."),
            Parameter("outside", "boolean", "In a sandbox: ask the user to let it run outside, in another terminal."),
            Parameter("key", "string", "Any text that is unique to this request: sent again, it runs nothing twice."),
            _TOKENS,
        ),
    ),
    Verb(
        "read",
        "Read a command's output: what no read gave before, a page from `offset` (go on at next_offset), lines "
        "matching `grep`, or the last `tail` lines. Nothing that was printed is lost.",
        (
            ID,
            Parameter(
                "offset", "integer", "Where to begin, in characters. Without it: what was not read yet.", zero=True
            ),
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
                "Only lines that this regular expression (RE2) is found in.",
                aliases=_also("pattern"),
            ),
            Parameter("context", "integer", "With grep: so many lines around each."),
            Parameter("tail", "integer", "Only so many last lines.", zero=True),
        ),
        read_only=True,
    ),
    Verb(
        "wait",
        "Wait for a running command, and say how it stands. It never ends the command.",
        (
            ID,
            _UNTIL,
            Parameter("match", "string", "The same as for match:REGEX.", aliases=_also("pattern")),
            Parameter("idle", "number", "The same as for idle:SECONDS."),
            Parameter("port", "integer", "The same as for port:NUMBER."),
            _patience(RUN_WAIT, "Seconds to wait at most; the command goes on after it."),
            _TOKENS,
        ),
        read_only=True,
    ),
    Verb(
        "send",
        "Type into a running command: `text` exactly as given (an answer needs its newline, or `enter`), then `keys` "
        "by name, then Enter if `enter`; then wait for what it does. With nothing to type it only waits. Secrets are "
        "refused: use handoff.",
        (
            ID,
            Parameter("text", "string", 'What to type, for example "y\\n".', aliases=_also("chars", "input")),
            Parameter("keys", "strings", "Keys to press after the text, for example C-c, Up, Escape."),
            Parameter("enter", "boolean", "Press Enter after it all.", aliases=_also("submit")),
            _UNTIL,
            _patience(SEND_WAIT, "Seconds to wait for what it does."),
            _TOKENS,
        ),
    ),
    Verb(
        "screen",
        "What a person would see of the terminal now: for full-screen programs (editors, pagers, menus).",
        (ID,),
        read_only=True,
    ),
    Verb(
        "stop",
        "End a command: interrupt, then terminate, then kill its processes. Says how it ended and names what it left "
        "running. Its terminal stays, unless `close`.",
        (ID, Parameter("close", "boolean", "End its terminal too, with everything it started."), _TOKENS),
    ),
    Verb("terminals", "The terminals that are open: where each is, and what runs in it.", read_only=True),
    Verb(
        "handoff",
        "Let the user type into a command that waits, for secrets above all. You cannot type there until the command "
        "has gone on or the user gave it back.",
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
