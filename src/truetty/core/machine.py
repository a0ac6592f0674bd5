"""Decides what happens in one command's life; life.py has its states and what each fact takes.

Rule 1: every way a command may end is decided here and nowhere else.
Rule 2: nothing here reads a clock or a descriptor; time comes in as `now`.
Rule 3: silence is never evidence. Time only says when to look again.

Three watchers hold what was heard and seen; this file decides what follows from it:

    testimony     what marks have said, and which of it a look confirms
    prompt_watch  whether looks show the shell back: not there, once, proven
    reader_watch  which program reads the keyboard, since when, and how
"""

from __future__ import annotations

from math import inf
from typing import Final

from truetty.core.journal import Ends, Journal, Keys, Sent
from truetty.core.life import NEXT, Ending, Fact, State, Want
from truetty.core.observation import Observation
from truetty.core.outcome import Evidence, Strategy
from truetty.core.pace import LOOK_AFTER_KEYS, LOOK_AFTER_MARK, LOOK_AFTER_OUTPUT, Pace
from truetty.core.prompt_watch import Back, PromptWatch
from truetty.core.reader_watch import AGREEING_LOOKS, AGREEING_SPAN, ReaderWatch
from truetty.core.signs import Hint, Mark, Mode, Query, Sign
from truetty.core.testimony import Says, Secrets, Testimony

# Most shells answer in a millisecond; one whose prompt runs git needs longer.
ASK_LIMIT: Final = 5.0


