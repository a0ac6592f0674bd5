"""Where one command's output begins and ends in the transcript.

Marks say it to the byte. Where none did, the prompt that follows the output is recognised if it can be, and said to
be part of the output if it cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from truetty.core import lazy
from truetty.core.signs import Mode
from truetty.questions import words
from truetty.shells.row import Row
from truetty.store.output import Output
from truetty.store.transcript import Transcript
from truetty.store.window import Window
from truetty.text.clean import clean
from truetty.text.progress import is_progress

# How much of the end of the output is searched for the prompt that no mark announced; prompts are shorter.
TAIL: Final = 4096
# Editors switch bracketed paste off before a line runs, and go to the next line before or after that.
_EDITOR_ENDS: Final = lazy.pattern(rb"\x1b\[\?2004l\r*\n?")
_NUMBER: Final = lazy.pattern(r"\d+")
# How much of the end of what was printed is drawn, if a command has ended on the alternate screen.
SCREEN_REACH: Final = 1 << 16
_ERASURE: Final = lazy.pattern(rb"\x1b(?:\[[23]J|c|\[\?(?:47|1047|1049)h)")  # a program that takes it again erases it
ON_SCREEN: Final = "it ended on the alternate screen, and did not leave it: what stood there is the end of the output"
TRACED: Final = 3  # lines of a trace from the file that prints D to the mark in it: mksh traces redirections too
UNSURE: Final = "the output may end with the shell's prompt: no mark told where it began"


# How much of what it gets the shell itself has printed; None: more must come to tell.
Preface = Callable[[bytes], int | None]


class Span:
    def __init__(
        self, transcript: Transcript, prompt_from: int | None, size: tuple[int, int], *, has_marks: bool = True
    ) -> None:
        """`prompt_from`: where the prompt began that stands there now, if a mark said so; `has_marks`: one could."""
        self._transcript = transcript
        self._from = end = transcript.size
        self._prompt = b""  # as it looked before this command
        if not has_marks:
            self._prompt = transcript.read(max(0, end - TAIL)).rpartition(b"\n")[2]
        elif prompt_from is not None and end - prompt_from <= TAIL:
            self._prompt = transcript.read(prompt_from)
        self._echo_lines = 0  # of what was typed, still to come back
        self._preface: Preface | None = None  # until it is known where it ends
        self._switch: Mode | None = None  # by which the alternate screen was taken, while the command has it
        self.window = Window(transcript, self._from, size)
        self.window.end_at(self._from)  # empty until it starts: what comes first is the echo of what we type
        self.output = Output(self.window)

    def start(self, at: int, preface: Preface | None = None) -> None:
        """`preface`: how much of what follows is the shell's own."""
        self._from = at
        self._switch = None
        self.window.begin(at)
        self._preface = preface
        if preface is not None:
            self.skip_preface()

    @property
    def has_preface(self) -> bool:
        return self._preface is not None

    def skip_preface(self, *, all_came: bool = False) -> None:
        """Until it is known where it ends, nothing is output. `all_came`: no more bytes will come."""
        assert self._preface is not None
        piece = self._transcript.read(self._from, TAIL)
        size = self._preface(piece)
        if size is None and len(piece) < TAIL and not all_came:
            self.window.end_at(self._from)
        else:
            self.start(self._from + (size or 0))

    def start_here(self, typed: bytes) -> None:
        """A program without marks: its output begins after the echo of what is about to be typed."""
        self._from = self._transcript.size
        self._echo_lines = typed.count(b"\n") or 1

    def start_behind_echo(self) -> None:
        """The shell's editor took the text, and no mark showed its start: output begins where the editor went away."""
        found = _EDITOR_ENDS.search(self._transcript.read(self._from))
        self.start(self._from + (found.end() if found else 0))

    def has_printed(self, end: int) -> bool:
        """Whether the shell has printed anything up to there since its editor went away."""
        data = self._transcript.read(self._from, end - self._from)
        found = _EDITOR_ENDS.search(data)
        return bool(data[found.end() if found else 0 :].strip())

    def printed(self, start: int, end: int) -> bytes:
        """The beginning of what came in [start, end)."""
        return self._transcript.read(start, min(end - start, TAIL))

    @property
    def echoing(self) -> bool:
        return self._echo_lines > 0

    def skip_echo(self) -> None:
        """As many lines as were typed, as far as they have come back."""
        while self._echo_lines:
            piece = self._transcript.read(self._from, TAIL)
            found = piece.find(b"\n")
            self._from += found + 1 if found >= 0 else len(piece)
            if found < 0 and len(piece) < TAIL:
                return
            self._echo_lines -= found >= 0
        self.start(self._from)

    def forget_prompt(self) -> None:
        """Another shell has another prompt."""
        self._prompt = b""

    def end_before_prompt(self, shell: Row) -> str | None:
        """End where the prompt began; returns what must be said of it, if anything."""
        size = self._transcript.size
        start = max(self._from, size - TAIL)
        tail = self._transcript.read(start)
        if self._prompt and tail.endswith(self._prompt):
            self.window.end_at(size - len(self._prompt))
            return None
        cut = shell.prompt_start(tail)
        if cut is None and self._is_prompt(self.last_line()):
            cut = tail.rfind(b"\n") + 1
        self.window.end_at(size if cut is None else start + cut)
        return UNSURE if cut is None else None

    def last_line(self) -> str:
        """The text on the last line of what was printed."""
        tail = self._transcript.read(max(self._from, self._transcript.size - TAIL))
        return clean(tail).rpartition("\n")[2]

    def last_text(self) -> str:
        """The end of the output."""
        output = self.output
        return clean(output.read(max(0, output.bytes - TAIL)))

    def ends_with_prompt(self) -> bool:
        """Whether the prompt that stood there before this command stands there again. Numbers in it may differ."""
        before, now = _without_numbers(clean(self._prompt)), _without_numbers(self.last_line())
        return bool(before.strip()) and now.endswith(before)

    def _is_prompt(self, line: str) -> bool:
        """Whether this line is that prompt and nothing else."""
        before = _without_numbers(clean(self._prompt))
        return bool(before.strip()) and _without_numbers(line) == before

    def line_is_open(self) -> bool:
        """Whether text stands on the last line of what was printed that may be a question."""
        line = self.last_line()
        return bool(line.strip()) and not is_progress(line) and not words.trails_off(line)

    @property
    def on_alternate_screen(self) -> bool:
        return self._switch is not None

    def on_mode(self, mode: Mode) -> None:
        if mode.name == "alternate-screen":
            self._switch = (self._switch or mode) if mode.on else None

    def show_last_screen(self) -> str | None:
        """The command has ended. On the alternate screen, what stands there is output; returns what must be said of it.

        Only what was drawn since the screen was last erased stands there.
        """
        switch, end = self._switch, self.window.visible()
        if switch is None or switch.start < self._from or switch.end > end:
            return None
        start = max(switch.end, end - SCREEN_REACH)
        drawn = self._transcript.read(start, end - start)
        if start > switch.end:
            first = max(0, drawn.find(b"\x1b"))  # not in the middle of a sequence
            start, drawn = start + first, drawn[first:]
        erased = max((erasure.end() for erasure in _ERASURE.finditer(drawn)), default=0)
        if not clean(drawn[erased:]).strip():
            return None
        self.window.show_screen(switch.start, start + erased)
        return ON_SCREEN

    def end_at_prompt(self, at: int, shell: Row) -> None:
        """P ends it: what the shell draws right before P is no output."""
        start = max(self._from, at - TAIL)
        self.end(at - shell.prompt_before_mark(self._transcript.read(start, at - start)))

    def before_trace(self, at: int, secret: str, file: str) -> int:
        """Where the lines begin, right before D, in which the shell shows how it prints D; else `at`.

        ksh93 and mksh trace to a saved descriptor, where no group hides it. `file`: what prints D, as its line ends.
        """
        start = max(self._from, at - TAIL)
        lines = self._transcript.read(start, at - start).splitlines(keepends=True)
        first = next((index for index, line in enumerate(lines) if secret.encode() in line), None)
        if first is None:
            return at
        begins = range(max(0, first - TRACED), first)
        first = next((index for index in begins if file.encode() in lines[index]), first)
        return start + sum(map(len, lines[:first]))

    def end(self, at: int | None = None) -> None:
        self.window.end_at(self._transcript.size if at is None else at)


def _without_numbers(text: str) -> str:
    return _NUMBER.sub("0", text.rpartition("\n")[2])
