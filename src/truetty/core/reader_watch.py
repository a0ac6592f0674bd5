"""Which program reads the keyboard, since when, and how.

Rule 1: one conclusive look at a reader is enough, unless other threads of the foreground run at that moment.
Rule 2: suggestive looks prove nothing one by one. Three that agree, over 0.15 s, prove that a program waits. A reader
        that was on a CPU in between starts the count anew, unless it only polls the keyboard (`poll_watch.py`).
Rule 3: a program that listens to other things too (`ssh host make`) asks only where its output shows a question: an
        unfinished line, or the alternate screen.
Rule 4: mc feeds a shell that waits behind it. On the alternate screen keys are for mc, not for that shell.
Rule 5: output is no sign of the reader: a thread or a job may print over a question. A reader that has not run since
        the look that showed it still waits. One in a thread beside the main one may listen while the program works.
Rule 6: after keys were sent, a reader may simply not have woken up yet. It counts when it has run since. The count of
        bytes that the shell has read tells that of the shell, even if it was not known to read when keys were sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Final

from truetty.core.observation import Observation
from truetty.core.outcome import WaitingKind
from truetty.core.pace import LOOK_AFTER_KEYS
from truetty.core.poll_watch import POLL_LOOKS, POLL_SPAN, PollWatch
from truetty.core.testimony import Testimony

# How many suggestive looks must agree, and how far apart the first and the last must be: no program rests so long by
# chance.
AGREEING_LOOKS: Final = 3
AGREEING_SPAN: Final = 0.15
# How long after keys were sent a reader that has not run since is taken to be still asleep. Keys that must wake it take
# longer only if the machine is very busy; in the end another program has read them.
WAKE_TIME: Final = 0.3
WAKE_LIMIT: Final = 3.0


@dataclass(frozen=True, slots=True)
class KeyboardReader:
    """The program that reads the keyboard, how it reads, and whether only input can wake it (`certain`)."""

    kind: WaitingKind
    program: str | None
    certain: bool
    pipe_to: str | None = None  # the program to which it prints, through a pipe
    pid: int | None = field(default=None, compare=False)


class ReaderWatch:
    """`shell`: the shell's process id, None where it means nothing. `sees`: a look can show a reader."""

    __slots__ = (
        "_agreeing",
        "_alternate_screen",
        "_asleep_until",
        "_count",
        "_needed",
        "_poll",
        "_sees",
        "_shell",
        "_since",
        "_unknown",
        "_who",
        "number",
        "sleeper",
        "stopped",
        "waiting",
    )  # fmt: skip

    def __init__(self, shell: int | None, *, alternate_screen: bool, sees: bool) -> None:
        self.waiting: KeyboardReader | None = None
        self.number = 0  # how often a program began to read
        # The reader that the last look showed, and its count of wake-ups. While the count stays, output comes from
        # another program.
        self.sleeper: tuple[int, int] | None = None
        self._alternate_screen = alternate_screen  # a full-screen program has the screen
        self.stopped = False  # the last look found every process in front stopped
        self._shell = shell
        self._sees = sees
        self._unknown = False  # the last look was not allowed to see
        self._who: tuple[int | None, int | None] | None = None  # the last reader, and its count of wake-ups
        self._asleep_until = -inf  # until then a reader that has not run since the last keys may still wake up
        self._needed = 0  # what the shell's count of bytes read must reach, if it is the shell that reads those keys
        self._count = 0  # suggestive looks that agree, so far
        self._agreeing: tuple[object, ...] = ()  # what they all showed
        self._since = 0.0  # when the first of them had been made
        self._poll = PollWatch()

    @property
    def can_tell(self) -> bool:
        """Whether a reader would be seen. False: `waiting` None means nothing."""
        return self._sees and not self._unknown

    def on_alternate_screen(self, on: bool) -> None:
        self._alternate_screen = on

    def on_command(self) -> None:
        """The command was typed, or has started: a program that read before is not the command's reader."""
        self.waiting = self.sleeper = None

    def on_keys(self, now: float, *, needed: int, wakes: bool) -> None:
        """Keys were sent. `wakes`: they end a line, or every key is read at once, so that a reader must wake up."""
        if self.waiting is None and now >= self._asleep_until:
            self._who = None  # the program that will read them is not known
        self._asleep_until = now + (WAKE_LIMIT if wakes else WAKE_TIME)
        self._needed = needed
        self.on_no_reader()

    def on_bytes(self, *, ran: bool = True) -> None:
        """Output arrived. `ran`: the sleeper has run since the last look, so that it may have printed it."""
        self.stopped = False
        if ran:
            self.on_no_reader()

    def on_no_reader(self) -> None:
        """No program reads now."""
        self.waiting = self.sleeper = None
        self._count = 0
        self._poll.forget()

    def on_look(self, look: Observation) -> None:
        """A look of any kind."""
        self.stopped = look.seen == "stopped"
        self._unknown = look.seen == "unknown"

    def on_prompt(self, look: Observation, *, continuation: bool) -> None:
        """The shell itself reads a command line; with `continuation`, the rest of one."""
        if continuation:
            self._begin(KeyboardReader("continuation", look.program, True, pid=look.reader), look)
        else:
            self.waiting = None

    def on_away(
        self,
        look: Observation,
        now: float,
        testimony: Testimony,
        *,
        asked: float | None = None,
        line_open: bool = False,
    ) -> float | None:
        """The shell is not at its prompt: does a program read? Returns how soon to look again; None: as usual.

        `asked`: when the look was asked for; None: now. `line_open`: the last line of the output is not finished.
        """
        if self._alternate_screen and look.relay is not None and look.kind == "shell":
            look = look.relay
        if self._poll.is_awake(look, now):
            return LOOK_AFTER_KEYS
        if look.seen != "waiting" or (look.listens and not (line_open or self._alternate_screen)):
            self.on_no_reader()
            return None
        if now < self._asleep_until and not self._has_run(look, now):
            return LOOK_AFTER_KEYS
        if self._poll.is_at_work(look, now):
            self.on_no_reader()
        if look.in_main_thread and not look.listens and look.reader is not None and look.wakes is not None:
            self.sleeper = (look.reader, look.wakes)
        # A wait that ends by itself is judged over a second: between two polls equal looks say nothing of the next one.
        polls = self._poll.on_reader(look, now)
        settled = (
            polls if look.timed and look.cpu is not None else self._agrees(look, now, now if asked is None else asked)
        )
        if (not look.conclusive or look.busy) and not settled:
            return self._delay(look) if self.waiting is None else None
        kind = self._kind(look, testimony)
        self._begin(KeyboardReader(kind, look.program, look.conclusive, look.pipe_to, look.reader), look)
        return None

    def on_end(self) -> None:
        """The command has ended."""
        self.waiting = None
        self.stopped = False

    def _has_run(self, look: Observation, now: float) -> bool:
        """Whether the reader has run since keys were sent."""
        known, who = self._who, (look.reader, look.wakes)
        if known is not None and known != who:
            return True
        if known is None and look.reader == self._shell and look.consumed is not None:
            return look.consumed >= self._needed
        if known is None or look.wakes is None:
            # It may have read the keys before this look, or how often it has run is unknown.
            self._asleep_until = min(self._asleep_until, now + WAKE_TIME)
        self._who = who
        return False

    def _kind(self, look: Observation, testimony: Testimony) -> WaitingKind:
        kind: WaitingKind = look.kind or "key"
        if self._alternate_screen and kind == "key":
            kind = "fullscreen"
        if self._shell is None or look.reader != self._shell:
            return kind
        # The shell's editor away from its prompt: its PS2 says so by a mark; else it is `read` with editing.
        if testimony.continuation:
            return "continuation"
        return "line" if kind == "continuation" and testimony.started else kind

    def _begin(self, reader: KeyboardReader, look: Observation) -> None:
        if self.waiting is None:
            self.number += 1
        self.waiting = reader
        self._who = (look.reader, look.wakes)

    def _delay(self, look: Observation) -> float:
        """How soon to look again at a reader that too few looks have shown."""
        return POLL_SPAN / POLL_LOOKS if look.timed else AGREEING_SPAN / AGREEING_LOOKS

    def _agrees(self, look: Observation, now: float, asked: float) -> bool:
        """Whether this look and those before it are enough.

        A look is made between `asked` and `now`. On a busy machine these are apart, for we may lose the CPU in between.
        """
        shown = (look.reader, look.wakes, look.kind)
        if look.busy and not look.conclusive:
            self._count = 0
        elif self._count == 0 or shown != self._agreeing:
            self._count, self._agreeing, self._since = 1, shown, now
        else:
            self._count += 1
        return self._count >= AGREEING_LOOKS and asked >= self._since + AGREEING_SPAN
