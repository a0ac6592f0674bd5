"""Joins one channel to the command that runs on it, in four steps: feed, take signs, write, act.

Rule 1: nothing here waits and nothing here decides that a command has ended; `core/machine.py` does.
Rule 2: one timer, set to the machine's one deadline.
Rule 3: bytes are stored before they are looked at, and the secrets of our marks are blanked where they lie.
Rule 4: one thing after the other (`Steps`): a reply rule that types does so after the look that made it answer.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Final

from truetty.core import marks
from truetty.core.errors import Closed
from truetty.core.machine import Machine, State, Want
from truetty.core.observation import Observation
from truetty.core.outcome import Strategy
from truetty.core.scanner import Scanner
from truetty.core.signs import Hint, Mark, Mode, Query, Sign
from truetty.core.testimony import Secrets
from truetty.host.base import Channel, Ended
from truetty.shells.row import Row
from truetty.store.timeline import Timeline
from truetty.store.transcript import Transcript
from truetty.terminal import exit_codes
from truetty.terminal.wire.alarm import Alarm
from truetty.terminal.wire.integration import Integration
from truetty.terminal.wire.modes import ScreenModes
from truetty.terminal.wire.processes import Processes
from truetty.terminal.wire.prompt import Prompt
from truetty.terminal.wire.queries import TerminalQueries
from truetty.terminal.wire.run import Run, ShellFacts
from truetty.terminal.wire.sender import Sender
from truetty.terminal.wire.span import Span
from truetty.terminal.wire.steps import Steps
from truetty.terminal.wire.typist import Typist


class Conversation:
    """What is going on between us and one shell. `changed` is called after anything did."""

    def __init__(
        self,
        terminal_id: str,
        channel: Channel,
        shell: Row,
        key: str,
        transcript: Transcript,
        size: tuple[int, int],
        changed: Callable[[], None],
    ) -> None:
        self.channel: Final = channel
        self.transcript: Final = transcript
        self.run: Run | None = None  # the last one that was begun
        self.ended: Ended | None = None
        self.closing = False
        self.integration: Final = Integration()
        self.modes: Final = ScreenModes()
        self.prompt: Final = Prompt()
        self.processes: Final = Processes(channel)
        self._terminal_id = terminal_id
        self._typist = Typist(channel, shell, key, self.modes)
        self.listen: Final = self._typist.listen
        self._queries = TerminalQueries(channel)
        self._scanner = Scanner()
        self.key: Final = key
        self._changed = changed
        self._loop = asyncio.get_running_loop()
        self.timeline: Final = Timeline(transcript, size, self._loop.time())
        self._size = size
        self._sender = Sender(self._typist, self.prompt, self.timeline, self.integration)
        self._looking: Run | None = None  # whom the next look is for
        self._serial = 0
        self._last_cwd: str | None = None
        self._steps = Steps(self._act)
        self._alarm = Alarm(self._on_time)
        channel.attach(self)

    @property
    def shell(self) -> Row:
        return self._typist.shell

    @property
    def strategy(self) -> Strategy:
        return self.integration.strategy

    @property
    def closed(self) -> bool:
        return self.closing or self.ended is not None

    @property
    def cwd(self) -> str | None:
        """Where the shell is, as the kernel says; where it last was, once it is gone."""
        self.remember_cwd()
        return self._last_cwd

    def remember_cwd(self) -> None:
        """While the kernel can still say it."""
        if not self.closed:
            self._last_cwd = self.channel.process.cwd() or self._last_cwd

    def shell_now(self) -> ShellFacts:
        return ShellFacts(self.cwd, self.closed)

    def require_open(self) -> None:
        if self.closed:
            code = exit_codes.of_shell(self.ended)
            raise Closed(f"terminal {self._terminal_id} is closed", terminal_id=self._terminal_id, exit_code=code)

    # -- commands

    def prepare(self, text: str | None, *, limit: float = inf) -> Run:
        """A command, not begun yet. None: just await the prompt."""
        self._serial += 1
        drawn = secrets.token_urlsafe(48)  # 126 bits for each of the three
        own = Secrets(drawn[:21], drawn[21:42], drawn[42:63], self.key)
        span = Span(self.transcript, self.prompt.begins_at, self._size, marked=self.shell.has_marks)
        machine = Machine(
            own,
            self._loop.time(),
            shell=self.channel.pid,
            marked=self.shell.has_marks,
            limit=limit,
            typed_into=self.prompt.keys_left,
            sees=self.channel.sees,
            alternate_screen=self.modes.alternate_from is not None,
        )
        return Run(text, self._serial, own, machine, span)

    def begin(self, run: Run) -> None:
        """It is typed when the prompt is free, which may be now. OSError: it could not be, and nothing has happened."""
        self._steps.take(self._begin, run)

    def send(self, data: bytes) -> None:
        """Keys for the running command, or for whoever reads the terminal now."""
        self._steps.take(self._send_keys, data)

    def answer(self, run: Run, data: bytes) -> None:
        """Keys for this command, if it still runs."""
        if run is self.run and run.machine.ending is None and not self.closed:
            self.send(data)

    def resize(self, columns: int, rows: int) -> None:
        self.channel.resize(columns, rows)
        self._size = (columns, rows)
        self.timeline.on_resize(self._size, self._loop.time())

    def on_close(self) -> None:
        """The channel is about to be closed: nothing is typed from now on."""
        self.remember_cwd()
        self.closing = True

    # -- the channel's side

    def on_data(self, data: bytes) -> None:
        self._steps.take(self._take, data)

    def on_look(self, seen: Observation, at: int) -> None:
        self._steps.take(self._take_look, seen, at)

    def on_end(self, ended: Ended) -> None:
        self._steps.take(self._end, ended)

    # -- what happened

    def _begin(self, run: Run) -> None:
        before, self.run = self.run, run
        self.processes.begin()
        if self.prompt.is_clean or self._typist.types_unasked:
            try:
                self._on_free_prompt(run, self._sender.send)
            except OSError:
                self.run = before
                raise

    def _send_keys(self, data: bytes) -> None:
        now, run = self._loop.time(), self.run
        read = run is not None and run.reader.waiting is not None
        self.prompt.on_keys(data, left=self._typist.on_keys(data, read=read))
        if run is not None and run.machine.state is State.SENT and run.reader.waiting is None:
            run.early_keys.add(data, now)
        else:
            self._sender.send_keys(run, data, now)

    def _take(self, data: bytes) -> None:
        now, run = self._loop.time(), self.run
        self.timeline.on_bytes(self.transcript.append(data), now)
        if run is not None:
            run.on_bytes(now)
        for sign in self._scanner.feed(data):
            self._on_sign(sign, now)

    def _end(self, ended: Ended) -> None:
        self.ended = ended
        self.prompt.on_exit()
        if self.run is not None:
            self.run.on_shell_end(ended, self._loop.time())

    def _on_sign(self, sign: Sign, now: float) -> None:
        in_front: bool | None = True
        match sign:
            case Mark():
                self.transcript.blank(*marks.secret_span(sign))
                in_front = self._on_mark(sign)
            case Mode():
                self.modes.on_mode(sign)
            case Query(name=name):
                self._on_query(name)
            case Hint():
                self.integration.foreign_marks = True
        run = self.run
        if run is None or run.machine.ending is not None:
            return
        if isinstance(sign, Mark) and sign.letter == "P" and not self._typist.has_end():
            sign = replace(sign, code=None)
        if run.on_sign(sign, now, in_front=in_front, is_echo=self._typist.is_echo):
            self.integration.on_mark(run)
            self.timeline.end_echo(run.machine.testimony.output_from or 0, run.text or "")
            self._sender.send_early_keys(run, now)

    def _on_mark(self, mark: Mark) -> bool | None:
        """Returns whether the shell alone holds the terminal: one cheap look at what may end something."""
        run = self.run
        match mark.letter:
            case "2" if mark.secret == self.key:
                self.prompt.is_continuation = True
            case "P" if mark.secret == self.key:
                self.integration.on_mark(run)
                self.prompt.on_mark(mark)
                self._typist.on_prompt(mark)
                if run is None or run.machine.state in (State.QUEUED, State.ENDED):
                    self.prompt.on_free()
                    if run is None or run.text is None:
                        self._typist.on_first_prompt(mark)
            case "D" if run is not None and mark.secret == run.secrets.end:
                self.prompt.begins_at = mark.end
                self._typist.on_end(mark)
                return self.processes.shell_alone_in_front()
            case "M" if run is not None and mark.secret == run.secrets.start:
                self._sender.end_pause(run)
            case _:
                return True
        return self.channel.tty.shell_in_front()

    def _on_query(self, name: str) -> None:
        run = self.run
        if run is not None and run.machine.state is State.RUNNING:
            self._queries.ask(name)
        elif self.shell.asks_terminal:
            self._queries.answer_at_once(name)
            # At the start it may have been a program that asked: then the answer stands at the prompt.
            if run is not None:
                self.prompt.on_leftover()

    # -- acting

    def _act(self) -> None:
        """After anything happened: do what the machine wants, tell the owner, set the one timer."""
        if (run := self.run) is not None:
            wants = run.machine.wants
            while wants:
                now = self._loop.time()
                match wants.pop(0):
                    case Want.LOOK:
                        self._look(run)
                    case Want.SEND:
                        self._on_free_prompt(run, self._sender.send_late)
                    case Want.ASK:
                        self._sender.ask(run, now)
                    case Want.RELEASE:
                        self._sender.end_pause(run)
                    case Want.STOP:
                        run.time_is_over = True
            if run.machine.ending is not None and not run.concluded:
                self._conclude(run)
            if run is self.run:
                self._alarm.set(run.machine.deadline)
        self._changed()

    def _on_time(self) -> None:
        if self.run is not None and self.run.machine.ending is None:
            self._steps.take(self.run.machine.on_time, self._loop.time())

    def _look(self, run: Run) -> None:
        if self.prompt.output_stopped:
            self.channel.tty.resume()
        self._looking = run
        self.channel.look()

    def _take_look(self, seen: Observation, at: int) -> None:
        now, run, self._looking = self._loop.time(), self._looking, None
        if run is None or run is not self.run or run.machine.ending or (run.machine.testimony.output_from or 0) > at:
            return  # the command is over, or C came after the look, which shows the shell on its way to the command
        machine = run.machine
        if machine.state is State.RUNNING and machine.testimony.output_from is not None:
            self._typist.drop_texts()
        self._queries.answer(seen)
        starts_up = not (self.integration.marks_work or self._typist.interrupted)
        if starts_up and seen.kind == "shell" and self._typist.reads_before_hook():
            seen = replace(seen, kind="line")
        run.on_look(seen, now)
        if machine.ending is not None and machine.ending.evidence == "mark" and seen.seen != "ready":
            self.channel.learn()  # a prompt that a mark has confirmed, and that looked strange
        typed_into = self.prompt.is_free and self.prompt.keys_left
        if machine.state is State.QUEUED and typed_into and self._typist.is_drawn_unseen():
            self._on_free_prompt(run, self._sender.send_late)
        if run.reader.waiting is not None or run.early_keys.are_due(now):
            self._sender.send_early_keys(run, now)
        if (
            not self.shell.has_marks
            and machine.state is State.QUEUED
            and run.reader.waiting is not None
            and run.reader.waiting.kind != "secret"
            and seen.reader == self.channel.pid
            and not self.channel.knows_prompt
        ):
            self.channel.learn()  # an unknown program reads for the first time: that must be its prompt

    def _on_free_prompt(self, run: Run, send: Callable[[Run, float], None]) -> None:
        """The prompt is ours: type the command, if there is one."""
        if run.text is None:
            self.prompt.on_free()
            self.run = None
        else:
            send(run, self._loop.time())

    def _conclude(self, run: Run) -> None:
        """The command has ended: settle where its output ends and what must be said of it."""
        self.timeline.end_echo(self.transcript.size)  # whatever of ours is still hidden, nobody needs to see
        run.conclude(self.shell, self.shell_now(), shell_ended=self.ended is not None)
        ending = run.machine.ending
        assert ending is not None
        if run.machine.healed:
            self.integration.on_answer()
        self._typist.drop_all()
        self._queries.forget()
        if self.ended is None:
            self.prompt.on_free()
            self._typist.last_code = ending.code or 0
            if self.channel.tty.unread():
                self.prompt.on_leftover()
            if note := self.processes.survivors_note():
                run.notes.append(note)
