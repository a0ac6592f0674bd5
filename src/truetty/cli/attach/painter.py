"""Draws a terminal on another one: the rows that have changed, and the part that fits.

Rule 1: a model of the screen is drawn, never the bytes: what a program asks the terminal is answered by the server, and
        a second answer would be typed.
Rule 2: of a screen that is larger than the window, the part with the cursor is shown.
Rule 3: a notice covers a row for a while: the first one, or the last one while the cursor is in the upper half. So it
        never covers the line that the person types, such as the prompt of a new shell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from truetty.text.drawing import Colour, Style, TextRun
from truetty.text.screen import Model

PLAIN = Style()


class Painter:
    """`write` gets the bytes for the person's terminal."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._drawn: list[str] = []
        self._size = (0, 0)  # of the window
        self._corner = (0, 0)  # of the part that is shown: column and row
        self._title: str | None = None

    def forget(self) -> None:
        """The window shows something else now: draw everything."""
        self._drawn = []

    def paint(self, model: Model, size: tuple[int, int], notice: str | None = None) -> None:
        columns, height = size
        cells, (column, row) = model.rows(), model.cursor
        if size != self._size:
            self._size, self._drawn = size, []
        self._corner = left, top = _corner(self._corner, (column, row), size, len(cells))
        rows = [_text(line, left, columns) for line in cells[top : top + height]]
        rows += [""] * (height - len(rows))
        if notice is not None:
            rows[0 if 2 * (row - top) >= height else height - 1] = f"\x1b[0;7m{notice[:columns].ljust(columns)}\x1b[0m"
        parts = ["\x1b[?2026h\x1b[?25l" if self._drawn else "\x1b[?2026h\x1b[?25l\x1b[0m\x1b[2J"]
        for at, text in enumerate(rows):
            if at >= len(self._drawn) or text != self._drawn[at]:
                parts.append(f"\x1b[{at + 1};1H{text}\x1b[0m\x1b[K")
        self._drawn = rows
        parts.append(f"\x1b[{row - top + 1};{column - left + 1}H")
        if model.screen().cursor_visible:
            parts.append("\x1b[?25h")
        if model.title != self._title and model.title is not None:
            self._title = model.title
            parts.append(f"\x1b]2;{model.title}\x07")
        parts.append("\x1b[?2026l")
        self._write("".join(parts).encode("utf-8", "replace"))


def _corner(before: tuple[int, int], cursor: tuple[int, int], size: tuple[int, int], height: int) -> tuple[int, int]:
    """The nearest to the one before with which the cursor is seen."""
    (left, top), (column, row), (columns, rows) = before, cursor, size
    left = min(max(left, column - columns + 1), column)
    top = min(max(top, row - rows + 1), row)
    return left if column >= columns else 0, max(0, min(top, height - rows))


def _text(line: Sequence[TextRun], left: int, columns: int) -> str:
    """The cells from this column on, so many of them, with their colours; blanks at the end are left out."""
    parts: list[tuple[str, Style]] = []
    for run in line:
        first, behind = max(run.column, left), min(run.column + run.columns, left + columns)
        if behind <= first:
            continue
        if run.columns == 2 and len(run.text) == 1:
            parts.append((run.text if behind - first == 2 else " ", run.style))
        else:
            parts.append((run.text[first - run.column : behind - run.column], run.style))
    while parts and parts[-1][1] == PLAIN and not parts[-1][0].rstrip():
        parts.pop()
    text, last = "", PLAIN
    for at, (piece, style) in enumerate(parts):
        if at == len(parts) - 1 and style == PLAIN:
            piece = piece.rstrip()
        text += (piece if style == last else f"{_colours(style)}{piece}") if piece else ""
        last = style
    return text


def _colours(style: Style) -> str:
    switches = (
        (style.bold, "1"),
        (style.faint, "2"),
        (style.italic, "3"),
        (style.underline, "4"),
        (style.inverse, "7"),
        (style.strikethrough, "9"),
    )
    codes = ["0", *(code for is_on, code in switches if is_on)]
    codes += _colour(style.foreground, 38) + _colour(style.background, 48)
    return f"\x1b[{';'.join(codes)}m"


def _colour(colour: Colour | None, kind: int) -> list[str]:
    match colour:
        case None:
            return []
        case int():
            return [f"{kind};5;{colour}"]
        case red, green, blue:
            return [f"{kind};2;{red};{green};{blue}"]
