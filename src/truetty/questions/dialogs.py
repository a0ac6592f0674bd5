"""Dialogs that are drawn in a frame, as whiptail, dialog and debconf draw them.

    ┌────┤ Disk ├────┐      a title, or none
    │ Erase it all?  │      paragraphs of text
    │                │
    │   a  Apple     │      options, with boxes to tick or without; dialog draws a second frame around them
    │                │      or a field: ada_____
    │   <Yes>  <No>  │      buttons
    └────────────────┘

Rule 1: without a frame and buttons it is no dialog.
Rule 2: the cursor shows what the text does not: it stands on the button that Enter presses, in the field, or on the
        option that Enter takes. Without a cursor these are unknown.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from truetty.core import lazy
from truetty.questions.choices import MOST_CHOICES, Choices

_TOP: Final = lazy.pattern(r"\s*[┌╔](.*)[┐╗]\s*")
_BOTTOM: Final = lazy.pattern(r"\s*[└╚].*[┘╝]\s*")
_SEPARATOR: Final = lazy.pattern(r"\s*[├╠].*[┤╣]\s*")
_ROW: Final = lazy.pattern(r"(\s*[│║])(.*)[│║]\s*")
_BUTTON: Final = lazy.pattern(r"<\s*([^<>\s](?:[^<>]{0,28}[^<>\s])?)\s*>")
_BUTTONS: Final = lazy.pattern(r"\s*(?:<[^<>]{1,30}>\s*)+")
_FIELD: Final = lazy.pattern(r"\s*(.*?)_{2,}\s*")
_BOX: Final = lazy.pattern(r"([\[(])([ *xX])[\])]\s+(.*)")
_SCROLL_BAR: Final = lazy.pattern(r"\s+[↑↓▮▒█■]$")
_TITLE_ENDS: Final = " ─═┤├╡╞"

Cursor = tuple[int, int]  # column and row, from 0


@dataclass(frozen=True, slots=True)
class Dialog:
    title: str
    text: tuple[str, ...]  # its paragraphs, each as one line
    buttons: tuple[str, ...]
    focus: str | None = None  # the button that Enter presses
    field: str | None = None  # what stands in the field; None: there is none
    options: Choices | None = None
    ticks: bool = False  # the options have boxes

    @property
    def question(self) -> str:
        """The last paragraph that asks; if none does, the last; if there is none, the title."""
        asking = [one for one in self.text if one.endswith(("?", ":", "？", "："))]
        return (asking or self.text or (self.title,))[-1]


@dataclass(frozen=True, slots=True)
class _Row:
    at: int  # the line
    begins: int  # where `text` begins in it
    text: str
    boxed: bool  # it stands in the inner frame

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())


def is_frame(lines: Sequence[str]) -> bool:
    """Whether the last line that is not empty is the bottom of a frame."""
    return _BOTTOM.fullmatch(next((line for line in reversed(lines) if line.strip()), "")) is not None


def find(lines: Sequence[str], cursor: Cursor | None = None) -> Dialog | None:
    """The lowest dialog on a screen; `cursor` only where `lines` are the screen's rows."""
    bottom = next((at for at in range(len(lines) - 1, -1, -1) if _BOTTOM.fullmatch(lines[at])), None)
    if bottom is None:
        return None
    top = next((at for at in range(bottom - 1, -1, -1) if _TOP.fullmatch(lines[at])), None)
    if top is None:
        return None
    rows = _rows(lines, top, bottom)
    below = next((at for at in range(len(rows) - 1, -1, -1) if _BUTTONS.fullmatch(rows[at].text)), None)
    if below is None:
        return None
    title = lines[top].strip()[1:-1].strip(_TITLE_ENDS)
    found = list(_BUTTON.finditer(rows[below].text))
    focus = next((one[1] for one in found if _is_on(one, rows[below], cursor)), None)
    return _read(title, rows[:below], tuple(one[1] for one in found), focus, cursor)