class Machine:
    """Decides what is known of one command.

    `has_marks`: the shell prints our marks. `typed_into`: keys were sent to the prompt. `sees`: a look can show a
    prompt or a reader. `alternate_screen`: a full-screen program has the screen already. `hooks_follow`: P comes before
    the user's prompt hooks, so that a look must show the prompt; `marked`: that P came already. `awaited`: P is on its
    way, and no look can show the prompt: if P is lost, a number of looks must do.
    """

    def __init__(
        self,
        secrets: Secrets,
        now: float,
        *,
        shell: int | None = None,
        has_marks: bool = True,
        limit: float = inf,
        typed_into: bool = False,
        sees: bool = True,
        alternate_screen: bool = False,
        hooks_follow: bool = False,
        marked: bool = False,
        awaited: bool = False,
        asleep: int | None = None,
    ) -> None:
        self.state = State.QUEUED
        self.ending: Ending | None = None
        self.wants: list[Want] = []
        self.asked_at = now
        self.typed_at = now  # when keys were sent last
        self.downgraded = False  # our marks stopped in mid-command
        self.healed = False  # and work again
        self.journal: Final = Journal()
        self.testimony: Final = Testimony(secrets, has_marks=has_marks, sees=sees)
        self._prompt = PromptWatch(
            shell, typed_into=typed_into, sees=sees, hooks_follow=hooks_follow, awaited=awaited, asleep=asleep
        )
        self.reader: Final = ReaderWatch(shell, alternate_screen=alternate_screen, sees=sees)
        self._pace = Pace(now)
        self.limit_at = now + limit
        self._ask_until = inf
        self._whole = False  # the shell's editor got the text, and must not ask for more
        self._doubtful = False  # the process before this one may have been killed before it typed
        self._back_at = now  # when looks proved that the shell was back
        if marked:
            self._on_early_mark(now, 0.0)

    # -- what the owner reads

    @property
    def deadline(self) -> float:
        """When on_time() next has something to decide."""
        if self.state is State.ENDED:
            return inf
        return min(self._pace.at, self.limit_at, self._ask_until)

    @property
    def strategy(self) -> Strategy:
        if self.testimony.has_marks and not self.downgraded:
            return "rich"
        return "basic" if self.testimony.hinted else "none"

    def is_on_its_way(self, look: Observation) -> bool:
        """Whether the shell has yet to read what makes it run the text: the trigger, or the end of its pause."""
        return self.state is State.SENT and (self._prompt.is_late(look) or self._prompt.pauses)

    def end_again(self, ending: Ending, *, output_from: int | None, downgraded: bool, healed: bool) -> None:
        """It has ended in a process before this one."""
        self.state, self.ending = State.ENDED, ending
        self.testimony.output_from = output_from
        self.downgraded, self.healed = downgraded, healed

    # -- what was typed

    def on_send(self, now: float, needed: int, *, pauses: bool = False, whole: bool = False) -> None:
        """The trigger was typed; `needed` is what the shell's count of bytes read must reach.

        `pauses`: before it runs the text the shell pauses and reads a line from us (mark M): that is no waiting.
        `whole`: the shell's editor got the whole text, so that there is no rest of it.
        """
        self.state, self._doubtful = State.SENT if self.testimony.has_marks else State.RUNNING, False
        self.journal.note(now, Sent(by_editor=whole))
        self._whole = whole
        self._prompt.on_trigger(needed, pauses=pauses)
        self.reader.on_command()
        self._pace.soon(now, LOOK_AFTER_OUTPUT)

    def on_doubt(self) -> None:
        """The process before this one has not noted that it had typed the trigger."""
        self._doubtful = True

    def on_release(self, needed: int) -> None:
        """The line that ends the pause was typed; `needed` as above."""
        self._prompt.on_release(needed)

    def on_pause_before(self) -> None:
        """The shell has paused for a process before this one."""
        self._prompt.on_pause_before()

    def on_ask(self, now: float, needed: int, *, status_is_ours: bool = True) -> None:
        """The question was typed. `status_is_ours`: what the shell has in `$?` can only be the command's."""
        self.testimony.on_question(status_is_ours=status_is_ours)
        self._prompt.on_question(needed)
        self._ask_until = now + ASK_LIMIT
        self._pace.soon(now, LOOK_AFTER_OUTPUT)

    def on_clear(self, now: float) -> None:
        """Ctrl-C was typed at the prompt to clear it: wait until the shell has answered with the next one."""
        self._prompt.on_clear()
        self._pace.soon(now, LOOK_AFTER_KEYS)

    def on_input(self, now: float, needed: int = 0, *, wakes: bool = True) -> None:
        """Keys were sent to the program that reads. `needed`: what the shell's count of bytes read must reach if it is
        the shell itself. `wakes`: whether they must wake their reader.
        """
        self.typed_at = now
        self.journal.note(now, Keys())
        self.testimony.on_keys()
        self.reader.on_keys(now, needed=needed, wakes=wakes)
        self._pace.soon(now, LOOK_AFTER_KEYS)

    def on_early_keys(self, now: float) -> None:
        """Keys wait for the command to start: look soon whether it has."""
        self._pace.at_latest(now, LOOK_AFTER_KEYS)

    def on_flush(self) -> None:
        """The interrupt key was sent: what the shell has not read of the trigger, it never will."""
        if self.state is State.SENT:
            self._prompt.on_flush()

    # -- what was printed

    def on_bytes(self, now: float, *, reader_ran: bool = True) -> None:
        """Output arrived. Called once for each piece read, before the signs found in it.

        `reader_ran`: the reader that the last look showed has run since, or that is unknown.
        """
        self._prompt.on_bytes()
        self.reader.on_bytes(ran=reader_ran)
        if self._prompt.marked:
            self._pace.soon(now, LOOK_AFTER_MARK)  # the prompt is being drawn
        else:
            self._pace.bytes_flow(now)

    def on_echo(self, at: int) -> None:
        """What was printed since the start is the tty's echo of our line: output begins with the C mark at `at`."""
        self.testimony.on_echo(at)

    def on_event(self, sign: Sign, now: float, *, in_front: bool | None = True) -> None:
        """`in_front`: whether the shell alone holds the terminal, None where that is unknown."""
        match sign:
            case Mark():
                self._on_mark(sign, now, in_front)
            case Hint():
                self.testimony.on_hint(sign)
            case Mode(name="alternate-screen", on=on):
                self.reader.on_alternate_screen(on)
            case Mode(name="bracketed-paste", on=True) if self._prompt.marked:
                self._pace.at_once(now)  # the prompt is drawn: its editor reads now
            case Query():
                self._pace.soon(now, LOOK_AFTER_KEYS)  # the program that asked may be waiting for the answer

    def on_editor(self, now: float) -> None:
        """The shell's editor reads, behind a P that no hook has followed."""
        if self._prompt.marked:
            self._on_fact(Fact.PROMPT, now, None)

    def _on_mark(self, mark: Mark, now: float, in_front: bool | None) -> None:
        match self.testimony.on_mark(mark, in_front):
            case Says.START:
                self._on_fact(Fact.START, now, mark)
            case Says.END:
                self._on_fact(Fact.END, now, mark)
            case Says.ANSWER:
                self._on_fact(Fact.ANSWER, now, mark)
            case Says.REFUSED:
                self._on_fact(Fact.REFUSED, now, mark)
            case Says.CONTINUATION if self._whole and self.state is State.SENT:
                self._whole = False
                self.wants.append(Want.CANCEL)
            case Says.CLAIM:
                self.testimony.on_claim(now)
                self._pace.soon(now, LOOK_AFTER_MARK)
            case Says.PROMPT | Says.UNSEEN if self.state is State.QUEUED:
                if in_front is None or self._prompt.is_freed_by_mark:
                    self._on_fact(Fact.PROMPT, now, mark)
                else:
                    self._on_early_mark(now, LOOK_AFTER_MARK)
            case Says.PROMPT | Says.LINE_END if self.state is State.RUNNING:
                self.testimony.on_prompt(mark, now, in_front)
                self._pace.soon(now, LOOK_AFTER_MARK)
            case Says.UNSEEN if self.state is State.RUNNING:
                self.testimony.on_prompt(mark, now, in_front)
                self._on_fact(Fact.UNSEEN, now, self.testimony.for_prompt())

    def _on_early_mark(self, now: float, delay: float) -> None:
        """P, while nothing was typed yet: a look must show that the prompt is free."""
        if self._prompt.on_mark():
            self._pace.soon(now, delay)

    # -- what was seen

    def on_observation(self, look: Observation, now: float, *, line_open: bool = False) -> None:
        """`line_open`: the last line of the output is not finished, so that it may be a question."""
        if look.in_hook and (confirmed := self.testimony.for_hook()) is not None:
            self._on_fact(Fact.END, now, confirmed)
            return
        self.reader.on_look(look)
        if self._prompt.is_late(look):
            self._on_late_look(look, now)
        elif self._prompt.is_shown(look, queued=self.state is State.QUEUED):
            self._on_prompt_look(look, now)
        elif look.seen == "waiting" and self._prompt.pauses and not self.testimony.continuation:
            if self._prompt.on_pause(look):
                self.wants.append(Want.RELEASE)
            self._pace.soon(now, LOOK_AFTER_KEYS)
        else:
            self._prompt.on_away()
            asked = min(now, self._pace.looked)
            self._pace.again(now, self.reader.on_away(look, now, self.testimony, asked=asked, line_open=line_open))
            if self._prompt.on_unseen(look):
                self._on_fact(Fact.UNSEEN, now, None)
        self.journal.note_reader(now, self.reader.waiting)
        if self.state is not State.ENDED:
            self.testimony.on_look(look, now)

    def _on_late_look(self, look: Observation, now: float) -> None:
        self._pace.slower(now)
        if self._prompt.is_lost(look, now) and self.testimony.output_from is None:
            if self._prompt.is_released:
                self.wants.append(Want.RELEASE)
            else:
                self._on_fact(Fact.LOST, now, None)

    def _on_prompt_look(self, look: Observation, now: float) -> None:
        continuation = self.testimony.is_continuation and look.kind != "shell"
        self.reader.on_prompt(look, continuation=continuation)
        if continuation:
            self._pace.slower(now)
            return
        back = self._prompt.on_shown(look)
        ended = self.state is State.RUNNING or (self.state is State.SENT and self.testimony.claims_end)
        confirmed = self.testimony.for_prompt() if ended else None
        if back is Back.CLEARING:
            self._pace.soon(now, LOOK_AFTER_KEYS)
        elif confirmed is not None and (look.conclusive or back is Back.PROVEN):
            self._on_fact(Fact.PROMPT, now, confirmed)
        elif back is Back.PROVEN:
            self._on_fact(Fact.BACK, now, None)
        else:
            self._pace.soon(now, LOOK_AFTER_KEYS if look.conclusive else AGREEING_SPAN / AGREEING_LOOKS)

    # -- what else happened

    def on_exit(self, code: int | None, signal: int | None, now: float) -> None:
        """The shell itself is gone. How it ended says nothing of a text that was typed and has not begun to run. Of one
        that was not typed yet, its failure is why; its success is nothing."""
        ran = self.testimony.started
        if not (ran or (self.state is State.QUEUED and code != 0)):
            code = signal = None
        self._end(Ending("exit", code, signal, None, ran, now))

    def on_empty_line(self, now: float) -> None:
        """The line that was to be the command has ended, and the shell has run nothing of it."""
        self._on_fact(Fact.EMPTY, now, None)

    def on_lost(self, now: float) -> None:
        """The terminal's holder is gone: what became of the shell is unknown."""
        self._end(Ending(None, None, None, None, True, now))

    def on_unaskable(self, now: float) -> None:
        """The shell cannot be asked for `$?`: its exit code stays unknown."""
        self._on_fact(Fact.LATE, now, None)

    def on_unsent(self, now: float) -> None:
        """The trigger could not be typed, so nothing has run and nothing will."""
        self._end(Ending("kernel", None, None, None, False, now))

    def on_time(self, now: float) -> None:
        if self.state is State.ENDED:
            return
        if now >= self.limit_at:
            self.limit_at = inf
            self.wants.append(Want.STOP)
        if now >= self._ask_until:
            self._on_fact(Fact.LATE, now, None)
        elif now >= self._pace.at:
            self._pace.look(now)
            self.wants.append(Want.LOOK)

    # -- what a fact does

    def _on_fact(self, fact: Fact, now: float, mark: Mark | None) -> None:
        if fact in (Fact.BACK, Fact.LOST) and self.state is State.SENT and self._doubtful:
            fact = Fact.UNTYPED
        after = NEXT.get((self.state, fact))
        if after is None:
            return
        self.journal.note(now, fact)
        match fact:
            case Fact.START:
                assert mark is not None
                self.testimony.on_start(mark, first=self.state is State.SENT)
                self._prompt.on_start(first=self.state is State.SENT)
                self.reader.on_alternate_screen(False)  # the program that had it has ended, and the shell draws lines
                self.reader.on_command()
                self.state = after
            case Fact.REFUSED:
                self.state = after
                self.wants.append(Want.SEND)
            case Fact.UNTYPED:
                self.state = after
                self.testimony.on_untyped()
                self.wants.append(Want.SEND)
            case Fact.EMPTY:
                self.state = after  # the next P frees the prompt
            case Fact.PROMPT | Fact.UNSEEN | Fact.BACK if after is State.SENT:
                if Want.SEND not in self.wants:  # a shell may print P twice for one prompt
                    self.wants.append(Want.SEND)
            case Fact.END | Fact.PROMPT | Fact.UNSEEN:
                assert mark is not None
                evidence: Evidence = "prompt" if fact is Fact.UNSEEN and mark.letter == "P" else "mark"
                at_prompt = fact is not Fact.END
                self._end(Ending(evidence, mark.code, None, mark.start, True, now, at_prompt))
            case Fact.BACK if after is State.ASKING:
                self._on_back(now)
            case Fact.LOST:
                self._end(Ending("kernel", None, None, None, False, now, lost=True))
            case _:  # ANSWER, LATE, or BACK without an answer: the end was known, this is about its code
                self.healed = mark is not None
                code, proven = self.testimony.code_of(mark), self.testimony.started
                self._end(Ending("kernel", code, None, None, proven, self._back_at, at_prompt=mark is None))

    def _on_back(self, now: float) -> None:
        self._back_at = now
        if not self.testimony.has_marks:
            self._end(Ending("kernel", self.testimony.hint_code, None, None, True, now))
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
        self.journal.note(ending.time, Ends(ending.code))
        self.reader.on_end()
        self.wants.clear()
