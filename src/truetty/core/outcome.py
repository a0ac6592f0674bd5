"""What a caller gets: one frozen value that says what is known of a command, and on what evidence.

Unknown is `None`: an exit code that could not be told is never 0 and never -1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

State = Literal["finished", "running", "waiting", "lost"]
Evidence = Literal["mark", "exit", "kernel", "prompt"]
Strategy = Literal["rich", "basic", "none"]
WaitingKind = Literal["line", "secret", "key", "fullscreen", "continuation", "shell"]
# What `questions/prompts.py` describes a question as.
Asks = Literal[
    "yes-no", "choice", "conflict", "host-key", "menu", "text", "username", "password", "passphrase", "code", "secret",
    "press-key", "pager", "editor", "screen", "repl", "shell", "more-input", "stdin",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something reads the keyboard and cannot go on without it."""

    kind: WaitingKind
    prompt: str  # what stands on the line the cursor is on, as a person would read it
    program: str | None = None  # the one that reads, as the kernel says
    certain: bool = True  # False: it also listens to other things (an event loop), so it may go on by itself
    # Described from the text alone, so two waitings are not told apart by it.
    asks: Asks | None = field(default=None, compare=False)
    choices: tuple[str, ...] = field(default=(), compare=False)  # what can be answered, where that is shown
    labels: tuple[str, ...] = field(default=(), compare=False)  # what each choice means: as many, or none
    default: str | None = field(default=None, compare=False)  # what Enter alone means, where that is shown
    hint: str = field(default="", compare=False)  # what to do about it, in a sentence


@dataclass(frozen=True, slots=True)
class Outcome:
    """The truth about one command at one moment."""

    command_id: str
    terminal_id: str
    state: State
    exit_code: int | None
    signal: str | None
    evidence: Evidence | None
    strategy: Strategy
    output: str
    output_bytes: int
    output_lines: int
    omitted: int  # characters of the clean output that are not in `output`
    original_tokens: int  # about how many the whole clean output is to a language model
    complete: bool
    waiting: Waiting | None
    duration: float
    cwd: str | None
    closed: bool
    notes: tuple[str, ...] = ()
