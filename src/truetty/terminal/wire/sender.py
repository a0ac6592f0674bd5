"""Types a command at the prompt, and the question that heals a shell whose marks have stopped.

Rule: nothing is changed before the private files are written. OSError: they could not be, and nothing was typed.
"""

from __future__ import annotations

from collections.abc import Callable

from truetty.shells.row import CTRL_U, Typed
from truetty.store.timeline import Timeline
from truetty.terminal.wire.integration import Integration
from truetty.terminal.wire.open_line import LONGEST_LINE
from truetty.terminal.wire.processes import Processes
from truetty.terminal.wire.prompt import Prompt
from truetty.terminal.wire.run import UNFINISHED, Run
from truetty.terminal.wire.typist import Typist


class Sender:
    """`note` is called before a command is typed, `note_typed` afterwards."""

    def __init__(
        self,
        typist: Typist,
        prompt: Prompt,
        timeline: Timeline,
        integration: Integration,
        processes: Processes,
        note: Callable[[Run, Typed], None],
        note_typed: Callable[[Run], None],
    ) -> None:
        self._note = note
        self._note_typed = note_typed
        self._typist = typist
        self._prompt = prompt
        self._timeline = timeline
        self._integration = integration
        self._processes = processes

    def send(self, run: Run, now: float) -> None:
        """The trigger; or, where keys stand at the prompt, first what clears it."""
        assert run.text is not None
        typist, prompt = self._typist, self._prompt
        if prompt.keys_left or not self._integration.marks_work:
            typist.on_unmarked_prompt()  # a person, or a rc file, may have replaced the shell
        if prompt.keys_left:
            continuation = prompt.is_continuation
            prompt.on_clear()
            if not typist.clear(continuation=continuation):
                run.machine.on_clear(now)
                return
        shared = self._processes.may_read_keys
        typed = typist.command(run.text, run.secrets, run.serial, refused=run.by_editor, shared=shared)
        run.read_before = typist.consumed()
        self._note(run, typed)
        needed = typist.type(typed, run.serial, run.read_before)
        self._note_typed(run)
        self._on_typed(run, typed, needed, now)

    def on_typed_before(self, run: Run, typed: Typed, now: float, *, surely: bool) -> None:
        """A process before this one has typed it, or was about to."""
        if typed.by_editor:
            run.secrets.use_line()
        self._typist.own(typed, run.serial)
        self._on_typed(run, typed, 0 if run.read_before is None else run.read_before + len(typed.line), now)
        if not surely:
            run.machine.on_doubt()

    def _on_typed(self, run: Run, typed: Typed, needed: int, now: float) -> None:
        """`needed`: what the shell's count of bytes read must reach."""
        typist = self._typist
        assert run.text is not None
        self._prompt.on_trigger()
        editor = typist.shell.editor
        run.preface = None if editor is None or not (typed.by_editor and editor.prints_preface) else editor.preface
        if typed.by_editor:
            self._timeline.on_command(run.text)
        elif typist.shell.has_marks:
            self._timeline.hide_echo(typed.line)
        else:
            run.span.start_here(typed.line)
        run.machine.on_send(now, needed, pauses=typist.is_checking, whole=typed.by_editor)
        run.early_keys.on_trigger(now)

    def send_late(self, run: Run, now: float) -> None:
        """The same, when no caller is left that could get the error."""
        try:
            self.send(run, now)
        except OSError as error:
            run.notes.append(f"the command was not sent: {error.strerror}")
            run.machine.on_unsent(now)

    def end_pause(self, run: Run) -> None:
        """The shell reads a line before it runs the text (M): that line is sent."""
        run.machine.on_release(self._typist.end_pause())

    def cancel(self, run: Run) -> None:
        """The shell asks for the rest of the text: there is none."""
        run.notes.append(UNFINISHED)
        self._typist.cancel()

    def send_keys(self, run: Run | None, data: bytes, now: float) -> None:
        by_shell = self._typist.loses_interrupt()
        sending = self._typist.send(data)
        if run is not None and run.machine.ending is None:
            run.machine.on_input(now, sending.needed, wakes=sending.wakes)
            if sending.flushes:
                run.machine.on_flush()
                run.lost_interrupt = run.by_editor and by_shell
            if sending.cut is not None:
                kept = f"in line mode the terminal kept {LONGEST_LINE:,} of them"
                run.notes.append(f"a line of {sending.cut:,} bytes was typed: {kept}")

    def send_early_keys(self, run: Run, now: float) -> None:
        if run.early_keys:
            self.send_keys(run, run.early_keys.take(), now)

    def ask(self, run: Run, now: float) -> None:
        """The prompt is back without a mark: end the output there, ask for the exit code, and heal."""
        typist = self._typist
        self._integration.on_loss()
        status_is_ours = typist.has_end()
        if not typist.on_unmarked_prompt():
            status_is_ours = False
            run.span.forget_prompt()
            run.notes.append(f"the shell was replaced by another: {typist.shell.name}")
        if run.machine.testimony.output_from is not None:
            run.on_prompt_without_mark(typist.shell)
        typed = typist.question(run.secrets, run.serial)
        if typed is not None and run.by_editor and run.machine.testimony.output_from is None:
            typed = typed._replace(line=CTRL_U + typed.line)  # an editor without our keys has taken them as text
        try:
            needed = typist.type(typed, run.serial, typist.consumed()) if typed is not None else None
        except OSError:
            needed = None
        if typed is None or needed is None:
            run.machine.on_unaskable(now)
        else:
            self._timeline.hide_echo(typed.line)
            run.machine.on_ask(now, needed, status_is_ours=status_is_ours)
