"""Joins one channel to the command that runs on it, in four steps: feed, take events, write, act.

Rule 1: nothing here waits and nothing here decides that a command has ended; `core/machine.py` does.
Rule 2: one timer, set to the machine's one deadline.
Rule 3: bytes are stored before they are looked at, and the secrets of our marks are blanked where they lie.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Final

from truetty.core import marks
from truetty.core.machine import Machine, State, Want
from truetty.core.observation import Observation
from truetty.core.outcome import Strategy
from truetty.core.scanner import Scanner
from truetty.core.signs import Event, Mark, Mode, Query
from truetty.core.testimony import Secrets
from truetty.host.base import Channel, Ended
from truetty.shells.row import Row
from truetty.store.timeline import Record
from truetty.store.transcript import Transcript
from truetty.terminal.wire.processes import Survivors
from truetty.terminal.wire.queries import Questions
from truetty.terminal.wire.span import TAIL, Bounds
from truetty.terminal.wire.typist import Typist

XOFF: Final = b"\x13"
UNPROVEN: Final = "the prompt came back, but nothing showed that the command had run"


class Conversation:
    """What is going on between us and one shell. `changed` is called after anything did."""

    def __init__(
        self,
        channel: Channel,
        shell: Row,
        key: str,
        transcript: Transcript,
        size: tuple[int, int],
        changed: Callable[[], None],
        stop: Callable[[], None],
    ) -> None:
        self.channel = channel
        self.observer = channel.observer
        self.transcript = transcript
        self.machine: Machine | None = None
        self.bounds: Bounds | None = None
        self.ended: Ended | None = None
        self.marked = False  # our marks are known to work
        self.hinted = False  # somebody else's were seen
        self.application_keys = False
        self.alternate_from: int | None = None  # where a full-screen program took the screen, while one has it
        self.notes: list[str] = []
        self.survivors = Survivors(self.observer, channel.pid)
        self._typist = Typist(channel, shell, key)
        self.listen = self._typist.listeners.append  # to keys, at the moment the tty gets them
        self._questions = Questions(channel)
        self._scanner = Scanner()
        self._key = key
        self._changed = changed
        self._stop = stop
        self._loop = asyncio.get_running_loop()
        self.record = Record(transcript, size, self._loop.time())
        self._size = size
        self._timer: asyncio.TimerHandle | None = None
        self._looking: Machine | None = None  # whom the next look is for
        self._serial = 0
        self._text: str | None = None
        self._secrets = Secrets("", "", "", key)
        self._concluded = True
        self._free = False  # the prompt is ours: a trigger may be typed
        self._dirty = False  # keys were sent since the last trigger
        self._stoppable = False  # among them Ctrl-S
        self._prompt_from: int | None = None
        channel.attach(self)

    @property
    def shell(self) -> Row:
        return self._typist.shell

    @property
    def free(self) -> bool:  # the shell is at its prompt, and nothing was typed there
        return self._free and not self._dirty

    @property
    def strategy(self) -> Strategy:
        if self.marked:
            return "rich"
        return "basic" if self.hinted else "none"

    # -- commands

    def begin(self, text: str | None, *, limit: float = inf) -> Machine:
        """Take on a command; it is typed when the prompt is free, which may be now. None: just await the prompt."""
        now = self._loop.time()
        self._text = text
        self._serial += 1
        drawn = secrets.token_urlsafe(48)  # 126 bits for each of the three
        self._secrets = Secrets(drawn[:21], drawn[21:42], drawn[42:63], self._key)
        self._concluded = False
        self.notes = []
        self.survivors.begin()
        self.bounds = Bounds(self.transcript, self._prompt_from, self._size, marked=self.shell.has_marks)
        self.machine = machine = Machine(
            self._secrets, now, shell=self.channel.pid, marked=self.shell.has_marks, limit=limit, dirty=self._dirty,
            sees=self.observer.sees, alternate_screen=self.alternate_from is not None,
        )  # fmt: skip
        if self.free or self._typist.types_unasked:
            self._send(machine, now)
        self._act(now)
        return machine

    def forget(self) -> None:
        """The command that was begun could not be sent: it is not there, and the prompt is as it was."""
        self.machine, self._text, self._concluded, self._free = None, None, True, True

    def type(self, data: bytes) -> None:
        """Keys for the running command, or for whoever reads the terminal now."""
        now, machine = self._loop.time(), self.machine
        read = machine is not None and machine.waiting is not None
        self._dirty = self._typist.on_keys(data, read=read) or self._dirty
        self._stoppable = self._stoppable or XOFF in data
        if machine is not None and machine.state is State.SENT and machine.waiting is None:
            self._typist.hold(data, now)
        else:
            self._typist.send(data)
            if machine is not None and machine.state is not State.ENDED:
                machine.on_input(now)
                self._act(now)

    def resize(self, columns: int, rows: int) -> None:
        self.channel.resize(columns, rows)
        self._size = (columns, rows)
        self.record.resized(self._size, self._loop.time())

    # -- the channel's side

    def on_data(self, data: bytes) -> None:
        now = self._loop.time()
        self.record.arrived(self.transcript.append(data), now)
        if self.machine is not None:
            self.machine.on_bytes(now)
            if self.bounds is not None and self.bounds.echoing:
                self.bounds.skip_echo()
        for event in self._scanner.feed(data):
            self._on_event(event, now)
        self._act(now)

    def on_end(self, ended: Ended) -> None:
        now = self._loop.time()
        self.ended, self._free = ended, False
        if self.machine is not None:
            if ended.code is None and ended.signal is None:
                self.machine.on_lost(now)
            else:
                self.machine.on_exit(ended.code, ended.signal, now)
        self._act(now)

    def _on_event(self, event: Event, now: float) -> None:
        in_front: bool | None = True
        match event:
            case Mark():
                self.transcript.blank(*marks.secret_span(event))
                in_front = self._on_mark(event)
            case Mode(name="bracketed-paste", on=True):
                self._typist.paste = True
            case Mode(name="application-keys", on=on):
                self.application_keys = on
            case Mode(name="alternate-screen", on=on):
                self.alternate_from = event.start if on else None
            case Query(name=name):
                self._on_query(name)
            case _:
                self.hinted = True
        machine = self.machine
        if machine is None or machine.state is State.ENDED:
            return
        if isinstance(event, Mark) and event.letter == "P" and not self._typist.has_end():
            event = replace(event, code=None)
        before = machine.output_from
        if before is not None and isinstance(event, Mark) and self._echoed(event, before):
            machine.on_echo(event.start)
        machine.on_event(event, now, in_front=in_front)
        assert self.bounds is not None
        if machine.output_from is not None and machine.output_from != before:
            self.marked = True
            self.bounds.start(machine.output_from)
            self.record.started(machine.output_from, self._text or "")
            if self._typist.release():
                machine.on_input(now)
        elif isinstance(event, Mark) and event.secret in (self._secrets.start, self._key):
            self.bounds.window.leave_out(event.start, event.end)
            if machine.prompt_claimed and event.letter == "P":
                self.bounds.window.end_at(event.start)  # as it seems; looks will tell

    def _echoed(self, mark: Mark, since: int) -> bool:
        printed = self.transcript.read(since, min(mark.start - since, TAIL))
        return mark.secret == self._secrets.start and self._typist.is_echo(printed)

    def _on_mark(self, mark: Mark) -> bool | None:
        """Returns whether the shell alone holds the terminal: one cheap look at what may end something."""
        match mark.letter:
            case "2" if mark.secret == self._key:
                self._typist.continued = True
            case "P" if mark.secret == self._key:
                self.marked = True
                self._prompt_from = mark.end
                self._typist.on_prompt(mark)
                if self.machine is None or self.machine.state in (State.QUEUED, State.ENDED):
                    self._free = True
                    if self._text is None:
                        self._typist.on_first_prompt(mark)
            case "D" if mark.secret == self._secrets.end:
                self._prompt_from = mark.end
                self._typist.on_end(mark)
                return self.survivors.shell_alone_in_front()
            case "M" if mark.secret == self._secrets.start:
                self._typist.on_stop()
            case _:
                return True
        return self.observer.shell_in_front()

    def _on_query(self, name: str) -> None:
        machine = self.machine
        if machine is not None and machine.state is State.RUNNING:
            self._questions.ask(name)
        elif self.shell.asks_terminal:
            self._questions.answer_at_once(name)
            # At the start it may have been a program that asked: then the answer stands at the prompt.
            self._dirty = self._dirty or machine is not None

    # -- acting

    def _act(self, now: float) -> None:
        """After anything happened: do what the machine wants, tell the owner, set the one timer."""
        if (machine := self.machine) is not None:
            while machine.wants:
                match machine.wants.pop(0):
                    case Want.LOOK:
                        self._look(machine)
                    case Want.SEND:
                        self._send_late(machine, now)
                    case Want.ASK:
                        self._ask(machine, now)
                    case Want.RELEASE:
                        self._typist.on_stop()
                    case Want.STOP:
                        self._stop()
            if machine.ending is not None and not self._concluded:
                self._conclude(machine)
            if self.machine is machine:
                self._arm(machine.deadline)
        self._changed()

    def _arm(self, deadline: float) -> None:
        """An earlier timer is left alone: it finds that it came too early and sets itself anew."""
        if deadline == inf:
            return
        if self._timer is not None:
            if self._timer.when() <= deadline:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(deadline, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if self.machine is not None and self.machine.state is not State.ENDED:
            now = self._loop.time()
            self.machine.on_time(now)
            self._act(now)

    def _look(self, machine: Machine) -> None:
        if self._stoppable:
            self.observer.flow()
        self._looking = machine
        self.channel.look()

    def on_look(self, seen: Observation, at: int) -> None:
        now, machine, self._looking = self._loop.time(), self._looking, None
        if machine is None or machine is not self.machine or machine.ending or (machine.output_from or 0) > at:
            return  # the command is over, or C came after the look, which shows the shell on its way to the command
        if machine.state is State.RUNNING and machine.output_from is not None:
            self._typist.drop_texts()
        self._questions.answer(seen)
        if seen.kind == "shell" and not (self.marked or self._typist.interrupted) and self._typist.reads_before_hook():
            seen = replace(seen, kind="line")
        claimed = machine.prompt_claimed
        machine.on_observation(seen, now)
        if machine.ending is not None and machine.ending.evidence == "mark" and seen.seen != "ready":
            self.observer.learn()  # a prompt that a mark has confirmed, and that looked strange
        assert self.bounds is not None
        if machine.state is State.QUEUED and self._free and self._dirty and self._typist.is_drawn_unseen():
            self._send(machine, now)
        if claimed and not machine.prompt_claimed:
            self.bounds.window.end_at(None)  # it was no prompt after all: the output goes on
        if self._typist.holds and (machine.waiting is not None or now > self._typist.holds_until):
            self._typist.release()
            machine.on_input(now)
        if (
            not self.shell.has_marks
            and machine.state is State.QUEUED
            and machine.waiting is not None
            and machine.waiting.kind != "secret"
            and seen.reader == self.channel.pid
            and not self.observer.knows_prompt
        ):
            self.observer.learn()  # an unknown program reads for the first time: that must be its prompt
        self._act(now)

    def _send(self, machine: Machine, now: float) -> None:
        if self._text is None:
            self._free = True
            self.machine = None
            return
        if self._dirty or not self.marked:
            self._typist.on_unmarked_prompt()  # a person, or a rc file, may have replaced the shell
        if self._dirty:
            self._dirty = self._stoppable = False
            if not self._typist.clear():
                machine.on_clear(now)
                return
        assert self.bounds is not None
        typed = self._typist.trigger(self._text, self._secrets, self._serial)
        if self.shell.has_marks:
            self.record.typed(typed.line)
        else:
            self.bounds.start_here(typed.line)
        self._free = False
        machine.on_send(now, self._typist.type(typed, self._serial), probing=self._typist.probing)

    def _send_late(self, machine: Machine, now: float) -> None:
        try:
            self._send(machine, now)
        except OSError as error:
            self.notes.append(f"the command was not sent: {error.strerror}")
            machine.on_unsent(now)

    def _ask(self, machine: Machine, now: float) -> None:
        """The prompt is back without a mark: end the output there, ask for the exit code, and heal."""
        assert self.bounds is not None
        self.marked = False
        telling = self._typist.has_end()
        if not self._typist.on_unmarked_prompt():
            telling = False
            self.bounds.forget_prompt()
            self.notes.append(f"the shell was replaced by another: {self.shell.name}")
        if machine.output_from is not None and (note := self.bounds.end_before_prompt(self.shell)):
            self.notes.append(note)
        typed = self._typist.question(self._secrets, self._serial)
        if typed is not None:
            self.record.typed(typed.line)
        try:
            needed = self._typist.type(typed, self._serial) if typed is not None else None
        except OSError:
            needed = None
        if needed is None:
            machine.on_silence(now)
        else:
            machine.on_ask(now, needed, telling=telling)

    def _conclude(self, machine: Machine) -> None:
        """The command has ended: settle where its output ends and what must be said of it."""
        self._concluded = True
        self.record.started(self.transcript.size)  # whatever of ours is still hidden, nobody needs to see
        ending, bounds = machine.ending, self.bounds
        assert ending is not None and bounds is not None
        if ending.at is not None:
            bounds.end(ending.at)
        elif not self.shell.has_marks and not machine.downgraded:
            if self.ended is not None:
                bounds.end()
            elif note := bounds.end_before_prompt(self.shell):
                self.notes.append(note)
        elif machine.output_from is not None and not machine.downgraded:
            bounds.end()
        self.marked = self.marked or machine.healed
        self._typist.drop_all()
        self._questions.forget()
        self._typist.holds.clear()
        if not ending.proven:
            self.notes.append(UNPROVEN)
        if self.ended is None:
            self._free = True
            self._typist.last_code = ending.code or 0
            self._dirty = self._dirty or bool(self.observer.unread())
            if note := self.survivors.named():
                self.notes.append(note)
