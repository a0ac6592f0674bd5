"""One command's life, from asked to ended.

Rule 1: every way a command may end is decided here and nowhere else.
Rule 2: nothing here reads a clock or a descriptor; time comes in as `now`.
Rule 3: silence is never evidence. Time only says when to look again.

    QUEUED ──PROMPT, BACK──▸ SENT ──START──▸ RUNNING ──END, PROMPT,─▸ ENDED
            UNSEEN            │                 │      UNSEEN           ▴
                              └──────BACK───────┴──▸ ASKING ──ANSWER, ──┤
                                                           BACK, LATE   │
    any ──the shell or its holder is gone──────────────────────────────┘

`waiting` is no state of its own: whatever state a command is in, somebody may be reading the keyboard.

The facts, and what it takes for each to count:

    START   our C mark with this command's first secret
    END     our D mark with this command's second secret, while the shell alone holds the terminal; while some
            other process is in front, it is only a claim and becomes END with the next proof that the shell is back
    PROMPT  our P mark, after START, and one look that shows the shell at its primary prompt
    UNSEEN  our P mark, after START, while the shell's own group is in front (or nobody can tell who is), where no
            look can ever show a prompt: evidence `prompt`, which is weaker than `mark`
    BACK    two looks that show it there, with no byte between them, and everything typed consumed; of a shell whose
            prompt was never learnt, three; with somebody else's bytes between every two, eight
    ANSWER  our H mark with the secret of the question
    READS   one hard look at somebody blocked on the keyboard, or three equal soft ones
    LATE    the question found no answer in time: the end is known already, only its exit code is not
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto
from math import inf
from typing import Final

from tests.core.oracle.agreement import LOOKS, SPAN, Agreement
from tests.core.oracle.ending import Ending, Reading, Secrets, Want
from truetty.core.observation import Observation
from truetty.core.outcome import Strategy, WaitingKind
from truetty.core.pace import AGAIN, QUIET, SOON, Pace
from truetty.core.signs import Event, Hint, Mark, Mode, Query

# With output of a background job between every two looks, this many in a row prove the prompt all the same.
STEADY_LOOKS: Final = 8
# A shell that stops for us reads for a millisecond; one that still reads after so many looks waits for somebody else.
PROBE_LOOKS: Final = 50
# After keys were sent, the same reader that has not run since may simply not have woken up yet.
WAKE: Final = 0.3
# A healthy shell answers in a millisecond; one whose prompt runs git may need a while.
ASK_LIMIT: Final = 5.0


class State(Enum):
    QUEUED = auto()
    SENT = auto()
    RUNNING = auto()
    ASKING = auto()
    ENDED = auto()


class Fact(Enum):
    START = auto()
    END = auto()
    PROMPT = auto()
    UNSEEN = auto()
    BACK = auto()
    ANSWER = auto()
    LATE = auto()


# A pair that is not here changes nothing: a second D, a P before C, an answer nobody asked for.
NEXT: Final[dict[tuple[State, Fact], State]] = {
    (State.QUEUED, Fact.PROMPT): State.SENT,
    (State.QUEUED, Fact.UNSEEN): State.SENT,
    (State.QUEUED, Fact.BACK): State.SENT,
    (State.SENT, Fact.START): State.RUNNING,
    (State.SENT, Fact.BACK): State.ASKING,
    (State.RUNNING, Fact.START): State.RUNNING,
    (State.RUNNING, Fact.END): State.ENDED,
    (State.RUNNING, Fact.PROMPT): State.ENDED,
    (State.RUNNING, Fact.UNSEEN): State.ENDED,
    (State.RUNNING, Fact.BACK): State.ASKING,
    (State.ASKING, Fact.ANSWER): State.ENDED,
    (State.ASKING, Fact.BACK): State.ENDED,
    (State.ASKING, Fact.LATE): State.ENDED,
}


class Machine:
    """Decides what is known of one command.

    `marked`: the shell prints our marks. `sees`: a look can show a prompt or a reader.
    """

    def __init__(
        self,
        secrets: Secrets,
        now: float,
        *,
        shell: int | None = None,
        marked: bool = True,
        limit: float = inf,
        dirty: bool = False,
        sees: bool = True,
    ) -> None:
        self.state = State.QUEUED
        self.waiting: Reading | None = None
        self.ending: Ending | None = None
        self.wants: list[Want] = []
        self.alternate_screen = False
        self.hooked = False  # a prompt's mark awaits its look
        self.hinted = False  # foreign marks were seen
        self.downgraded = False  # our marks stopped in mid-command
        self.healed = False  # and work again
        self.stopped = False  # the last look found everybody stopped
        self.asked_at = now
        self.sent_at: float | None = None
        self.output_from: int | None = None  # offset where the command's own output begins
        self._secrets = secrets
        self._shell = shell
        self._marked = marked
        self._sees = sees
        self._unknown = False  # the last look was not allowed to see
        self._unseen_looks = 0  # still to be made, where none can show a prompt, before a cleared one is typed to
        self._limit_at = now + limit
        self._dirty = dirty  # keys were sent to the prompt: only looks show where it is
        self._probing = 0  # looks still disregarded while the shell stops for us before the text runs
        self._needed = 0  # what the shell must have consumed before a look at it counts
        self._claim: Mark | None = None  # a D mark seen while another group held the terminal
        self._hook: Mark | None = None  # a P mark seen after START
        self._agreed = False  # a P since the last key says the same as the claim: later ones are of lines typed ahead
        self._hint_code: int | None = None
        self._continuation = False
        self._ready_looks = 0
        self._ready_clean = False  # no byte since the first of them
        self._agreement = Agreement()
        self._reader: tuple[int | None, int | None] | None = None
        self._typed_at = -inf
        self._pace = Pace(now)
        self._ask_until = inf
        self._telling = True
        self._cleared = False
        self._back_at = now
        self.episode = 0  # how often somebody began to read

    # -- what the owner reads

    @property
    def deadline(self) -> float:
        """When on_time() next has something to decide."""
        if self.state is State.ENDED:
            return inf
        return min(self._pace.at, self._limit_at, self._ask_until)

    @property
    def strategy(self) -> Strategy:
        if self._marked and not self.downgraded:
            return "rich"
        return "basic" if self.hinted else "none"

    @property
    def can_tell_waiting(self) -> bool:
        """Whether a program that reads the keyboard would be seen. False: `waiting` None means nothing."""
        return self._sees and not self._unknown

    # -- what happened

    def on_send(self, now: float, needed: int, *, probing: bool = False) -> None:
        """The trigger was typed; `needed` is what the shell's count of bytes read must reach.

        `probing`: before it runs the text the shell will stop for us and read: that is no waiting.
        """
        self._probing = PROBE_LOOKS if probing else 0
        self._unseen_looks = 0
        self.state = State.SENT if self._marked else State.RUNNING
        self.sent_at = now
        self._needed = needed
        self.waiting = None
        self._pace.soon(now, QUIET)

    def on_ask(self, now: float, needed: int, *, telling: bool = True) -> None:
        """The question was typed. `telling`: what the shell has in `$?` can only be the command's."""
        self._telling = telling
        self._needed = needed
        self._ask_until = now + ASK_LIMIT
        self._ready_looks = 0
        self._pace.soon(now, QUIET)

    def on_clear(self, now: float) -> None:
        """Ctrl-C was typed at the prompt to clear it: wait until the shell has answered with the next one."""
        self._ready_looks = 0
        self._cleared = True
        self._unseen_looks = 0 if self._sees else STEADY_LOOKS
        self._pace.soon(now, AGAIN)

    def on_input(self, now: float) -> None:
        """Keys were sent to whoever reads."""
        self._typed_at = now
        self._agreed = False
        self.waiting = None
        self._agreement.forget()
        self._pace.soon(now, AGAIN)

    def on_bytes(self, now: float) -> None:
        """Output arrived. Called once for each piece read, before the events found in it."""
        self.waiting = None
        self.stopped = self._cleared = False
        self._ready_clean = False
        self._agreement.forget()
        self._pace.bytes_flow(now)

    def on_event(self, event: Event, now: float, *, in_front: bool | None = True) -> None:
        """`in_front`: whether the shell's own group holds the terminal, None where nobody can tell."""
        match event:
            case Mark(letter="C", secret=self._secrets.start):
                self._on_fact(Fact.START, now, event)
            case Mark(letter="D", secret=self._secrets.end) if in_front is not False:
                self._on_fact(Fact.END, now, event)
            case Mark(letter="D", secret=self._secrets.end):
                self._claim = event
                self._pace.soon(now, SOON)
            case Mark(letter="P", secret=self._secrets.key):
                self._on_hook(event, now, in_front)
            case Mark(letter="H", secret=self._secrets.answer):
                self._on_fact(Fact.ANSWER, now, event)
            case Mark(letter="2", secret=self._secrets.key):
                self._continuation = True
            case Hint(letter=letter, code=code):
                self.hinted = True
                if letter == "D":
                    self._hint_code = code
            case Mode(name="alternate-screen", on=on):
                self.alternate_screen = on
            case Query():
                self._pace.soon(now, AGAIN)  # whoever asked may be waiting for the answer
            case Mark() | Mode():
                pass  # a stranger's mark is output, other modes are the terminal's affair

    def on_observation(self, look: Observation, now: float) -> None:
        self.stopped = look.seen == "stopped"
        self._unknown = look.seen == "unknown"
        if look.consumed is not None and look.consumed < self._needed:
            self._pace.soon(now, AGAIN)  # it has not even read what we typed
            return
        if self._is_prompt(look):
            self._on_ready(look, now)
        elif look.seen == "waiting" and self._probing and not self._continuation:
            self._probing -= 1
            if self._probing == PROBE_LOOKS - STEADY_LOOKS and look.reader == self._shell:
                self.wants.append(Want.RELEASE)
            self._pace.soon(now, AGAIN)
        elif look.seen == "waiting":
            self._ready_looks = 0
            self._on_reading(look, now)
        else:
            self._ready_looks = 0
            self._agreement.forget()
            self.waiting = None
            self._pace.slower(now)
            self._on_unseen(now)

    def _on_unseen(self, now: float) -> None:
        """Ctrl-C cleared the prompt, its P mark does not come and no look can show it: type to it all the same.

        A shell that was still on its way to its prompt takes the Ctrl-C without a new one. What is typed now waits in
        the tty until it reads, so the trigger is safe either way.
        """
        if self._unseen_looks:
            self._unseen_looks -= 1
            if not self._unseen_looks:
                self._on_fact(Fact.UNSEEN, now, None)

    def _is_prompt(self, look: Observation) -> bool:
        if look.seen == "ready":
            return True
        if look.reader != self._shell or self._shell is None:
            return False
        # A shell of which nothing was learnt; or one whose editor is elsewhere than usual because of what was typed.
        return look.kind == "shell" or (look.kind == "continuation" and self._dirty and self.state is State.QUEUED)

    def on_exit(self, code: int | None, signal: int | None, now: float) -> None:
        """The shell itself is gone."""
        self._end(Ending("exit", code, signal, None, True, now))

    def on_lost(self, now: float) -> None:
        """The terminal's holder is gone: nobody knows what became of the shell."""
        self._end(Ending(None, None, None, None, True, now))

    def on_silence(self, now: float) -> None:
        """There is no way to ask this shell."""
        self._on_fact(Fact.LATE, now, None)

    def on_unsent(self, now: float) -> None:
        """The trigger could not be typed, so nothing has run and nothing will."""
        self._end(Ending("kernel", None, None, None, False, now))

    def on_time(self, now: float) -> None:
        if self.state is State.ENDED:
            return
        if now >= self._limit_at:
            self._limit_at = inf
            self.wants.append(Want.STOP)
        if now >= self._ask_until:
            self._on_fact(Fact.LATE, now, None)
        elif now >= self._pace.at:
            self._pace.look(now)
            self.wants.append(Want.LOOK)

    # -- how a fact is made of what happened

    def _on_hook(self, mark: Mark, now: float, in_front: bool | None) -> None:
        unseen = in_front is None or (in_front and not self._sees)
        if self.state is State.QUEUED:
            if in_front is None or not self._dirty or self._unseen_looks:
                self._on_fact(Fact.UNSEEN if unseen else Fact.PROMPT, now, mark)
        elif self.state is State.RUNNING:
            self._hook, self.hooked = mark, True
            self._agreed = self._agreed or (self._claim is not None and self._claim.code == mark.code)
            if not unseen:
                self._pace.soon(now, SOON)
            elif self._told() is self._claim:
                self._on_fact(Fact.END, now, self._claim)
            else:
                self._on_fact(Fact.UNSEEN, now, mark if in_front else replace(mark, code=None))

    def _told(self) -> Mark | None:
        """What a look at the prompt confirms: the claim, unless only hooks came later that contradict it."""
        claim, hook = self._claim, self._hook
        contradicted = claim is not None and hook is not None and hook.start > claim.start and not self._agreed
        return hook if contradicted else claim or hook

    def _on_ready(self, look: Observation, now: float) -> None:
        self.waiting = None
        if self._continuation and self._hook is None and look.kind != "shell":
            # bash reads a continuation line at the same depth as a command: our PS2 mark tells them apart.
            self._read_by(Reading("continuation", look.program, True), look)
            self._pace.slower(now)
            return
        if self._ready_looks == 0:
            self._ready_clean = True
        self._ready_looks += 1
        told = self._told() if self.state is State.RUNNING else None
        enough = self._ready_looks >= (2 if look.hard else LOOKS) and (
            self._ready_clean or self._ready_looks >= STEADY_LOOKS
        )
        if self._cleared and self._ready_looks < STEADY_LOOKS:
            self._pace.soon(now, AGAIN)
        elif told is not None and (look.hard or enough):
            self._on_fact(Fact.END if told is self._claim else Fact.PROMPT, now, told)
        elif enough:
            self._on_fact(Fact.BACK, now, None)
        else:
            self._ready_clean = True
            self._pace.soon(now, AGAIN if look.hard else SPAN / LOOKS)

    def _on_reading(self, look: Observation, now: float) -> None:
        if now < self._typed_at + WAKE and self._reader == (look.reader, look.wakes):
            self._pace.soon(now, AGAIN)
            return
        # Beside somebody at work even a hard look must hold.
        if (not look.hard or look.busy) and not self._agreement.holds(look, now):
            if self.waiting is None:
                self._pace.soon(now, SPAN / LOOKS)
            else:
                self._pace.slower(now)
            return
        kind: WaitingKind = look.kind or "key"
        if self.alternate_screen and kind == "key":
            kind = "fullscreen"
        if look.reader == self._shell is not None:
            # The shell's editor away from its prompt: its PS2 says so by a mark; else it is `read` with editing.
            if self._continuation:
                kind = "continuation"
            elif kind == "continuation" and self._was_started:
                kind = "line"
        self._read_by(Reading(kind, look.program, look.hard), look)
        self._pace.slower(now)

    def _read_by(self, reading: Reading, look: Observation) -> None:
        if self.waiting is None:
            self.episode += 1
        self.waiting = reading
        self._reader = (look.reader, look.wakes)

    # -- what a fact does

    def _on_fact(self, fact: Fact, now: float, mark: Mark | None) -> None:
        after = NEXT.get((self.state, fact))
        if after is None:
            return
        match fact:
            case Fact.START:
                assert mark is not None
                # Where a shell must say it twice, the second stands right behind the first.
                if self.state is State.SENT or mark.start == self.output_from:
                    self.output_from = mark.end
                self.state, self.waiting, self._continuation = after, None, False
                self._ready_looks = self._probing = 0
            case Fact.PROMPT | Fact.UNSEEN | Fact.BACK if after is State.SENT:
                self.wants.append(Want.SEND)
            case Fact.UNSEEN:
                assert mark is not None
                self._end(Ending("prompt", mark.code, None, mark.start, True, now))
            case Fact.END | Fact.PROMPT:
                assert mark is not None
                self._end(Ending("mark", mark.code, None, mark.start, True, now))
            case Fact.BACK if after is State.ASKING:
                self._on_back(now)
            case _:  # ANSWER, LATE, or BACK without an answer: the end was known, this is about its code
                self.healed = mark is not None
                code = mark.code if mark is not None and self._was_started and self._telling else None
                self._end(Ending("kernel", code, None, None, self._was_started, self._back_at))

    @property
    def _was_started(self) -> bool:
        return self.output_from is not None or not self._marked

    def _on_back(self, now: float) -> None:
        self._back_at = now
        if not self._marked:
            self._end(Ending("kernel", self._hint_code, None, None, True, now))
            return
        self.downgraded = True
        self.state = State.ASKING
        self._ask_until = now + ASK_LIMIT
        self._pace.rest()  # until the question is typed
        self.wants.append(Want.ASK)

    def _end(self, ending: Ending) -> None:
        if self.ending is not None:
            return
        self.state, self.ending = State.ENDED, ending
        self.waiting = None
        self.stopped = False
        self.wants.clear()
