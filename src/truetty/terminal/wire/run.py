"""One command on the wire: its machine, and where its output lies. Made for it, never reset.

Rule: the conversation changes it by the `on_…` methods; all other code only reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from truetty.core.life import State as MachineState
from truetty.core.machine import Machine
from truetty.core.observation import Observation
from truetty.core.outcome import State
from truetty.core.signs import Mark, Mode, Sign
from truetty.core.testimony import Secrets
from truetty.host.base import Ended, Process
from truetty.shells.row import Row
from truetty.terminal.wire.early_keys import EarlyKeys
from truetty.terminal.wire.span import Preface, Span
from truetty.terminal.wire.survivors import Survivors

LOST: Final = "the command did not run: its line never reached the shell"
STRANGERS: Final = "; this terminal is also read by {}"
UNPROVEN: Final = "the prompt came back, but nothing showed that the command had run"
SHELL_ENDED: Final = "the shell ended, and nothing showed that the command had run"
UNFINISHED: Final = "the text is not complete: the shell asked for the rest of it, and was interrupted"
FOLDER_GONE: Final = "the exit code is unknown: {} or a file in it was removed while the command ran"


class ShellFacts(NamedTuple):
    """What is true of the shell at one moment. When a command ends, it is kept for its outcome."""

    cwd: str | None
    closed: bool


class Run:
    def __init__(self, text: str | None, serial: int, secrets: Secrets, machine: Machine, span: Span) -> None:
        self.text: Final = text  # None: nothing is run, the prompt is awaited
        self.serial: Final = serial
        self.secrets: Final = secrets
        self.machine: Final = machine
        self.reader: Final = machine.reader
        self.span: Final = span
        self.notes: Final[list[str]] = []
        self.early_keys: Final = EarlyKeys()
        self.read_before: int | None = None  # how many bytes the shell had read when its line was typed
        self.preface: Preface | None = None  # what that shell prints between its mark C and the output
        self.lost_interrupt = False  # Ctrl-C went to the shell itself, which tells 0 after a loop of its own
        self._message_from: int | None = None  # where a message of the shell's own has begun
        self.time_is_over = False  # its own time-out has passed
        self.marks_came_back = False  # our marks did not work when it began, and do now
        self.shell_then: ShellFacts | None = None  # when it ended
        self.survivors: Survivors | None = None  # since it ended, if it has left any behind

    # -- what happens to it

    def on_bytes(self, now: float, *, reader_ran: bool) -> None:
        self.machine.on_bytes(now, reader_ran=reader_ran)
        if self.span.echoing:
            self.span.skip_echo()
        elif self.span.has_preface:
            self.span.skip_preface()

    def on_sign(
        self, sign: Sign, now: float, shell: Row, *, in_front: bool | None, is_echo: Callable[[bytes], bool]
    ) -> bool:
        """Returns whether its output begins with this sign. `is_echo`: whether these bytes are our own line."""
        machine, before = self.machine, self.machine.testimony.output_from
        if isinstance(sign, Mode):
            self.span.on_mode(sign)
        again = isinstance(sign, Mark) and sign.secret == self.secrets.start and not self.by_editor
        if before is not None and again and is_echo(self.span.printed(before, sign.start)):
            machine.on_echo(sign.start)
        machine.on_event(sign, now, in_front=in_front)
        if machine.testimony.output_from is not None and machine.testimony.output_from != before:
            self.span.start(machine.testimony.output_from, self.preface)
            return True
        if isinstance(sign, Mark) and self._is_ours(sign):
            self.span.window.leave_out(sign.start, sign.end)
            if sign.letter == "J":
                self._on_message(sign)
            if sign.letter in "DP" and (claimed := machine.testimony.claimed) is not None:
                self._end_at(claimed, shell)  # as it seems; looks will tell
        return False

    def _end_at(self, mark: Mark, shell: Row) -> None:
        """What the shell draws right before P is no output either."""
        if mark.letter == "P":
            self.span.end_at_prompt(mark.start, shell)
        else:
            self.span.end(mark.start)

    def _is_ours(self, mark: Mark) -> bool:
        return mark.secret == self.secrets.start or self.secrets.lines.knows_prompt(mark)

    def _on_message(self, mark: Mark) -> None:
        """J: the shell's own message about another job begins, or has ended."""
        if self._message_from is None:
            self._message_from = mark.start
        else:
            self.span.window.leave_out(self._message_from, mark.end)
            self._message_from = None

    def on_look(self, seen: Observation, now: float, shell: Row) -> None:
        claimed = self.machine.testimony.claimed
        if self._is_secret(seen, shell):
            seen = replace(seen, kind="secret")
        self.machine.on_observation(seen, now, line_open=seen.listens and self.span.line_is_open())
        if claimed is not None and self.machine.testimony.claimed is None and self.machine.ending is None:
            self.span.window.end_at(None)  # it was no prompt after all: the output goes on

    def _is_secret(self, seen: Observation, shell: Row) -> bool:
        """Whether the shell's own `read` hides what is typed, though the tty's modes do not show it."""
        if shell.hides_input is None or seen.kind not in ("line", "continuation") or seen.program not in shell.names:
            return False
        return self.started and self.text is not None and shell.hides_input(self.text, self.span.last_line())

    def on_shell_end(self, ended: Ended, now: float) -> None:
        if ended.code is None and ended.signal is None:
            self.machine.on_lost(now)
        else:
            self.machine.on_exit(ended.code, ended.signal, now)

    def on_prompt_without_mark(self, shell: Row) -> None:
        """Its output ends before the prompt that stands there, as far as that can be recognised."""
        if note := self.span.end_before_prompt(shell):
            self.notes.append(note)

    @property
    def concluded(self) -> bool:
        """It has ended, and what is true of it for ever is settled."""
        return self.shell_then is not None

    def conclude(self, shell: Row, facts: ShellFacts, *, shell_ended: bool, strangers: Sequence[Process] = ()) -> None:
        """It has ended: settle where its output does. `strangers`: processes of other sessions that read the tty."""
        self.shell_then = facts
        if self.span.has_preface:
            self.span.skip_preface(all_came=True)
        ending, machine = self.machine.ending, self.machine
        assert ending is not None
        if ending.at is not None:
            if machine.testimony.output_from is None:
                self.span.start_behind_echo()
            if ending.at_prompt:
                self.span.end_at_prompt(ending.at, shell)
            elif self.by_editor:
                self.span.end(ending.at)
            else:
                self.span.end(self.span.before_trace(ending.at, self.secrets.end, f"/d{self.serial}"))
        elif machine.downgraded:
            pass  # it was settled when the prompt came without a mark
        elif not shell.has_marks and not shell_ended:
            self.on_prompt_without_mark(shell)
        elif not shell.has_marks or machine.testimony.output_from is not None:
            self.span.end()
        if note := self.span.show_last_screen():
            self.notes.append(note)
        if self.early_keys:
            why = "it ended first" if machine.testimony.started else "it never started"
            self.notes.append(f"{len(self.early_keys)} bytes that were sent to it were not typed: {why}")
        if not ending.proven:
            names = ", ".join(f"{one.name} ({one.pid})" for one in strangers)
            unproven = SHELL_ENDED if ending.evidence == "exit" else UNPROVEN
            self.notes.append((LOST if ending.lost else unproven) + (STRANGERS.format(names) if names else ""))

    # -- what is true of it

    @property
    def by_editor(self) -> bool:
        """The shell's own editor got it."""
        return self.secrets.are_of_line

    @property
    def started(self) -> bool:
        return self.machine.testimony.output_from is not None or self.machine.state is MachineState.RUNNING

    @property
    def holds_keys(self) -> bool:
        """Whether keys that are sent must wait for its start. Now the prompt would get them."""
        ahead = self.machine.state in (MachineState.QUEUED, MachineState.SENT) and self.text is not None
        return ahead and self.reader.waiting is None

    @property
    def state(self) -> State:
        if self.machine.ending is not None:
            return "lost" if self.machine.ending.evidence is None else "finished"
        return "waiting" if self.machine.reader.waiting is not None else "running"

    @property
    def healed(self) -> bool:
        """They did not work, and work again."""
        return self.machine.healed or (self.marks_came_back and not self.machine.downgraded)
