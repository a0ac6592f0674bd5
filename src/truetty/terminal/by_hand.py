"""What is run in a terminal while a person types into it: read from what the shell prints.

Rule 1: a line counts when the shell has run it: mark C came, or, where the shell prints no C, Enter was typed and the
        next prompt has come. So an empty line and Ctrl-C at the prompt do not count.
Rule 2: the text is what stood behind the prompt on the screen when the line was run, with what had been typed there
        before the person came. The keys are not kept. Of keys that came before the prompt was drawn it is not known
        where they stand: the prompt may be in the text.
Rule 3: the exit code is that of the next prompt's mark. It is None where the line still runs, or the mark has none.
Rule 4: a command that ran already when the person came counts when it ends.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Final, NamedTuple

from truetty.core import marks
from truetty.core.signs import Mark
from truetty.terminal.command import Command
from truetty.terminal.wire.conversation import Conversation
from truetty.text.screen import Model

MOST_DEEDS: Final = 200
LONGEST_TEXT: Final = 1000  # characters of a line that are kept
LONGEST_LINE: Final = 64 << 10  # bytes in which a prompt and the line behind it are looked for
ROWS: Final = 60  # of the screen on which a prompt and its line are drawn
_ENTER: Final = frozenset(b"\r\n\x0f")  # Ctrl-O runs a line too
_CANCEL: Final = frozenset(b"\x03\x04\x07")  # keys after which the next prompt is another one


class Deed(NamedTuple):
    """A command line that was run."""

    text: str
    exit_code: int | None


class ByHand:
    """From now on, until `end`. `command` gives the last command that was started by a program."""

    def __init__(self, conversation: Conversation, command: Callable[[], Command | None]) -> None:
        self._conversation = conversation
        self._link = link = conversation.link
        self._command = command
        self._deeds: list[Deed] = []
        self._running = command()
        if self._running is not None and self._running.finished:
            self._running = None
        self._begins = link.prompt.begins_at  # where the prompt begins at which the person types
        # Where the keys begin; None: they came before the prompt was drawn, or it was drawn again.
        self._prompt_end = link.prompt.keys_at
        self._prompt = self._prompt_text()  # the last line of the last prompt whose end was seen
        self._typed = self._prompt_end is not None  # keys were typed at this prompt
        self._entered = False  # Enter was among them
        self._cancelled = False  # a key was among them that throws the line away
        self._ahead = False  # keys came behind it, which the next prompt may get
        link.prompt.listener = self.on_prompt

    def on_keys(self, data: bytes) -> None:
        """They are about to be typed."""
        if not self._typed:
            self._typed, self._prompt_end = True, self._link.transcript.size
            self._prompt = self._prompt_text() or self._prompt
        for byte in data:
            self._ahead = self._ahead or self._entered or self._cancelled
            self._entered = self._entered or byte in _ENTER
            self._cancelled = self._cancelled or byte in _CANCEL

    def look(self) -> None:
        """The terminal has changed."""
        if self._running is not None and self._running.finished:
            self._add(self._running.text, self._running.exit_code)
            self._running = None
            self._begin(self._link.prompt.begins_at)

    def on_prompt(self, mark: Mark) -> None:
        """The next prompt begins."""
        if self._running is not None:
            return
        line = self._line(mark.start)
        if line is not None:
            self._add(line, mark.code)
        if line is not None or self._entered or self._cancelled or not self._typed:
            self._begin(mark.end)
        else:  # the editor has drawn the same prompt again
            self._begins, self._prompt_end = mark.end, None

    def _begin(self, at: int | None) -> None:
        self._begins, self._prompt_end = at, None
        self._typed, self._ahead = self._ahead, False
        self._entered = self._cancelled = False

    def end(self) -> tuple[Deed, ...]:
        """What was run, the oldest first; at the end what still runs."""
        self.look()
        self._link.prompt.listener = None
        if self._running is None and (line := self._line(None)) is not None:
            self._add(line, None)
        return tuple(self._deeds)

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """What was run and has ended, so far."""
        return tuple(self._deeds)

    def note(self, text: str) -> None:
        """For the outcome of the command that runs, else for that of the next one."""
        command, run = self._command(), self._conversation.run
        runs = command is not None and not command.finished and run is not None
        (run.notes if runs and run is not None else self._link.next_notes).append(text)

    def take_note(self, text: str) -> None:
        """It was told already: the next command does not."""
        with contextlib.suppress(ValueError):  # it is the running command's
            self._link.next_notes.remove(text)

    def _add(self, text: str, code: int | None) -> None:
        self._deeds.append(Deed(text[:LONGEST_TEXT], code))
        del self._deeds[:-MOST_DEEDS]

    def _line(self, before: int | None) -> str | None:
        """The text behind the prompt, if the shell has run it. `before`: where the next prompt begins, if it has."""
        start = self._begins
        if start is None:
            return None
        window = self._link.transcript.read(
            start, LONGEST_LINE if before is None else min(LONGEST_LINE, before - start)
        )
        end = window.find(marks.opening("C"))
        if end < 0:
            if before is None or not self._entered or self._link.shell.editor is not None:
                return None
            behind = max(0, (self._prompt_end or start) - start)
            end = window.find(b"\n", behind)
        if end < 0:
            return None
        return self._drawn(start, start + end).strip() or None

    def _drawn(self, start: int, end: int) -> str:
        model = Model((self._link.size[0], ROWS))
        if self._prompt_end is not None and start <= self._prompt_end <= end:
            self._feed(model, start, self._prompt_end)
            column, row = model.cursor
            right = model.screen().lines[row][column:].strip()  # a prompt at the right margin
            self._feed(model, self._prompt_end, end)
            text = _joined(model.screen().lines[row:], self._link.size[0])[column:].rstrip()
            return text.removesuffix(right) if right else text
        self._feed(model, start, end)
        return _joined(model.screen().lines, self._link.size[0]).strip("\n").removeprefix(self._prompt)

    def _prompt_text(self) -> str:
        """The last line of the prompt that stands there."""
        if self._begins is None or self._prompt_end is None:
            return ""
        model = Model((self._link.size[0], ROWS))
        self._feed(model, self._begins, min(self._prompt_end, self._begins + LONGEST_LINE))
        column, row = model.cursor
        return model.screen().lines[row].ljust(column)[:column]

    def _feed(self, model: Model, start: int, end: int) -> None:
        for _, data in self._link.timeline.pieces(start, end):
            model.feed(data)


def _joined(lines: tuple[str, ...], columns: int) -> str:
    """A row that is full goes on in the next one."""
    text = "".join(line if len(line) == columns else f"{line}\n" for line in lines)
    return text.rstrip("\n")
