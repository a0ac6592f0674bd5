"""The async classes, blocking. Written by tools/make_sync.py from their source: change that, and run it again."""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Iterator, Mapping
from threading import current_thread
from types import TracebackType
from typing import Self, Unpack

from truetty import events
from truetty.batch.map import MapArguments, Tasks
from truetty.batch.task import TaskResult
from truetty.core.outcome import Outcome, Reached, State, Strategy, Waiting
from truetty.core.until import Until
from truetty.host.base import Identity, Process, ShellName
from truetty.host.wall import Sandbox
from truetty.service.capacity import Capacity, Shared
from truetty.service.idle import Clock
from truetty.service.registry import MOST_TERMINALS
from truetty.service.registry import Registry as AsyncRegistry
from truetty.service.reuse import Limits
from truetty.service.seat_request import Directory, Make
from truetty.settings import Settings
from truetty.store.output import Output as AsyncOutput
from truetty.store.reads import PAGE_LENGTH
from truetty.store.search import Match
from truetty.store.transcript import Range
from truetty.store.transcript import Transcript as AsyncTranscript
from truetty.sync.bridge import Face, face, face_or_none, iterate, keep, open_in_loop, then, unwrap, with_thread
from truetty.sync.loop import loop
from truetty.terminal.command import Activity
from truetty.terminal.command import Command as AsyncCommand
from truetty.terminal.options import Arguments, Making, Options
from truetty.terminal.recording import Recording as AsyncRecording
from truetty.terminal.recording import RecordingOptions
from truetty.terminal.terminal import Terminal as AsyncTerminal
from truetty.text.digest import Budget
from truetty.text.screen import Screen


class Output(Face[AsyncOutput]):
    """`terminal.command.output`: what one command has printed."""

    @property
    def bytes(self) -> int:
        """How many bytes the program has printed, those in a gap included."""
        return loop.ask(lambda: self._inner.bytes)

    @property
    def path(self) -> str | None:
        """The file with the whole transcript; None while that is in memory."""
        return loop.ask(lambda: self._inner.path)

    @property
    def complete(self) -> bool:
        """Whether every byte printed so far is stored."""
        return loop.ask(lambda: self._inner.complete)

    @property
    def missing(self) -> int:
        """How many bytes could not be stored."""
        return loop.ask(lambda: self._inner.missing)

    def raw(self) -> builtins.bytes:
        """The program's bytes as the pty gave them."""
        return loop.ask(lambda: self._inner.raw())

    def read(self, offset: int = 0, limit: int | None = None) -> builtins.bytes:
        """The bytes in [offset, offset + limit), those in a gap left out."""
        return loop.ask(lambda: self._inner.read(offset, limit))

    @property
    def lines(self) -> int:
        """Lines of the clean text; a last one without its newline counts."""
        return loop.call(lambda: self._inner.slices.lines())

    def text(self, budget: int | Budget | None = None, head: int | None = None, tail: int | None = None) -> str:
        """Clean text: all of it, within a budget of characters, or only the first and the last lines of it."""
        return loop.call(lambda: self._inner.slices.text(budget, head, tail))

    def page(self, offset: int = 0, limit: int = PAGE_LENGTH) -> str:
        """The characters [offset, offset + limit) of the clean text; "" behind its end."""
        return loop.call(lambda: self._inner.slices.page(offset, limit))

    def unread(self, budget: int | Budget | None = None) -> str:
        """Clean text that this method has not returned before."""
        return loop.call(lambda: self._inner.slices.unread(budget))

    def grep(self, pattern: str | re.Pattern[str], context: int = 0, limit: int | None = None) -> list[Match]:
        """Lines that the pattern is found in, with `context` lines around each; at most `limit` of them."""
        return loop.call(lambda: self._inner.slices.grep(pattern, context, limit))