def _rows(lines: Sequence[str], top: int, bottom: int) -> list[_Row]:
    rows: list[_Row] = []
    boxed = False
    left = len(lines[top]) - len(lines[top].lstrip())
    for at in range(top + 1, bottom):
        bars = _ROW.fullmatch(lines[at])
        # A list that is too wide is drawn over the frame.
        begins, text = (len(bars[1]), bars[2]) if bars else (left, lines[at][left:].rstrip())
        if _TOP.fullmatch(text) or _BOTTOM.fullmatch(text):
            boxed = _TOP.fullmatch(text) is not None
        elif not _SEPARATOR.fullmatch(lines[at]):
            inner = _ROW.fullmatch(text) if boxed else None
            begins, text = (begins + len(inner[1]), inner[2]) if inner else (begins, text)
            rows.append(_Row(at, begins, _SCROLL_BAR.sub("", text.rstrip()), boxed))
    return rows


def _is_on(button: re.Match[str], row: _Row, cursor: Cursor | None) -> bool:
    return cursor is not None and cursor[1] == row.at and button.start() <= cursor[0] - row.begins < button.end()


def _read(title: str, rows: list[_Row], buttons: tuple[str, ...], focus: str | None, cursor: Cursor | None) -> Dialog:
    if (field := _field(rows, cursor)) is not None:
        row, value = field
        text = _paragraphs(one for one in rows if one is not row)
        return Dialog(title, text, buttons, focus, field=value)
    listed = _list(rows, cursor)
    text = _paragraphs(row for row in rows if row not in listed and not row.boxed)
    ticks = any(_BOX.match(row.text.strip()) for row in listed)
    return Dialog(title, text, buttons, focus, options=_options(listed, cursor), ticks=ticks)


def _field(rows: list[_Row], cursor: Cursor | None) -> tuple[_Row, str] | None:
    """The row in which text is typed, and what stands there: alone in the inner frame, or drawn with underscores."""
    boxed = [row for row in rows if row.boxed]
    if len(boxed) == 1 and (cursor is None or cursor[1] == boxed[0].at):
        value = boxed[0].text.strip()
        return None if _BOX.match(value) else (boxed[0], value)
    last = None if boxed else next((row for row in reversed(rows) if row.text.strip()), None)
    drawn = _FIELD.fullmatch(last.text) if last is not None else None
    return (last, drawn[1]) if last is not None and drawn is not None else None


def _list(rows: list[_Row], cursor: Cursor | None) -> list[_Row]:
    """The rows of options: in the inner frame, with boxes, with the cursor, or below the text and not in its column."""
    filled = [row for row in rows if row.text.strip()]
    if boxed := [row for row in filled if row.boxed]:
        return boxed
    if ticked := [row for row in filled if _BOX.match(row.text.strip())]:
        return ticked
    blocks = [list(block) for is_text, block in itertools.groupby(rows, lambda row: bool(row.text.strip())) if is_text]
    if not blocks:
        return []
    block = blocks[-1]
    if cursor is not None:
        return block if any(row.at == cursor[1] for row in block) else []
    return block if block[0].indent > 1 and all(row.indent == block[0].indent for row in block) else []


def _options(rows: list[_Row], cursor: Cursor | None) -> Choices | None:
    if not rows or len(rows) > MOST_CHOICES:
        return None
    boxes = [_BOX.match(row.text.strip()) for row in rows]
    texts = [box[3] if box else row.text.strip() for box, row in zip(boxes, rows, strict=True)]
    several = any(box is not None and box[1] == "[" for box in boxes)
    marked = [at for at, box in enumerate(boxes) if box is not None and box[2] != " "]
    if not any(boxes):
        marked = [at for at, row in enumerate(rows) if cursor is not None and cursor[1] == row.at]
    names, labels = _columns(texts)
    default = names[marked[0]] if len(marked) == 1 and not several else None
    return Choices(names, labels, default, several)


def _columns(texts: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and labels: the second column begins at the same place in each row."""
    for at in range(2, min(map(len, texts))):
        if all(text[at - 1] == " " and text[at] != " " for text in texts):
            return tuple(text[:at].strip() for text in texts), tuple(text[at:].strip() for text in texts)
    return tuple(texts), ()


def _paragraphs(rows: Iterable[_Row]) -> tuple[str, ...]:
    blocks = itertools.groupby((row.text.strip() for row in rows), bool)
    return tuple(" ".join(block) for is_text, block in blocks if is_text)
