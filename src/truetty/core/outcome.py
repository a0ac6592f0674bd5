"""What a caller gets: one frozen value that says what is known of a command, and on what evidence.

Unknown is `None`: an unknown exit code is never 0 and never -1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

from truetty.core import lazy
from truetty.core.errors import TruettyError
from truetty.core.patterns import Found

State = Literal["finished", "running", "waiting", "lost"]
Evidence = Literal["mark", "exit", "kernel", "prompt"]
Strategy = Literal["rich", "basic", "none"]
Reached = Literal["exit", "input", "match", "idle", "port", "screen"]
WaitingKind = Literal["line", "secret", "key", "fullscreen", "continuation", "shell"]
# What `questions/prompts.py` describes a question as.
Asks = Literal[
    "yes-no", "choice", "conflict", "host-key", "menu", "text", "username", "password", "passphrase", "code", "secret",
    "press-key", "pager", "editor", "screen", "repl", "shell", "more-input", "stdin",
]  # fmt: skip

# Of the output, so much is in a `repr` and in the message of a `CommandFailed`.
REPR_OUTPUT: Final = 60
FAILURE_OUTPUT: Final = 400


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something reads the keyboard and cannot go on without it."""

    kind: WaitingKind  # what it reads: a line, one without echo (secret), keys, or in full screen
    prompt: str  # what stands on the line the cursor is on, as a person would read it
    program: str | None = None  # the one that reads, as the kernel says
    certain: bool = True  # False: it also listens to other things (an event loop), so it may go on by itself
    # Described from the text alone, so two waitings are not told apart by it.
    asks: Asks | None = field(default=None, compare=False)  # what kind of question the words are
    choices: tuple[str, ...] = field(default=(), compare=False)  # what can be answered, where that is shown
    labels: tuple[str, ...] = field(default=(), compare=False)  # what each choice means: as many, or none
    default: str | None = field(default=None, compare=False)  # what Enter alone means, where that is shown
    hint: str = field(default="", compare=False)  # what to do about it, in a sentence


@dataclass(frozen=True, slots=True, repr=False)
class Outcome:
    """The truth about one command at one moment."""

    command_id: str  # such as "t1-3"
    terminal_id: str  # such as "t1"
    state: State  # finished, running, waiting or lost
    exit_code: int | None  # None while it runs, and where it is unknown
    signal: str | None  # that ended it, such as "SIGKILL", where the kernel, the shell or truetty said so
    evidence: Evidence | None  # what proved the end: mark, exit, kernel or prompt; None before it
    strategy: Strategy  # how it was followed: "rich" by marks of the shell, "basic" by the kernel, "none" not at all
    output: str  # clean text, within the budget
    output_bytes: int  # of the whole output, as it was printed
    output_lines: int  # of the whole clean output
    omitted: int  # characters of the clean output that are not in `output`
    original_tokens: int  # about how many the whole clean output is to a language model
    complete: bool  # whether every byte of the output is kept
    waiting: Waiting | None  # the question, while it waits for input
    duration: float  # seconds from its start to its end, or to this moment
    cwd: str | None  # the shell's directory; None: unknown, or removed
    closed: bool  # whether the terminal has ended
    notes: tuple[str, ...] = ()  # sentences about what else happened
    # Facts of a wait, not of the command: two outcomes are not told apart by them.
    reached: Reached | None = field(default=None, compare=False)  # what it came back for; None: its patience was over
    match: Found | None = field(default=None, compare=False)  # what a wait for patterns has found

    @property
    def ok(self) -> bool:
        """Whether it has finished with exit code 0. An unknown exit code is not ok."""
        return self.state == "finished" and self.exit_code == 0

    def check(self) -> Self:
        """This outcome; raises `CommandFailed`, which holds it, unless it is `ok`."""
        if self.ok:
            return self
        end = self.output.rstrip()[-FAILURE_OUTPUT:]
        raise CommandFailed(f"command {self.command_id} {self._standing()}{end and f': {end}'}", outcome=self)

    def for_model(self, budget: Any = None) -> str:
        """The text that a language model gets of it over MCP: how it stands in a line, notes, and the output.

        `budget` is a number of characters or a `Budget`; without one, the output has 10,000 characters and 500 lines.
        """
        # The words of the surfaces for models are on a higher floor, which knows this one: it is not imported here.
        text: str = lazy.load("truetty.functions.for_model", "for_model")(self, budget)
        return text

    def __repr__(self) -> str:
        said = self.output if len(self.output) <= REPR_OUTPUT else f"…{self.output[-REPR_OUTPUT:]}"
        notes = f" notes={list(self.notes)!r}" if self.notes else ""
        return f"<Outcome {self.command_id} {self._standing()} output={said!r}{notes}>"

    def _standing(self) -> str:
        match self.state:
            case "finished":
                code = "an unknown exit code" if self.exit_code is None else f"exit code {self.exit_code}"
                return f"finished with {code}{f' ({self.signal})' if self.signal else ''}"
            case "waiting" if self.waiting is not None:
                return f"waits for input ({self.waiting.kind}): {self.waiting.prompt!r}"
            case "lost":
                return "was lost with its terminal"
        return f"is {self.state} after {self.duration:.1f} s"


class CommandFailed(TruettyError):
    """`Outcome.check()`: the command has not finished with exit code 0. Facts: outcome."""

    code = "command_failed"
    outcome: Outcome  # of the command