class Transcript(Face[AsyncTranscript]):
    """All bytes of one terminal."""

    @property
    def size(self) -> int:
        """Bytes ever appended."""
        return loop.ask(lambda: self._inner.size)

    @property
    def path(self) -> str | None:
        """The file, with what is in memory written to it as well; None while everything is in memory."""
        return loop.ask(lambda: self._inner.path)

    @property
    def trouble(self) -> str | None:
        """Why the disk did not take what it was last given; None when it did."""
        return loop.ask(lambda: self._inner.trouble)

    def read(self, offset: int = 0, limit: int | None = None) -> bytes:
        """The bytes in [offset, offset + limit), those in a gap left out."""
        return loop.ask(lambda: self._inner.read(offset, limit))

    def gaps(self, start: int = 0, end: int | None = None) -> tuple[Range, ...]:
        """What could not be kept, as spans of offsets."""
        return loop.ask(lambda: self._inner.gaps(start, end))


class Recording(Face[AsyncRecording]):
    """Made by `Terminal.record`. It ends with its terminal, by `stop()`, or at the end of a `with`.

    What was shown before is in the file at once if it is a few megabytes.
    """

    @property
    def path(self) -> str:
        """Of its file."""
        return loop.ask(lambda: self._inner.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        loop.ask(lambda: self._inner.__exit__(kind, error, trace))

    @property
    def stopped(self) -> bool:
        """Whether its file is complete: by `stop()`, or because the terminal was closed."""
        return loop.ask(lambda: self._inner.stopped)

    @property
    def trouble(self) -> str | None:
        """Why it ended before its time, if it did."""
        return loop.ask(lambda: self._inner.trouble)

    def stop(self, exit_code: int | None = None) -> None:
        """Record no more; what was shown so far is in the file, and an `exit_code` as its end. Safe to call twice."""
        loop.ask(lambda: self._inner.stop(exit_code))


class Command(Face[AsyncCommand]):
    """Made by `Terminal.start`. Everything it says is live until `outcome` is there; then it is final."""

    @property
    def id(self) -> str:
        """Such as "t1-3"."""
        return loop.ask(lambda: self._inner.id)

    @property
    def terminal_id(self) -> str:
        """Such as "t1"."""
        return loop.ask(lambda: self._inner.terminal_id)

    @property
    def text(self) -> str:
        """As it was given."""
        return loop.ask(lambda: self._inner.text)

    @property
    def output(self) -> Output:
        """All it has printed so far."""
        return loop.ask(lambda: face(Output, self._inner.output))

    @property
    def reached(self) -> Reached | None:
        """What the last wait came back for."""
        return loop.ask(lambda: self._inner.reached)

    @property
    def state(self) -> State:
        """finished, running, waiting or lost, at this moment."""
        return loop.ask(lambda: self._inner.state)

    @property
    def outcome(self) -> Outcome | None:
        """None until the end, then final."""
        return loop.ask(lambda: self._inner.outcome)

    @property
    def exit_code(self) -> int | None:
        """None while it runs, and where it is unknown."""
        return loop.ask(lambda: self._inner.exit_code)

    @property
    def finished(self) -> bool:
        """Whether it has ended, in whatever way."""
        return loop.ask(lambda: self._inner.finished)

    @property
    def timed_out(self) -> bool:
        """Whether its own time-out has passed."""
        return loop.ask(lambda: self._inner.timed_out)

    @property
    def waiting(self) -> Waiting | None:
        """The program that reads the keyboard, and what it asks; None if none does. Only the output's end is read."""
        return loop.ask(lambda: self._inner.waiting)

    @property
    def reader(self) -> Identity | None:
        """The program that reads the keyboard, as the kernel says. None: none does, or that is unknown."""
        return loop.ask(lambda: self._inner.reader)

    @property
    def unread(self) -> bool:
        """Whether there is output that neither a wait nor `output.unread()` has returned."""
        return loop.ask(lambda: self._inner.unread)

    @property
    def reads_lines(self) -> bool:
        """Whether the tty gathers what is typed into lines."""
        return loop.ask(lambda: self._inner.reads_lines)

    @property
    def is_full_screen(self) -> bool:
        """Whether it has taken the alternate screen, as editors, pagers and dialogs do, and has not left it."""
        return loop.ask(lambda: self._inner.is_full_screen)

    @property
    def hides_typing(self) -> bool:
        """Whether what is typed now would not be shown, as at a password prompt."""
        return loop.ask(lambda: self._inner.hides_typing)

    @property
    def activity(self) -> Activity:
        """What it is doing: a build uses the CPU, a stuck program does not. No processes once it has ended."""
        return loop.ask(lambda: self._inner.activity)

    def events(self, coalesce: float | None = None) -> Iterator[events.Event]:
        """What happens to it, as it happens: `for event in command.events()`; see `truetty.events`.

        Output comes in pieces at least `coalesce` seconds apart, the terminal's if none are named; everything else,
        and the last piece, at once.
        """
        return iterate(loop.ask(lambda: self._inner.events(coalesce)))

    def wait(self, timeout: float | None = None, until: str | re.Pattern[str] | Until = "settled") -> Outcome:
        """Wait, at most `timeout` seconds, and return how things stand. It never ends the command.

        `until` is one of:

        - `"settled"`: it has finished, or newly waits for input
        - `"finished"`: it has finished
        - a compiled pattern: it is found in output that no earlier wait has returned
        - a value of `truetty.until`: `Match("ready", "failed")`, `Idle(2)`, `Port(8080)`, `Screen("Save?")`, `Input()`
        - the same in words, as agents write them: `"match:ready"`, `"idle:2"`, `"port:8080"`, `"input"`

        The command's end ends every wait. `outcome.reached` says what came: None, if `timeout` was over.
        """
        return loop.call(lambda: self._inner.wait(timeout, until))

    def report(self) -> Outcome:
        """How things stand now. Made in slices: a gigabyte of output takes seconds, and other tasks run meanwhile."""
        return loop.call(lambda: self._inner.report())

    def snapshot(self) -> Outcome:
        """How things stand now, made at once."""
        return loop.ask(lambda: self._inner.snapshot())

    def explain(self, *, text: bool = True) -> str:
        """Why its outcome says what it says: the evidence in plain words, what was seen and when.

        Without `text`, the command itself is left out of it.
        """
        return loop.ask(lambda: self._inner.explain(text=text))

    def standing(self) -> Outcome:
        """How things stand now, without the text: however much was printed, none of it is read for this."""
        return loop.ask(lambda: self._inner.standing())

    def send(self, text: str | bytes) -> None:
        """Type `text` as it is. A finished command takes nothing: that is an error, not a silent loss.

        So is a line of more than 4,095 bytes while the terminal is in line mode: it would keep no more of it.
        What is sent before the command has started is typed when it has. If it never does, or is cut, a note says so.
        """
        loop.call(lambda: self._inner.send(text))

    def check_lines(self, text: str) -> None:
        """Refuse what `type` would refuse of this text: a line of which the terminal would keep a part only."""
        loop.ask(lambda: self._inner.check_lines(text))

    def press(self, *names: str) -> None:
        """Press keys by name: "Enter", "C-c", "Up", "F5"."""
        loop.call(lambda: self._inner.press(*names))

    def type(self, text: str, *names: str) -> None:
        """Type `text`, then press keys by name, in one write. A name that no key has is refused before that."""
        loop.call(lambda: self._inner.type(text, *names))

    def interrupt(self) -> bool:
        """Ctrl-C, or SIGINT to the foreground where the tty would not make it one. False: it had finished already."""
        return loop.call(lambda: self._inner.interrupt())

    def stop(self) -> Outcome:
        """End it: Ctrl-C, then SIGTERM, then SIGKILL to the command's processes. The shell goes on.

        The outcome says how it ended. If even that did not end it, a note says so.
        """
        return loop.call(lambda: self._inner.stop())

    def kill(self) -> Outcome:
        """The same as `stop`."""
        return loop.call(lambda: self._inner.kill())


class Terminal(Face[AsyncTerminal]):
    """`with Terminal("bash") as terminal: outcome = terminal.run("make", wait=60)`."""

    def __init__(self, shell: ShellName = None, **arguments: Unpack[Arguments]) -> None:
        """The arguments are the fields of `Options`, by name."""
        super().__init__(open_in_loop(lambda: AsyncTerminal(shell, **with_thread(arguments))))

    @property
    def id(self) -> str:
        """Such as "t1"."""
        return loop.ask(lambda: self._inner.id)

    @property
    def options(self) -> Options:
        """What it was made with."""
        return loop.ask(lambda: self._inner.options)

    @property
    def name(self) -> str | None:
        """What the caller has called it."""
        return loop.ask(lambda: self._inner.name)

    @name.setter
    def name(self, value: str | None) -> None:
        loop.ask(lambda: setattr(self._inner, "name", value))

    @property
    def task(self) -> str | None:
        """Of a registry: the task that holds it."""
        return loop.ask(lambda: self._inner.task)

    @task.setter
    def task(self, value: str | None) -> None:
        loop.ask(lambda: setattr(self._inner, "task", value))

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return loop.ask(lambda: self._inner.size)

    @property
    def transcript(self) -> Transcript:
        """All bytes that it has printed."""
        return loop.ask(lambda: face(Transcript, self._inner.transcript))

    @property
    def command(self) -> Command | None:
        """The last one that was started."""
        return loop.ask(lambda: face_or_none(Command, self._inner.command))

    @classmethod
    def open(cls, shell: ShellName = None, **arguments: Unpack[Arguments]) -> Self:
        """A terminal whose shell is at its first prompt (or has used up its `startup` time)."""
        made = cls.__new__(cls)
        Face.__init__(made, keep(loop.call(lambda: AsyncTerminal.open(shell, **with_thread(arguments)))))
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def shell(self) -> str:
        """The name of its shell: bash, zsh, fish; or of the program that was started in its place."""
        return loop.ask(lambda: self._inner.shell)

    @property
    def pid(self) -> int | None:
        """The process id of its shell. None: it is not open yet."""
        return loop.ask(lambda: self._inner.pid)

    @property
    def cwd(self) -> str | None:
        """Where the shell is, as the kernel says; where it last was, once it is gone. None: not known, or removed."""
        return loop.ask(lambda: self._inner.cwd)

    @property
    def busy(self) -> bool:
        """Whether a command runs in it: the next one would be refused with `Busy`."""
        return loop.ask(lambda: self._inner.busy)

    @property
    def closed(self) -> bool:
        """By `close()`, or because its shell has ended."""
        return loop.ask(lambda: self._inner.closed)

    @property
    def exit_code(self) -> int | None:
        """Of the shell, once it has ended; 128+n if a signal ended it."""
        return loop.ask(lambda: self._inner.exit_code)

    @property
    def jobs(self) -> list[Process] | None:
        """Living processes that commands have started in it. None: they cannot be seen, so some may be there.

        Once the shell has ended by itself, its jobs cannot be told from other processes.
        """
        return loop.ask(lambda: self._inner.jobs)

    @property
    def strategy(self) -> Strategy:
        """How commands are followed: "rich" by marks of the shell, "basic" by the kernel alone, "none" not at all."""
        return loop.ask(lambda: self._inner.strategy)

    def run(
        self, command: str, *, wait: float | None = None, timeout: float | None = None, kill_after: float | None = None
    ) -> Outcome:
        """Run a command and return when it has finished, waits for input, or `wait` seconds have passed.

        `wait` is patience: the command goes on after it. `timeout` ends the command; `kill_after` is its other name.
        To run it elsewhere: `run("cd /srv && make")`, or a terminal of its own with `Terminal(cwd="/srv")`.
        """
        return loop.call(lambda: self._inner.run(command, wait=wait, timeout=timeout, kill_after=kill_after))

    def start(self, command: str, *, timeout: float | None = None, kill_after: float | None = None) -> Command:
        """Start a command and return at once. `timeout`, or `kill_after`, ends it after so many seconds."""
        return loop.call(
            lambda: then(
                self._inner.start(command, timeout=timeout, kill_after=kill_after), lambda it: face(Command, it)
            )
        )

    def send(self, text: str | bytes) -> None:
        """Type `text` as it is to the program that reads this terminal."""
        loop.call(lambda: self._inner.send(text))

    def press(self, *names: str) -> None:
        """Press keys by name: "Enter", "C-c", "Up", "F5"."""
        loop.call(lambda: self._inner.press(*names))

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as a window would that a person drags."""
        loop.call(lambda: self._inner.resize(columns, rows))

    def screen(self) -> Screen:
        """What a person would see now, or saw last: lines, cursor, size, title."""
        return loop.ask(lambda: self._inner.screen())

    def picture(self, *, title: str | None = None, cursor: bool = True, theme: str = "dark", crop: bool = False) -> str:
        """The same as an SVG. With a `title`, there is a bar above it that says it. `theme` is "dark" or "light".

        `crop` leaves out the columns at the right in which nothing stands.
        """
        return loop.ask(lambda: self._inner.picture(title=title, cursor=cursor, theme=theme, crop=crop))

    def shown(self, since: int = 0) -> tuple[int, bytes]:
        """What viewers see from this place on, about a megabyte at most, and the place where the next of it begins."""
        return loop.ask(lambda: self._inner.shown(since))

    def record(self, path: str | os.PathLike[str], **options: Unpack[RecordingOptions]) -> Recording:
        """Write to a file, as an asciicast, all that was shown from the beginning, and what will be until the end."""
        return loop.call(lambda: then(self._inner.record(path, **options), lambda it: face(Recording, it)))

    def close(self, *, keep_jobs: bool = False) -> None:
        """End the shell and everything it started, and let go of everything. Safe to call twice.

        With `keep_jobs` the shell alone is ended. What it has left in the background goes on, and what that prints to
        the terminal is read and thrown away. In a sandbox nothing goes on.
        """
        loop.call(lambda: self._inner.close(keep_jobs=keep_jobs))
        loop.forget(self._inner)


class Registry(Face[AsyncRegistry]):
    """`with Registry(limit=20) as registry: terminal = registry.acquire("/project", task="fix")`.

    `limit` terminals at most, `per_task` of them for one task; one that was not used for `idle` seconds is closed, held
    or not; `warm` shells are kept ready for callers to come. The rest is what terminals are made with by default. For
    tests there are `make`, which makes a terminal, and `clock`, which says when `idle` is over.
    """

    def __init__(
        self,
        *,
        limit: int | Capacity | None = MOST_TERMINALS,
        per_task: int | None = None,
        idle: float | None = None,
        warm: int = 0,
        shell: ShellName = None,
        cwd: Directory = None,
        make: Make | None = None,
        clock: Clock | None = None,
        **defaults: Unpack[Making],
    ) -> None:
        super().__init__(
            open_in_loop(
                lambda: AsyncRegistry(
                    limit=limit,
                    per_task=per_task,
                    idle=idle,
                    warm=warm,
                    shell=shell,
                    cwd=cwd,
                    make=make,
                    clock=clock,
                    **with_thread(defaults),
                )
            )
        )

    @property
    def limits(self) -> Limits:
        """Terminals in all, and for each task."""
        return loop.ask(lambda: self._inner.limits)

    @property
    def idle(self) -> float | None:
        """Seconds after which an unused terminal is closed; None: never."""
        return loop.ask(lambda: self._inner.idle)

    @classmethod
    def from_settings(
        cls, settings: Settings, *, cwd: Directory = None, shared: Shared | None = None, make: Make | None = None
    ) -> Self:
        """`cwd` is where terminals are if the settings name no workspace; `shared` is what several registries have
        together; `make` makes terminals."""
        made = cls.__new__(cls)
        Face.__init__(
            made, open_in_loop(lambda: AsyncRegistry.from_settings(settings, cwd=cwd, shared=shared, make=make))
        )
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def explain_rest(self, rest: str) -> None:
        """Where the readers of outcomes find what these leave out, unless this was said already."""
        loop.ask(lambda: self._inner.explain_rest(rest))

    def get(self, id: str) -> Terminal:
        """The terminal with this id; also one whose shell has ended, for its output can still be read."""
        return loop.ask(lambda: face(Terminal, self._inner.get(id)))

    def list(self) -> builtins.list[Terminal]:
        """Those that are open, in the order in which they were opened."""
        return loop.ask(lambda: [face(Terminal, each) for each in self._inner.list()])

    @property
    def warm(self) -> int:
        """How many shells are ready that no caller has got yet."""
        return loop.ask(lambda: self._inner.warm)

    @property
    def completed(self) -> tuple[Command, ...]:
        """Finished commands with unread output, oldest first. Reading the output takes a command out."""
        return loop.ask(lambda: tuple([face(Command, each) for each in self._inner.completed]))

    def acquire(
        self,
        cwd: Directory = None,
        *,
        task: str | None = None,
        require_cwd: bool = False,
        shell: ShellName = None,
        caller: object = None,
        inherited: Mapping[str, str] | None = None,
        **arguments: Unpack[Making],
    ) -> Terminal:
        """A terminal in `cwd` that no other caller uses: one of the task's, a free one, or a new one.

        An idle one elsewhere is taken there, unless `require_cwd`. Without `cwd` a task gets its own as it left it.
        `caller` tells callers of one task apart. `inherited` are the variables that a new terminal inherits, in place
        of this program's. Everything `Terminal` takes may be named; what is not is as the registry was made with.
        """
        caller = current_thread() if caller is None else caller
        return loop.call(
            lambda: then(
                self._inner.acquire(
                    cwd,
                    task=task,
                    require_cwd=require_cwd,
                    shell=shell,
                    caller=caller,
                    inherited=inherited,
                    **with_thread(arguments),
                ),
                lambda it: face(Terminal, it),
            )
        )

    def open(
        self,
        shell: ShellName = None,
        *,
        cwd: Directory = None,
        task: str | None = None,
        inherited: Mapping[str, str] | None = None,
        **arguments: Unpack[Making],
    ) -> Terminal:
        """A new terminal, which is the caller's until it is closed. The arguments are those of `acquire`."""
        return loop.call(
            lambda: then(
                self._inner.open(shell, cwd=cwd, task=task, inherited=inherited, **with_thread(arguments)),
                lambda it: face(Terminal, it),
            )
        )

    def map(self, tasks: Tasks, **arguments: Unpack[MapArguments]) -> Iterator[TaskResult]:
        """Run tasks, so many at once, each in a new terminal: `for result in registry.map(tasks)`.

        A task is a `truetty.Task`, or a mapping with its names: `{"id": "1", "commands": ["make", "make test"]}`. Its
        commands run one after the other until one fails. `at_once` tasks run at the same time. `out` is a file of
        results: a second run goes on from it. A task whose result is one of `retry` (states, or a function) is begun
        up to `attempts` times. `again`: so are tasks that an earlier run has begun and not finished. `on_start` is
        called when a task's terminal is open. The rest is what terminals are made with.
        """
        return iterate(loop.ask(lambda: self._inner.map(tasks, **with_thread(arguments))))

    def release(self, task: str | Terminal, *, caller: object = None) -> builtins.list[Terminal]:
        """Let go of all terminals of a task; or of one terminal, which its task keeps if it has one.

        Nothing is closed, and what runs goes on. A terminal that another caller was given meanwhile is left alone.
        """
        caller = current_thread() if caller is None else caller
        return loop.ask(lambda: [face(Terminal, each) for each in self._inner.release(unwrap(task), caller=caller)])

    @property
    def sandbox(self) -> Sandbox | None:
        """In which terminals are unless something else is asked for."""
        return loop.ask(lambda: self._inner.sandbox)

    def close(self) -> None:
        """Close every terminal and give out no more. Ids stay valid. Safe to call twice."""
        loop.call(lambda: self._inner.close())
        loop.forget(self._inner)
