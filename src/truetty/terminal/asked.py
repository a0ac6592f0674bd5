"""What a command that waits asks, from the end of its output or from the screen it has drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from truetty.core.outcome import Waiting
from truetty.core.reader_watch import Reading
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


def describe_waiting(reading: Reading, output: Output, viewer: Viewer) -> Question:
    if reading.kind == "fullscreen":
        lines = list(viewer.look().lines)
    else:
        size = output.bytes
        lines = clean(output.read(max(0, size - TAIL))).split("\n")[-LINES:]
    found = describe(reading.kind, reading.program, lines)
    waiting = Waiting(
        kind=reading.kind,
        prompt=found.prompt,
        program=reading.program,
        certain=reading.certain,
        asks=found.asks,
        choices=found.choices,
        labels=found.labels,
        default=found.default,
        hint=found.hint,
    )
    return Question(waiting, found, lines)
