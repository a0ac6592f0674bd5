"""One run of one command in a terminal, as its callers hold it: look at it, wait for it, talk to it, end it."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Final

from truetty.core.errors import Misuse
from truetty.core.machine import Machine
from truetty.core.outcome import Outcome, State, Waiting
from truetty.core.reader_watch import Reading
from truetty.core.until import Until, of
from truetty.store.output import Output
from truetty.store.summary import Summary
from truetty.terminal import exit_codes, keys
from truetty.terminal.answers import Answers
from truetty.terminal.asked import asked
from truetty.terminal.stream import Stream
from truetty.terminal.wait import Wait
from truetty.terminal.wire.conversation import Conversation
from truetty.text.clean import clean
from truetty.text.digest import Budget

if TYPE_CHECKING:
    from truetty.terminal.terminal import Terminal

# Between asking a program to end and making it.
GRACE: Final = 2.0
# A loop of the shell's own starts the next program as soon as one is killed.
KILLS: Final = 3
UNSEEN: Final = "it could not be ended: its processes cannot be seen here; closing its terminal ends it"
DEAF: Final = "it could not be ended: the shell itself does not react, and only closing its terminal ends it"
UNTOLD: Final = "whether it waits for input cannot be told: the kernel does not show what its processes read"
# How much of the end of the output is read for the line a shell may have said last.
LAST: Final = 2048


@dataclass(frozen=True, slots=True)
class _End:
    cwd: str | None
    closed: bool


@dataclass(frozen=True, slots=True)
class Activity:
    """What a running command does at this moment."""

    output_bytes: int  # so far
    quiet_seconds: float  # since its last output, or since it began
    cpu_seconds: float | None  # used by it so far, as far as the kernel tells
    processes: tuple[str, ...] | None  # names of what it has started and is alive; None: they cannot be seen


class Command:
    """Made by `Terminal.start`. Everything it says is live until `outcome` is there; then it is final."""

    def __init__(
        self,
        terminal: Terminal,
        conversation: Conversation,
        machine: Machine,
        id: str,
        text: str,
        budget: Budget,
        answers: Answers,
    ) -> None:
        assert conversation.bounds is not None
        self.id: Final = id
        self.text: Final = text
        self.output: Output = conversation.bounds.output
        self.timed_out = False
        self.reached: str | None = None  # what the last wait came back for: exit, input, match, idle or port
        self.answers: Final = answers
        self._terminal = terminal
        self._conversation = conversation
        self._machine = machine
        self._budget = budget
        self._notes = conversation.notes
        self._end: _End | None = None
        self._outcome: Outcome | None = None
        self._streams: list[Stream] = []
        self._sent: set[int] = set()  # signals of ours
        self._told = 0  # the last reading episode a caller was told of
        self._returned = 0  # bytes of output that an earlier wait has returned

    def __repr__(self) -> str:
        return f"<Command {self.id} {self.state} {self.text[:40]!r}>"

    @property
    def state(self) -> State:
        machine = self._machine
        if machine.ending is not None:
            return "lost" if machine.ending.evidence is None else "finished"
        return "waiting" if machine.waiting is not None else "running"

    @property
    def outcome(self) -> Outcome | None:
        """None until the end, then final."""
        return self.snapshot() if self.finished else None

    @property
    def exit_code(self) -> int | None:
        return self._code()[0]

    @property
    def finished(self) -> bool:
        return self._machine.ending is not None

    @property
    def waiting(self) -> Waiting | None:
        """Who reads the keyboard and what is asked; None while nobody does. Only the output's end is read for it."""
        reading = self._machine.waiting
        return self._waiting(reading) if reading is not None else None

    @property
    def terminal_id(self) -> str:
        return self._terminal.id

    @property
    def unread(self) -> bool:
        """Whether there is output that nobody was given: not by a wait, and not by `output.unread()`."""
        return self._returned < self.output.bytes and not self.output.all_given

    @property
    def episode(self) -> int:
        """How often somebody began to read the keyboard."""
        return self._machine.episode

    @property
    def reads_lines(self) -> bool:
        """Whether the tty gathers what is typed into lines."""
        return self._conversation.observer.modes().canonical

    @property
    def hides_typing(self) -> bool:
        """Whether what is typed now would not be shown, as at a password prompt."""
        waiting = self._machine.waiting
        modes = self._conversation.observer.modes()
        return (waiting is not None and waiting.kind == "secret") or (modes.canonical and not modes.echo)

    @property
    def activity(self) -> Activity:
        """What it is doing, so that work and standstill can be told apart; no processes once it has ended."""
        conversation = self._conversation
        quiet = self._terminal._now() - self._quiet_since()
        if self.finished:
            return Activity(self.output.bytes, quiet, None, ())
        processes = conversation.survivors.running()
        names = None if processes is None else tuple(process.name for process in processes)
        return Activity(self.output.bytes, quiet, conversation.survivors.cpu(), names)

    def events(self, coalesce: float | None = None) -> Stream:
        """What happens to it, as it happens: `async for event in command.events()`; see `truetty.events`.

        Output comes in pieces at least `coalesce` seconds apart, the terminal's if none are named; everything else,
        and the last piece, at once.
        """
        return Stream(self, self._terminal.options.coalesce if coalesce is None else coalesce)

    # -- waiting

    async def wait(self, timeout: float | None = None, until: str | re.Pattern[str] | Until = "settled") -> Outcome:
        """Wait, at most `timeout` seconds, and say how things stand. It never ends the command.

        `until` is "settled" (finished, or newly waiting for input), "finished", a regular expression that is found in
        output which no earlier wait has returned, or a value of `truetty.core.until`: `Idle(seconds)`, `Port(number)`.
        The command's end always ends the wait. `reached` says afterwards which of it came: None, if patience was over.
        """
        if timeout is not None and not timeout > -inf:
            raise Misuse(f"not a number of seconds: {timeout!r}", timeout=timeout)
        self.reached = await Wait(self, of(until)).wait(timeout)
        outcome = await self.report()
        self._told = self._machine.episode
        self._returned = outcome.output_bytes
        return outcome

    async def grown(self, past: int, timeout: float | None = None) -> bool:
        """Wait until there are more than `past` bytes of output (then True), or things have settled otherwise."""
        await self._terminal.changes.until(
            lambda: self.output.bytes > past or self.finished or self._newly_waiting(), timeout
        )
        return self.output.bytes > past

    async def changed(self, after: int) -> int:
        """Wait for the end, or for a waiting later than `after`; returns its number. Nobody counts as told by it."""
        machine = self._machine
        await self._terminal.changes.until(
            lambda: (
                self.finished or (machine.waiting is not None and machine.episode > after and not self.answers.thinking)
            ),
            None,
        )
        return machine.episode

    def _newly_waiting(self) -> bool:
        """Somebody reads, no caller was told of it yet, and nobody is about to answer."""
        machine = self._machine
        return machine.waiting is not None and machine.episode > self._told and not self.answers.thinking

    def _quiet_since(self) -> float:
        return max(self._conversation.record.heard_at, self._machine.asked_at)

    async def report(self) -> Outcome:
        """How things stand now. Made in slices: a gigabyte of output takes seconds, and others have their turn."""
        if self._outcome is not None:
            return self._outcome
        return self._report(await self.output.slices.summary(self._budget))

    def snapshot(self) -> Outcome:
        """How things stand now, made at once."""
        if self._outcome is not None:
            return self._outcome
        return self._report(self.output.summary(self._budget))

    def _report(self, summary: Summary) -> Outcome:
        machine, terminal = self._machine, self._terminal
        ending = machine.ending
        end = self._end or _End(terminal.cwd, terminal.closed)
        text, omitted, lines, tokens, told = summary
        code, number = self._code()
        meant = exit_codes.read(code, number, self._last_line(), self._sent) if code else None
        notes = [*self._notes, *self.answers.notes, *(meant.notes if meant is not None else ()), *told]
        if missing := self.output.missing:
            why = terminal.transcript.trouble or "the file was lost"
            notes.append(f"{missing:,} bytes of the output could not be kept: {why}")
        if ending is None and machine.waiting is None and not machine.can_tell_waiting:
            notes.append(UNTOLD)
        if machine.stopped:
            notes.append("stopped: nothing runs until it is continued")
        if self.timed_out:
            ended = "ended because its time-out was over"
            notes.append(ended if ending is not None else "its time-out is over; it is being ended, if it can be")
        outcome = Outcome(
            command_id=self.id,
            terminal_id=terminal.id,
            state=self.state,
            exit_code=code,
            signal=exit_codes.name(meant.signal) if meant is not None and meant.signal is not None else None,
            evidence=ending.evidence if ending is not None else None,
            strategy=machine.strategy,
            output=text,
            output_bytes=self.output.bytes,
            output_lines=lines,
            omitted=omitted,
            original_tokens=tokens,
            complete=not missing,
            waiting=self.waiting,
            duration=(ending.time if ending is not None else terminal._now()) - machine.asked_at,
            cwd=end.cwd,
            closed=end.closed,
            notes=tuple(notes),
        )
        if ending is not None:
            self._outcome = outcome
        return outcome

    def _freeze(self) -> None:
        """The command has ended: what is true of its terminal now is said of it for ever."""
        if self._end is None:
            self.answers.forget()
            self._end = _End(self._terminal.cwd, self._terminal.closed)

    def _code(self) -> tuple[int | None, int | None]:
        """The exit code and the signal it stands for, as far as anybody knows."""
        ending = self._machine.ending
        if ending is None:
            return None, None
        code, number = ending.code, ending.signal
        if number is None and code is not None:
            number = self._conversation.shell.signal_of(code)
        return (code, None) if number is None else (128 + number, number)

    def _last_line(self) -> str:
        """The last line that is not empty, if it ends the output."""
        size = self.output.bytes
        return clean(self.output.read(max(0, size - LAST))).rstrip("\n").rpartition("\n")[2]

    def _waiting(self, reading: Reading) -> Waiting:
        return asked(reading, self.output, self._terminal.screen)[0]

    def _consider(self) -> None:
        """Somebody may wait: see whether a rule or a callback answers."""
        machine = self._machine
        if (reading := machine.waiting) is not None and self.answers.any:
            episode = machine.episode
            self.answers.consider(
                episode,
                lambda: asked(reading, self.output, self._terminal.screen),
                lambda: machine.waiting is not None and machine.episode == episode,
            )

    # -- talking

    async def send(self, text: str | bytes) -> None:
        """Type `text` as it is. A finished command takes nothing: that is an error, not a silent loss."""
        self._terminal._require_running(self)
        await self._terminal.send(text)

    async def press(self, *names: str) -> None:
        """Press keys by name: "Enter", "C-c", "Up", "F5"."""
        self._terminal._require_running(self)
        if "C-c" in names:
            self._sent.add(signal.SIGINT)
        await self._terminal.press(*names)

    async def interrupt(self) -> bool:
        """Ctrl-C, or SIGINT to the foreground where the tty would not make it one. False: it had finished already."""
        if self.finished:
            return False
        observer, channel = self._conversation.observer, self._conversation.channel
        modes = observer.modes()
        self._sent.add(signal.SIGINT)
        if modes.signals and modes.interrupt:
            self._conversation.type(modes.interrupt)
        elif (group := observer.foreground()) is not None and group != channel.pid:
            channel.signal_group(group, signal.SIGINT)
        else:  # the shell's own editor, which takes the key for what it is
            self._conversation.type(keys.encode("C-c"))
        await channel.drained()
        return True

    async def end(self) -> None:
        """`kill`, and where the shell itself goes on and on, an end to the shell too: what a time-out means."""
        channel = self._conversation.channel
        await self.kill()
        if not self.finished and channel.pid is not None:
            self._notes[:] = [note for note in self._notes if note not in (DEAF, UNSEEN)]
            unseen = self._conversation.survivors.running() is None
            why = "its processes cannot be seen here" if unseen else "a loop of the shell's own that did not react"
            self._notes.append(f"its shell was ended too: {why}")
            channel.signal_process(channel.pid, signal.SIGKILL)
            await self.wait(GRACE, "finished")

    async def kill(self) -> Outcome:
        """Interrupt, then terminate, then kill the command's processes; the shell survives."""
        channel = self._conversation.channel
        if self._machine.stopped and channel.pid is not None:
            channel.signal_process(channel.pid, signal.SIGCONT)  # a stopped shell would not even see its child end
        await self.interrupt()
        outcome = await self.wait(GRACE, "finished")
        for number in (signal.SIGTERM, *[signal.SIGKILL] * KILLS):
            if self.finished:
                break
            self._sent.add(number)
            self._signal(number)
            outcome = await self.wait(GRACE, "finished")
        note = UNSEEN if self._conversation.survivors.running() is None else DEAF
        if not self.finished and note not in self._notes:
            self._notes.append(note)
            outcome = await self.report()
        return outcome

    def _signal(self, number: int) -> None:
        """To each process of the command; where they cannot be seen, to the group in front."""
        channel = self._conversation.channel
        running = self._conversation.survivors.running()
        if running is not None:
            for process in running:
                channel.signal_process(process.pid, number)
                channel.signal_process(process.pid, signal.SIGCONT)
        elif (group := self._conversation.observer.foreground()) is not None and group != channel.pid:
            channel.signal_group(group, number)
            channel.signal_group(group, signal.SIGCONT)
