"""What a command that waits asks, from the end of its output or from the screen it has drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from truetty.core.outcome import Waiting
from truetty.core.reader_watch import KeyboardReader
from truetty.questions.dialogs import is_frame
from truetty.questions.prompts import Description, describe
from truetty.store.output import Output
from truetty.terminal.viewer import Viewer
from truetty.text.clean import clean

# A question and what belongs to it; a library that draws empty rows below it needs more than the line itself.
TAIL: Final = 16 * 1024
LINES: Final = 60


@dataclass(frozen=True, slots=True)
class Question:
    """What callers are told of it, how the rules see it, and the last lines."""

    waiting: Waiting
    description: Description
    lines: list[str]


def describe_waiting(reader: KeyboardReader, output: Output, viewer: Viewer) -> Question:
    lines, cursor = _tail(output) if reader.kind != "fullscreen" else [], None
    if reader.kind == "fullscreen" or (reader.kind == "key" and is_frame(lines)):
        screen = viewer.look()
        lines, cursor = list(screen.lines), screen.cursor
    found = describe(reader.kind, reader.program, lines, cursor)
    waiting = Waiting(
        kind=reader.kind,
        prompt=found.prompt,
        program=reader.program,
        certain=reader.certain,
        asks=found.asks,
        choices=found.choices,
        labels=found.labels,
        default=found.default,
        hint=found.hint,
    )
    return Question(waiting, found, lines)


def _tail(output: Output) -> list[str]:
    return clean(output.read(max(0, output.bytes - TAIL))).split("\n")[-LINES:]
