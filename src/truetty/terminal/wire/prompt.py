"""Whether the shell's prompt is there, and free for the next command.

    AWAITED ──P──▸ FREE ──trigger──▸ TAKEN ──the command's D──▸ AWAITED
       │            ▴                  │
       P, of zsh    └──any other end───┘      MARKED, AWAITED ──trigger, after a look──▸ TAKEN
       ▾
    MARKED ──its editor, without hooks──▸ FREE   any ──the shell has ended──▸ GONE

The user's prompt hooks run between D and P. They may read or throw away what is typed meanwhile, and the tty echoes it
before the prompt is drawn. So the prompt is free with P, not with D. In zsh the hooks run after P: a look must show the
prompt, unless P tells that there are no hooks. Then it is free when the editor asks for bracketed paste.

Keys that were sent and that no program has surely read may stand at the prompt, now or when it comes: `keys_left`. The
line is cleared before anything of ours is typed there.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import ClassVar, Final

from truetty.core.signs import Mark
from truetty.core.standing import Stands

XOFF: Final = b"\x13"


class PromptState(Enum):
    AWAITED = auto()
    MARKED = auto()
    FREE = auto()
    TAKEN = auto()
    GONE = auto()


class Prompt(Stands):
    STANDS: ClassVar = ("state", "keys_left", "output_stopped", "is_continuation", "begins_at", "keys_at")

    def __init__(self) -> None:
        self.state = PromptState.AWAITED
        self.keys_left = False
        self.output_stopped = False  # Ctrl-S was among the keys: flow control may hold the output back
        self.is_continuation = False  # mark 2 came: the shell reads the rest of a line, which no editor can clear
        self.begins_at: int | None = None  # where in the transcript the prompt begins that stands there now
        self.keys_at: int | None = None  # where the first keys were typed that may stand there
        self.asleep: int | None = None  # how often the shell had run when Ctrl-C was typed that it may not have got yet
        self.listener: Callable[[Mark], None] | None = None  # called with each P, while a person types here

    def on_mark(self, mark: Mark) -> None:
        """P: the shell is about to draw its prompt."""
        if self.listener is not None:
            self.listener(mark)
        self.begins_at, self.keys_at = mark.end, None
        self.is_continuation = False

    @property
    def is_free(self) -> bool:
        """Ours: a trigger may be typed."""
        return self.state is PromptState.FREE

    @property
    def is_marked(self) -> bool:
        """P came, and hooks that follow it may still run."""
        return self.state is PromptState.MARKED and not self.keys_left

    @property
    def is_due(self) -> bool:
        """The last command has ended by its D, and P has not come yet."""
        return self.state is PromptState.AWAITED

    @property
    def is_clean(self) -> bool:
        """Ours, and nothing was typed there."""
        return self.is_free and not self.keys_left

    def on_keys(self, data: bytes, at: int, *, left: bool, asleep: int | None = None) -> None:
        """`at`: where the transcript ends. `left`: some of them may be left to the prompt. `asleep`: as above."""
        self.asleep = self.asleep if asleep is None else asleep
        self.keys_left = self.keys_left or left
        if left and self.keys_at is None:
            self.keys_at = at
        self.output_stopped = self.output_stopped or XOFF in data

    def on_leftover(self) -> None:
        """Something else than keys was written that the prompt may get: an answer of the terminal, unread input."""
        self.keys_left = True

    def on_clear(self) -> None:
        """What stood there was thrown away."""
        self.keys_left = self.output_stopped = False
        self.keys_at = self.asleep = None

    def on_trigger(self) -> None:
        self.state = PromptState.TAKEN

    def on_free(self) -> None:
        """The shell is at its prompt, and no command of ours runs."""
        if self.state is not PromptState.GONE:
            self.state = PromptState.FREE

    def on_early_mark(self) -> None:
        """P came, before the user's prompt hooks."""
        if self.state in (PromptState.AWAITED, PromptState.TAKEN):
            self.state = PromptState.MARKED

    def on_end_mark(self) -> None:
        """The command has ended by its D. If its P came with it, the prompt is free already."""
        if self.state is PromptState.TAKEN:
            self.state = PromptState.AWAITED

    def on_exit(self) -> None:
        self.state = PromptState.GONE
