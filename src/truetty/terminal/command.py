"""One run of one command in a terminal, as its callers hold it: look at it, wait for it, talk to it, end it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple
from weakref import WeakMethod

from truetty import events
from truetty.core.checks import check_wait
from truetty.core.errors import Misuse
from truetty.core.outcome import Outcome, Reached, State, Waiting
from truetty.core.patterns import Found
from truetty.core.until import Until, of
from truetty.host.base import USUAL, Identity
from truetty.store.clean_text import Summary
from truetty.store.output import Output
from truetty.store.slices import in_slices
from truetty.terminal import exit_codes, keyboard, keys
from truetty.terminal.answers import Answers
from truetty.terminal.changes import Changes, Rank
from truetty.terminal.explain import explain
from truetty.terminal.options import Options
from truetty.terminal.report import report
from truetty.terminal.stop import Stop
from truetty.terminal.stream import Stream
from truetty.terminal.viewer import Viewer
from truetty.terminal.wait import Wait
from truetty.terminal.wire.conversation import Conversation
from truetty.terminal.wire.run import Run
from truetty.text.digest import tokens

# A job that the shell has forked executes its program within milliseconds, and has its name then. Looked at again
# after so long; after all of this time it is called a subshell.
NAMING_PAUSE: Final = 0.002
LONGEST_NAMING: Final = 0.25


@dataclass(frozen=True, slots=True)
class Activity:
    """What a running command does at this moment."""

    output_bytes: int  # so far
    quiet_seconds: float  # since its last output, or since it began
    cpu_seconds: float | None  # used by it so far, as far as the kernel tells
    processes: tuple[str, ...] | None  # names of what it has started and is alive; None: cannot be seen


class LastWait(NamedTuple):
    """What the last wait has returned to its caller."""

    waiting: int = 0  # the number of the waiting
    bytes: int = 0  # of output


class Command:
    """Made by `Terminal.start`. Everything it says is live until `outcome` is there; then it is final."""

    def __init__(
        self,
        id: str,
        terminal: object,
        terminal_id: str,
        run: Run,
        conversation: Conversation,
        changes: Changes,
        viewer: Viewer,
        options: Options,
    ) -> None:
        self.id: Final[str] = id  # such as "t1-3"
        self._terminal = terminal  # a terminal that is collected is closed, and its command with it
        self.terminal_id: Final[str] = terminal_id  # such as "t1"
        self.text: Final[str] = run.text or ""  # as it was given
        self.output: Final[Output] = run.span.output  # all it has printed so far
        self.changes: Final = changes  # called whenever something is new
        self.reached: Reached | None = None  # what the last wait came back for
        self._run = run
        self._conversation = conversation
        self._options = options
        self._viewer = viewer
        self._answers = Answers(run, conversation, viewer, changes, options.replies, options.on_waiting)
        self._stop = Stop(run, conversation, changes)
        self._outcome: Outcome | None = None  # once it has ended and its text was made, with the facts of one wait
        self._last_wait = LastWait()
        self._noted: tuple[int, int | None] = (0, None)  # of what was returned, as it was written down
        if conversation.link.ledger is not None:
            self.output.reads.on_read = self._note_given
        # Weak: the event loop holds the channel and with it all subscriptions. A command that no caller holds any more,
        # nor its terminal, must not live by them.
        self._subscriptions = [changes.subscribe(_weakly(self._on_change), Rank.COMMAND)]
        if options.replies or options.on_waiting is not None:
            self._subscriptions.append(changes.subscribe(self._answers.on_change, Rank.ANSWERS))

    def __repr__(self) -> str:
        return f"<Command {self.id} {self.state} {self.text[:40]!r}>"

    @property
    def state(self) -> State:
        """finished, running, waiting or lost, at this moment."""
        return self._run.state

    @property
    def outcome(self) -> Outcome | None:
        """None until the end, then final."""
        return self.snapshot() if self.finished else None

    @property
    def exit_code(self) -> int | None:
        """None while it runs, and where it is unknown."""
        return exit_codes.of_command(self._run.machine.ending, self._conversation.link.shell)[0]

    @property
    def finished(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self._run.machine.ending is not None

    @property
    def timed_out(self) -> bool:
        """Whether its own time-out has passed."""
        return self._stop.timed_out

    @property
    def waiting(self) -> Waiting | None:
        """The program that reads the keyboard, and what it asks; None if none does. Only the output's end is read."""
        return self._answers.waiting

    @property
    def reader(self) -> Identity | None:
        """The program that reads the keyboard, as the kernel says. None: none does, or that is unknown."""
        reader = self._run.reader.waiting
        if reader is None or reader.pid is None:
            return None
        return self._conversation.link.channel.family.identity(reader.pid)

    @property
    def open_waiting(self) -> int | None:
        """The number of the waiting that is left to callers; None: no program waits, or a rule or callback answers."""
        return self._answers.open_waiting

    @property
    def unread(self) -> bool:
        """Whether there is output that neither a wait nor `output.unread()` has returned."""
        return self._last_wait.bytes < self.output.bytes and not self.output.all_given

    @property
    def reads_lines(self) -> bool:
        """Whether the tty gathers what is typed into lines."""
        return (self._conversation.link.channel.tty.modes() or USUAL).canonical

    @property
    def is_full_screen(self) -> bool:
        """Whether it has taken the alternate screen, as editors, pagers and dialogs do, and has not left it."""
        return not self.finished and self._run.span.on_alternate_screen

    @property
    def hides_typing(self) -> bool:
        """Whether what is typed now would not be shown, as at a password prompt."""
        waiting = self._run.reader.waiting
        modes = self._conversation.link.channel.tty.modes() or USUAL
        return (waiting is not None and waiting.kind == "secret") or (modes.canonical and not modes.echo)

    @property
    def activity(self) -> Activity:
        """What it is doing: a build uses the CPU, a stuck program does not. No processes once it has ended."""
        conversation = self._conversation
        quiet = _now() - max(conversation.link.timeline.heard_at, self._run.machine.asked_at)
        if self.finished:
            return Activity(self.output.bytes, quiet, None, ())
        processes = conversation.link.processes.running()
        names = None if processes is None else tuple(process.name for process in processes)
        return Activity(self.output.bytes, quiet, conversation.link.processes.cpu(), names)

    def events(self, coalesce: float | None = None) -> Stream:
        """What happens to it, as it happens: `async for event in command.events()`; see `truetty.events`.

        Output comes in pieces at least `coalesce` seconds apart, the terminal's if none are named; everything else,
        and the last piece, at once.
        """
        return Stream(
            events.Started(self.id, self.text),
            self._run,
            self.output,
            self.changes,
            self._answers,
            outcome=self.report,
            coalesce=self._options.coalesce if coalesce is None else coalesce,
        )

    # -- waiting

    async def wait(self, timeout: float | None = None, until: str | re.Pattern[str] | Until = "settled") -> Outcome:
        """Wait, at most `timeout` seconds, and return how things stand. It never ends the command.

        `until` is one of:

        - `"settled"`: it has finished, or newly waits for input
        - `"finished"`: it has finished
        - a compiled pattern: it is found in output that no earlier wait has returned
        - a value of `truetty.until`: `Match("ready", "failed")`, `Idle(2)`, `Port(8080)`, `Screen("Save?")`, `Input()`
        - the same in words, as agents write them: `"match:ready"`, `"idle:2"`, `"port:8080"`, `"input"`

        The command's end ends every wait. `outcome.reached` says what came: None, if `timeout` was over.
        """
        outcome = await self.wait_since(self._last_wait, timeout, until)
        self._last_wait = LastWait(self._run.reader.number, outcome.output_bytes)
        if outcome.output_bytes:
            self._note_given()
        return outcome

    async def wait_since(
        self, last: LastWait, timeout: float | None = None, until: str | re.Pattern[str] | Until = "settled"
    ) -> Outcome:
        """The same for a caller that keeps `last` itself."""
        check_wait(timeout, "timeout")
        if not self.finished:
            self._conversation.link.home.require()
        wait = Wait(
            self._run,
            self.output,
            self.changes,
            of(until),
            answers=self._answers,
            conversation=self._conversation,
            viewer=self._viewer,
            from_byte=last.bytes,
            after_waiting=last.waiting,
        )
        self.reached, found = await wait.wait(timeout)
        return await self._report_of_wait(self.reached, found)

    def _note_given(self) -> None:
        ledger, given = self._conversation.link.ledger, (self._last_wait.bytes, self.output.reads.read_up_to)
        if ledger is not None and given != self._noted:
            self._noted = given
            ledger.on_given(self._run.serial, *given)

    def go_on_from(self, waited: int, read: int | None) -> None:
        """So much of its output was returned by a process before this one, as in `Ledger.on_given`."""
        self._last_wait = LastWait(0, waited)
        self._noted = (waited, read)
        if read is not None:
            self.output.reads.read_on(read)

    async def report(self) -> Outcome:
        """How things stand now. Made in slices: a gigabyte of output takes seconds, and other tasks run meanwhile."""
        return await self._report_of_wait(None, None)

    async def _report_of_wait(self, reached: Reached | None, match: Found | None) -> Outcome:
        """With what a wait has come back for."""
        if self._outcome is not None:
            return _for_wait(self._outcome, reached, match)
        if (survivors := self._run.survivors) is not None and not survivors.are_named():
            await self.changes.until(survivors.are_named, LONGEST_NAMING, lambda: _now() + NAMING_PAUSE)
        summary = await in_slices(self.output.reads.summary(self._options.budget))
        return self._report(summary, reached=reached, match=match)

    def snapshot(self) -> Outcome:
        """How things stand now, made at once."""
        if self._outcome is not None:
            return _for_wait(self._outcome)
        return self._report(self.output.summary(self._options.budget))

    def explain(self, *, text: bool = True) -> str:
        """Why its outcome says what it says: the evidence in plain words, what was seen and when.

        Without `text`, the command itself is left out of it.
        """
        machine = self._run.machine
        return explain(self.text if text else None, self.standing(), machine.journal, machine.asked_at)

    def standing(self) -> Outcome:
        """How things stand now, without the text: however much was printed, none of it is read for this."""
        if self._outcome is not None:
            return _for_wait(self._outcome)
        return self._report(Summary("", 0, 0, tokens(self.output.bytes)), final=False)

    def _report(
        self, summary: Summary, *, final: bool = True, reached: Reached | None = None, match: Found | None = None
    ) -> Outcome:
        outcome = report(
            self.id,
            self.terminal_id,
            self._run,
            summary,
            stop=self._stop,
            answers=self._answers,
            conversation=self._conversation,
            reached=reached,
            match=match,
        )
        if self.finished and final:
            self._outcome = outcome
        return outcome

    # -- talking

    async def send(self, text: str | bytes) -> None:
        """Type `text` as it is. A finished command takes nothing: that is an error, not a silent loss.

        So is a line of more than 4,095 bytes while the terminal is in line mode: it would keep no more of it.
        What is sent before the command has started is typed when it has. If it never does, or is cut, a note says so.
        """
        self._require_running()
        await keyboard.send(self._conversation, text)
        self._stop.on_keys(text)

    def check_lines(self, text: str) -> None:
        """Refuse what `type` would refuse of this text: a line of which the terminal would keep a part only."""
        keyboard.check_lines(self._conversation, text.encode("utf-8", "surrogateescape"))

    async def press(self, *names: str) -> None:
        """Press keys by name: "Enter", "C-c", "Up", "F5"."""
        self._require_running()
        await keyboard.press(self._conversation, *names)
        self._stop.on_keys(keys.encode(*names))

    async def type(self, text: str, *names: str) -> None:
        """Type `text`, then press keys by name, in one write. A name that no key has is refused before that."""
        self._require_running()
        await keyboard.type(self._conversation, text, *names)
        self._stop.on_keys(text)
        self._stop.on_keys(keys.encode(*names))

    async def interrupt(self) -> bool:
        """Ctrl-C, or SIGINT to the foreground where the tty would not make it one. False: it had finished already."""
        return await self._stop.interrupt()

    async def stop(self) -> Outcome:
        """End it: Ctrl-C, then SIGTERM, then SIGKILL to the command's processes. The shell goes on.

        The outcome says how it ended. If even that did not end it, a note says so.
        """
        await self._stop.kill()
        return await self.wait(0, "finished")

    async def kill(self) -> Outcome:
        """The same as `stop`."""
        return await self.stop()

    # -- what its terminal does

    def forget(self) -> None:
        """Its terminal is being closed, which ends it: it needs no answer and no other end."""
        self._stop.forget()
        self._answers.forget()

    def discard(self) -> None:
        """It could not be begun."""
        for leave in self._subscriptions:
            leave()
        self._subscriptions.clear()  # they refer to this object: a circle that only the garbage collector would free

    def _on_change(self) -> None:
        """At its end no rule answers it any more. When its time is over, it is ended."""
        if self.finished:
            self._answers.forget()
            self.discard()
        elif self._run.time_is_over:
            self._stop.begin()

    def _require_running(self) -> None:
        if self.finished:
            code = "unknown" if self.exit_code is None else self.exit_code
            what = f"command {self.id} has finished (exit code {code}): nothing reads what is sent to it"
            raise Misuse(what, command_id=self.id, exit_code=self.exit_code)


def _weakly(method: Callable[[], None]) -> Callable[[], None]:
    """A call of this method, while its object is there."""
    found = WeakMethod(method)

    def call() -> None:
        if (now := found()) is not None:
            now()

    return call


def _for_wait(outcome: Outcome, reached: Reached | None = None, match: Found | None = None) -> Outcome:
    """The same with the facts of another wait; without any, of the command alone."""
    if outcome.reached is reached and outcome.match is match:
        return outcome
    return replace(outcome, reached=reached, match=match)


def _now() -> float:
    return asyncio.get_running_loop().time()
