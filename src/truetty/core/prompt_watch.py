"""Whether looks show the shell back at its prompt: not there, there once, proven.

Rule 1: a look counts only if the shell has read everything we typed. Before that it still stands where it stood. If a
        program then waits for input for 3 s, nothing is unread and the shell's count of bytes does not grow, it never
        will; if it is the shell that waits, the trigger is lost, or the line that ends its pause.
Rule 2: two looks with no byte between them prove the prompt; three where its look was never learnt; one after a mark P
        that the user's prompt hooks follow.
Rule 3: bytes of a background job may come between every two looks. Then eight in a row prove it all the same.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from truetty.core.observation import Observation
from truetty.core.reader_watch import AGREEING_LOOKS

# With output of a background job between every two looks, this many in a row prove the prompt all the same.
STEADY_LOOKS: Final = 8
# Between a write to the tty and the wake-up of its reader, bytes are neither read nor unread: for a moment, for longer
# only if the machine is very busy.
LOST_TIME: Final = 3.0
# Before the text runs, the shell reads one line from us (mark M). If no M has come after so many looks at a read, the
# read is another program's.
PAUSE_LOOKS: Final = 50


class Back(Enum):
    """What the looks so far say of the prompt."""

    CLEARING = auto()  # it may still be the prompt that Ctrl-C is about to replace
    ONCE = auto()
    PROVEN = auto()


class PromptWatch:
    """`typed_into`: keys were sent to the prompt, so a P mark may be the answer to those. `asleep`: Ctrl-C was among
    them, and this is how often the shell had run before; until it has run again it is at the prompt that it will leave.

    `sees`: a look can show a prompt. `hooks_follow`: P comes before the user's prompt hooks.
    """

    __slots__ = (
        "_asleep",
        "_cleared",
        "_hooks_follow",
        "_ignored",
        "_late",
        "_late_since",
        "_looks",
        "_needed",
        "_paused",
        "_quiet",
        "_sees",
        "_shell",
        "_typed_into",
        "_unseen",
        "_wakes",
        "is_released",
        "marked",
    )

    def __init__(
        self,
        shell: int | None,
        *,
        typed_into: bool,
        sees: bool,
        hooks_follow: bool = False,
        awaited: bool = False,
        asleep: int | None = None,
    ) -> None:
        self._typed_into = typed_into
        self._hooks_follow = hooks_follow and sees
        self.marked = False  # P came: one look at the prompt shows that the hooks are done
        self._shell = shell
        self._sees = sees
        self._needed = 0  # what the shell's count of bytes read must reach before a look at it counts
        self._late: int | None = None  # the shell's count of bytes while it is too small and a program waits for input
        self._late_since = 0.0
        self.is_released = False  # the shell has read the trigger, and the line that ends its pause was typed
        self._looks = 0  # that showed the prompt, in a row
        self._quiet = False  # no byte since the first of them
        self._cleared = False  # Ctrl-C was typed, and nothing was printed since
        self._wakes: int | None = None  # how often the shell had run at the last look that showed the prompt
        self._asleep = asleep  # the same when Ctrl-C was typed, until it has run
        self._paused = False
        self._ignored = 0  # looks that may still show the read of mark M before it is called a waiting
        self._unseen = STEADY_LOOKS if awaited else 0  # looks until a prompt is typed to though no look can show it

    # -- what was typed

    def on_trigger(self, needed: int, *, pauses: bool) -> None:
        """`pauses`: before it runs the text, the shell reads a line from us (mark M)."""
        self.marked = False
        self._needed = needed
        self._ignored = PAUSE_LOOKS if pauses else 0
        self._unseen = 0

    def on_release(self, needed: int) -> None:
        """The line that the shell pauses for was typed: until it has read that line, its read is no waiting."""
        self._needed = needed
        self.is_released = True

    def on_question(self, needed: int) -> None:
        self._needed = needed
        self._looks = 0

    def on_clear(self) -> None:
        """Ctrl-C was typed at the prompt. Where no look can show the next one, a number of looks must do."""
        self._looks = 0
        self._cleared = True
        self._asleep = self._wakes
        self._unseen = 0 if self._sees else STEADY_LOOKS

    def on_flush(self) -> None:
        """Ctrl-C took from the tty what the shell had not read: its count of bytes may never reach what was typed."""
        self._needed = self._looks = 0
        self._cleared = True

    # -- what happened

    def on_bytes(self) -> None:
        self._quiet = self._cleared = False

    def on_start(self, *, first: bool = True) -> None:
        """The text runs: a read from now on is no pause of ours, and what was typed to run it was read, by the shell or
        by a child of it."""
        self._looks = self._ignored = 0
        if first:
            self._needed = 0

    def on_away(self) -> None:
        """A look that does not show the prompt."""
        self._looks = 0

    def on_unseen(self, look: Observation) -> bool:
        """The same, where no look can: True once, when a prompt must be typed to without having been seen.

        A shell that was still on its way to its prompt takes Ctrl-C without drawing a new one, so no P mark may come.
        A command may have removed the hook that prints P.
        What is typed now waits in the tty until the shell reads. A program in front may be a hook's, and take it.
        """
        if self._unseen == 0 or look.seen == "waiting":
            return False
        self._unseen = STEADY_LOOKS if look.in_front is False else self._unseen - 1
        return self._unseen == 0

    @property
    def is_freed_by_mark(self) -> bool:
        """Whether a P mark shows that the prompt is free. Not if keys were typed to it, or if the user's prompt hooks
        come after P: then only looks count.

        Where no look can show it, P answers the Ctrl-C that has cleared it.
        """
        return not (self._typed_into or self._hooks_follow) or self._unseen > 0

    def on_mark(self) -> bool:
        """P, which frees nothing by itself. Returns whether one look at the prompt is now enough."""
        self.marked = self._hooks_follow and not self._typed_into
        return self.marked

    # -- what a look shows

    def is_late(self, look: Observation) -> bool:
        """Whether the shell has not even read what we typed."""
        return look.consumed is not None and look.consumed < self._needed

    def is_lost(self, look: Observation, now: float) -> bool:
        """Whether what was typed last is lost, of a look that is late: the trigger, or the line that ends the pause.

        Once the shell will read no more, looks count again.
        """
        late = look.consumed if look.seen in ("ready", "waiting") else None
        if late is None or late != self._late:
            self._late, self._late_since = late, now
        elif now >= self._late_since + LOST_TIME:
            self._needed, self._late = 0, None
            # Its place may be any: readline that was woken for nothing waits elsewhere than at its prompt.
            # In bash a child reads the line that ends the pause.
            return look.seen == "ready" or look.reader == self._shell or self.is_released
        return False

    def is_shown(self, look: Observation, *, queued: bool) -> bool:
        """Whether the look shows the shell at its prompt. `queued`: nothing of ours was typed yet."""
        if look.seen == "ready":
            return True
        if look.reader != self._shell or self._shell is None:
            return False
        # A shell of which nothing was learnt; or one whose editor is elsewhere than usual because of what was typed.
        return look.kind == "shell" or (look.kind == "continuation" and self._typed_into and queued)

    def on_shown(self, look: Observation) -> Back:
        self._wakes = look.wakes
        if self._looks == 0:
            self._quiet = True
        self._looks += 1
        if self._asleep is not None:
            if look.wakes == self._asleep and self._looks < PAUSE_LOOKS:
                return Back.CLEARING
            self._asleep, self._looks = None, 1
        if self._cleared and self._looks < STEADY_LOOKS:
            return Back.CLEARING
        if self.marked and look.conclusive:
            return Back.PROVEN
        if self._looks >= (2 if look.conclusive else AGREEING_LOOKS) and (self._quiet or self._looks >= STEADY_LOOKS):
            return Back.PROVEN
        self._quiet = True
        return Back.ONCE

    # -- the pause for mark M

    @property
    def pauses(self) -> bool:
        """Whether a reader may be the shell itself, pausing for us."""
        return self._ignored > 0

    def on_pause_before(self) -> None:
        """M has come in a process before this one. If that has not let the shell go on, the next look shows it."""
        self._paused = True

    def on_pause(self, look: Observation) -> bool:
        """A look at that reader. True once, when M should have come by now and the shell must be let go on."""
        self._ignored -= 1
        if self._paused:
            self._paused = False
            return not self.is_released
        due = self._ignored == PAUSE_LOOKS - STEADY_LOOKS
        return due and look.reader == self._shell and not self.is_released
