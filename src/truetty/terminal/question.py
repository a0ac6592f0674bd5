"""What a command that waits asks, from the end of its output or from the screen it has drawn."""

from __future__ import annotations

from typing import Final, NamedTuple

from truetty.core.outcome import Waiting
from truetty.core.reader_watch import KeyboardReader
from truetty.questions.description import Description
from truetty.store.output import Output
from truetty.terminal.viewer import Viewer
from truetty.terminal.wire.span import Span
from truetty.text.clean import clean
from truetty.text.screen import Screen

# A question and what belongs to it; a library that draws empty rows below it needs more than the line itself.
TAIL: Final = 16 * 1024
LINES: Final = 60


class Question(NamedTuple):
    """What callers are told of it, how the rules see it, and the last lines."""

    waiting: Waiting
    description: Description
    lines: list[str]


def describe_waiting(reader: KeyboardReader, span: Span, viewer: Viewer) -> Question:
    from truetty.questions.dialogs import is_frame  # most commands ask nothing, and end sooner without these two
    from truetty.questions.prompts import describe

    on_screen = span.on_alternate_screen or reader.kind == "fullscreen"
    lines, cursor = [] if on_screen else _tail(span.output), None
    if reader.kind == "fullscreen" or (reader.kind == "key" and is_frame(lines)):
        screen = viewer.look()
        lines, cursor = list(screen.lines), screen.cursor
    elif on_screen:
        lines = _above_cursor(viewer.look())
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


def _above_cursor(screen: Screen) -> list[str]:
    """What stands on the screen down to the cursor, which is behind the question."""
    column, row = screen.cursor
    *above, last = screen.lines[: row + 1]
    return [*above, last[:column].ljust(column)]


def _tail(output: Output) -> list[str]:
    return clean(output.read(max(0, output.bytes - TAIL))).split("\n")[-LINES:]
