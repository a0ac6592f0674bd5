"""Joins one channel to the command that runs on it, in four steps: feed, take events, write, act.

Rule 1: nothing here waits and nothing here decides that a command has ended; `core/command.py` does.
Rule 2: one timer, set to the machine's one deadline.
Rule 3: bytes are stored before they are looked at, and the secrets of our marks are blanked where they lie.
Rule 4: no byte of output is ever written back, but for three answers in fixed form to programs that wait for them.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from math import inf
from typing import Final

from truetty.channels.base import Channel, Ended
from truetty.core.command import Machine, Secrets, State, Want
from truetty.core.events import Event, Mark, Mode, Query
from truetty.core.observation import Observation
from truetty.core.outcome import Strategy, WaitingKind
from truetty.core.scanner import Scanner
from truetty.folder import Folder
from truetty.kernel.observation import Process
from truetty.shells import table
from truetty.shells.base import Asked, Shell, Typed
from truetty.transcript import Transcript
from truetty.window import Output

# A VT100 with advanced video, in good order, its cursor at home: true of no terminal in particular.
ANSWERS: Final[dict[str, bytes]] = {"DA1": b"\x1b[?1;2c", "DSR": b"\x1b[0n", "CPR": b"\x1b[1;1R"}
# busybox asks for the cursor at every prompt and leaves the answer to the next program (34 of 40 times).
DEAF: Final = frozenset({"busybox", "ash", "sh"})
# How much of the end of the output is searched for the prompt that no mark announced.
TAIL: Final = 4096
# `ESC ] 7717 ; C ;`: where a mark's secret begins.
BEFORE_SECRET: Final = 9


def secret() -> str:
    return secrets.token_urlsafe(16)


class Conversation:
    """What is going on between us and one shell. `changed` is called after anything did."""

    def __init__(
        self,
        channel: Channel,
        shell: Shell,
        folder: Folder | None,
        key: str,
        transcript: Transcript,
        changed: Callable[[], None],
        stop: Callable[[], None],
    ) -> None:
        self.shell = shell
        self.channel = channel
        self.observer = channel.observer
        self.transcript = transcript
        self.machine: Machine | None = None
        self.output: Output | None = None
        self.ended: Ended | None = None
        self.marked = False  # our marks are known to work
        self.hinted = False
        self.application_keys = False
        self.alternate_screen = False
        self.notes: list[str] = []
        self._folder = folder
        self._key = key
        self._changed = changed
        self._stop = stop
        self._loop = asyncio.get_running_loop()
        self._scanner = Scanner()
        self._timer: asyncio.TimerHandle | None = None
        self._serial = 0
        self._text: str | None = None
        self._secrets = Secrets("", "", "", key)
        self._free = False  # the prompt is ours: a trigger may be typed
        self._dirty = False  # keys were sent to the prompt since
        self._last_code = 0
        self._flags = ""
        self._paste = False
        self._unsure_modes = False
        self._mend_modes = False
        self._reaped: int | None = None
        self._prompt_from: int | None = None
        self._prompt = b""
        self._queries: list[str] = []
        self._background: set[int] = set()
        self._program = self.observer.program()
        self._echo_lines = 0
        self._output_from = 0
        self._files: list[str] = []
        self._concluded = True
        channel.attach(self)

    @property
    def free(self) -> bool:
        """The shell is at its prompt, and nothing was typed there."""
        return self._free and not self._dirty

    @property
    def strategy(self) -> Strategy:
        if self.marked:
            return "rich"
        return "basic" if self.hinted else "none"

    # -- commands

    def begin(self, text: str | None, limit: float = inf) -> Machine:
        """Take on one command; it is typed at once if the prompt is free, else when it is. None: just await the prompt."""
        now = self._loop.time()
        self._text = text
        self._serial += 1
        self._secrets = Secrets(secret(), secret(), secret(), self._key)
        self.notes = []
        self.machine = machine = Machine(
            self._secrets, now, shell=self.channel.pid, marked=self.shell.integrates, limit=limit
        )
        machine.alternate_screen = self.alternate_screen
        self.output = Output(self.transcript, self.transcript.size)
        self.output.end(self.transcript.size)  # empty until it starts: what comes first is the echo of the trigger
        self._concluded = False
        if self.free:
            self._send(now)
        self._act(now)
        return machine

    def type(self, data: bytes) -> None:
        """Keys for whoever reads the terminal now."""
        now = self._loop.time()
        self.channel.write(data)
        if self.machine is None or self.machine.state is State.ENDED:
            self._dirty = True
        else:
            self.machine.on_input(now)
            self._act(now)

    # -- the channel's side

    def on_data(self, data: bytes) -> None:
        now = self._loop.time()
        self.transcript.append(data)
        if self.machine is not None:
            self.machine.on_bytes(now)
        for event in self._scanner.feed(data):
            self._on_event(event, now)
        self._act(now)

    def on_end(self, ended: Ended) -> None:
        now = self._loop.time()
        self.ended = ended
        self._free = False
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
                self.transcript.blank(
                    event.start + BEFORE_SECRET, event.start + BEFORE_SECRET + len(event.secret)
                )
                in_front = self._on_mark(event)
            case Mode(name="bracketed-paste", on=on):
                self._paste = on
            case Mode(name="application-keys", on=on):
                self.application_keys = on
            case Mode(name="alternate-screen", on=on):
                self.alternate_screen = on
            case Query(name=name):
                self._on_query(name)
            case _:
                self.hinted = True
        machine = self.machine
        if machine is None or machine.state is State.ENDED:
            return
        started = machine.output_from
        machine.on_event(event, now, in_front=in_front)
        if machine.output_from != started and machine.output_from is not None:
            self._on_started(machine.output_from)
        elif isinstance(event, Mark) and event.secret in (self._secrets.start, self._key) and self.output is not None:
            self.output.hole(event.start, event.end)

    def _on_mark(self, mark: Mark) -> bool | None:
        if mark.letter == "P" and mark.secret == self._key:
            self.marked = True
            self._flags = mark.flags
            self._prompt_from = mark.end
            if self.machine is None or self.machine.state in (State.QUEUED, State.ENDED):
                self._free = True
                if self.machine is None or self._text is None:
                    self._last_code = mark.code or 0
                    self.observer.adopt_modes()  # a person's rc files may have chosen them
        elif mark.letter == "D" and mark.secret == self._secrets.end:
            self._flags = mark.flags
            self._prompt_from = mark.end
            self._check_modes()
        return self.observer.shell_in_front()

    def _on_started(self, at: int) -> None:
        self.marked = True
        self._restart_output(at)

    def _restart_output(self, at: int) -> None:
        assert self.output is not None
        self.output.restart(at)
        self._output_from = at

    def _check_modes(self) -> None:
        """A program may have left the tty in modes that would harm the next command.

        Right after it the shell has not yet put the tty into its editor's modes, so what we see is what was left
        behind. If the shell was faster than we, it cannot be told: then the next trigger sets the modes anyway, unless
        the shell has reaped no child, for then nobody was there to change them.
        """
        modes = self.observer.modes()
        self._mend_modes = modes.canonical and not modes.sane
        if modes.canonical:
            self._unsure_modes = False
        elif (reaped := self.observer.reaped()) != self._reaped or reaped is None:
            self._reaped = reaped
            self._unsure_modes = True

    # -- acting

    def _act(self, now: float) -> None:
        """After anything happened: do what the machine wants, tell the owner, set the one timer."""
        machine = self.machine
        if machine is not None:
            while machine.wants:
                match machine.wants.pop(0):
                    case Want.LOOK:
                        self._look(machine, now)
                    case Want.SEND:
                        self._send(now)
                    case Want.ASK:
                        self._ask(machine, now)
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

    def _look(self, machine: Machine, now: float) -> None:
        if self.ended is not None:
            return
        seen = self.observer.observe()
        self.channel.pump()  # what was printed before the look must be known before it counts
        if machine.state is State.ENDED:
            return
        if machine.output_from is not None and len(self._files) > 1:
            # It has run for a while, so its text was read; the end mark's file is needed to the end.
            self._drop_files([name for name in self._files if name[0] != "d"])
            self._files = [name for name in self._files if name[0] == "d"]
        self._answer(seen)
        machine.on_observation(seen, now)
        if machine.state is State.QUEUED and machine.waiting is not None and seen.reader == self.channel.pid:
            self._on_first_read(machine.waiting.kind)

    def _on_first_read(self, kind: WaitingKind) -> None:
        """An unknown program reads for the first time: that must be its prompt, and is learnt as such."""
        if not self.shell.integrates and not self.observer.knows_prompt and kind != "secret":
            self.observer.learn()

    def _send(self, now: float) -> None:
        machine = self.machine
        assert machine is not None
        if self._text is None:
            self._free = True
            self.machine = None
            return
        if self._dirty:
            self._dirty = False
            keys = self.shell.clear_line()
            self.channel.write(keys)
            if keys == b"\x03":
                return  # Ctrl-C swallows what comes right after it: wait for the next prompt
        if not self.shell.integrates:
            self._restart_output(self.transcript.size)
        if self._prompt_from is not None and self.transcript.size - self._prompt_from <= TAIL:
            self._prompt = self.transcript.read(self._prompt_from)
        asked = Asked(
            folder=self._folder.path if self._folder is not None else "",
            serial=self._serial,
            text=self._text,
            start=self._secrets.start,
            end=self._secrets.end,
            last_code=self._last_code,
            flags=self._flags,
            paste=self._paste,
            mend=self._mending(),
        )
        typed = self.shell.trigger(asked)
        self._write_files(typed)
        consumed = self.observer.consumed()
        self.channel.write(typed.line)
        self._free = False
        self._queries.clear()
        self._echo_lines = 0 if self.shell.integrates else typed.line.count(b"\n") or 1
        machine.on_send(now, consumed + len(typed.line) if consumed is not None else 0)

    def _write_files(self, typed: Typed) -> None:
        if self._folder is not None:
            self._folder.write_all(typed.files)
            number = str(self._serial)
            self._files += [name for name in typed.files if name[1:] == number]

    def _drop_files(self, names: list[str]) -> None:
        assert self._folder is not None or not names
        for name in names:
            self._folder.drop(name)

    def _mending(self) -> str:
        if self.shell.edits_lines:
            word = self.observer.given_modes() if self._mend_modes or self._unsure_modes else None
            return f"stty {word} </dev/tty" if word else ""
        if not self.observer.modes().sane:
            self.observer.mend()
        return ""

    def _ask(self, machine: Machine, now: float) -> None:
        program = self.observer.program()
        if program is not None and program != self._program:
            self._program = program
            self.shell = table.recognise(program)
            self.notes.append(f"the shell is now {self.shell.name}")
        self.marked = False
        self._flags = ""
        typed = None
        if self._folder is not None and self.shell.integrates:
            typed = self.shell.heal(
                folder=self._folder.path, serial=self._serial, secret=self._secrets.answer, key=self._key
            )
        # The end of the output is where the prompt began, before our question is echoed there.
        if machine.output_from is not None and self.output is not None:
            self.output.end(self._output_end())
        if typed is None:
            machine.on_silence(now)
            return
        self._write_files(typed)
        consumed = self.observer.consumed()
        self.channel.write(typed.line)
        machine.on_ask(now, consumed + len(typed.line) if consumed is not None else 0)

    def _output_end(self) -> int:
        """Where the output ended when no mark says so: before the prompt, if that can be recognised."""
        size = self.transcript.size
        start = max(self._output_from, size - TAIL)
        tail = self.transcript.read(start)
        if self._prompt and tail.endswith(self._prompt):
            return size - len(self._prompt)
        cut = self.shell.prompt_start(tail)
        if cut is not None:
            return start + cut
        self.notes.append("the output may end with the shell's prompt: no mark told where it began")
        return size

    def _skip_echo(self) -> None:
        """A program without marks echoes what is typed to it: as many lines as were typed."""
        head = self.transcript.read(self._output_from, len(self._text or "") * 4 + TAIL)
        at = 0
        for _ in range(self._echo_lines):
            at = head.find(b"\n", at) + 1
            if at == 0:
                return
        self._restart_output(self._output_from + at)

    def _conclude(self, machine: Machine) -> None:
        self._concluded = True
        ending, output = machine.ending, self.output
        assert ending is not None and output is not None
        if ending.at is not None:
            output.end(ending.at)
        elif ending.evidence == "kernel" and not self.shell.integrates:
            self._skip_echo()
            output.end(self._output_end())
        elif machine.output_from is not None and not machine.downgraded:
            output.end(self.transcript.size)
        self._loop.call_soon(self._drop_files, self._files)
        self._files = []
        self._queries.clear()
        if self.ended is None:
            self._free = True
            self._last_code = ending.code or 0
            if ending.evidence != "mark" or machine.downgraded:
                self._unsure_modes = True
            self._name_survivors()
        if not ending.proven:
            self.notes.append("the prompt came back, but nothing showed that the command had run")

    def processes(self) -> list[Process]:
        """What the running command has started and is still alive."""
        return [p for p in self.observer.children() if p.pid not in self._background]

    def _name_survivors(self) -> None:
        living = self.observer.children()
        if not living:
            self._background.clear()
            return
        # Whatever shares the shell's own group or holds the terminal now belongs to the prompt, not to the command.
        prompt = {self.channel.pid, self.observer.foreground()}
        new = [p for p in living if p.group not in prompt and p.pid not in self._background]
        self._background = {p.pid for p in living}
        if new:
            names = ", ".join(f"{p.name} ({p.pid})" for p in new)
            self.notes.append(f"still running in the background: {names}")

    # -- answering questions

    def _on_query(self, name: str) -> None:
        machine = self.machine
        if machine is None or machine.state in (State.QUEUED, State.ENDED):
            if self.shell.answers_queries:
                self.channel.write(ANSWERS[name])
        elif len(self._queries) < 16:  # nobody waits for more at once
            self._queries.append(name)

    def _answer(self, seen: Observation) -> None:
        """Only to a program that reads key by key right now; anywhere else the answer would be typed text."""
        if not self._queries or seen.seen != "waiting" or seen.kind not in ("key", "shell", "secret"):
            return
        if seen.program in DEAF or self.observer.modes().canonical:
            self._queries.clear()
            return
        for name in self._queries:
            self.channel.write(ANSWERS[name])
        self._queries.clear()
