"""What a person would see of a terminal at one moment.

Rule 1: a screen is a value; it does not change under its reader.
Rule 2: the model that makes screens is made when the first one is asked for, and fed what is new at the next.
Rule 3: REP repeats at most as often as the screen is wide (`repeats.py`): the emulator would draw all of 9999.
Rule 4: only this file knows which emulator draws: all other code uses `Screen` and `Model`.
Rule 5: what scrolls off the screen at once is not drawn (`off_screen.py`).

pyavt draws. It gives a combining mark or a joiner a cell of its own, so such text stands one column further right than
on most terminals; the clean text of a command's output does not go through it.
"""

from __future__ import annotations

import codecs
import textwrap
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from truetty.core import lazy
from truetty.text.drawing import Colour, Drawing, Style, TextRun
from truetty.text.off_screen import OffScreen
from truetty.text.repeats import BoundedRepeats

if TYPE_CHECKING:
    from avt._avt import Cell, Color, Pen, Vt

# A title that a person can read is shorter.
LONGEST_TITLE: Final = 1024
_TITLE: Final = lazy.pattern(r"\x1b\][02];([^\x07\x1b\x9c]{0,1024})(?:\x07|\x1b\\|\x9c)")
# How a dump says that it is of the alternate screen; no cell holds a control character.
_SWITCHED: Final = "\x9b?1047h"
# How a dump says that only some rows scroll.
_MARGINS: Final = lazy.pattern(r"\x9b[0-9]+;[0-9]+r")
# pyavt 0.1.2 gives up on a wide character in a single column.
NARROWEST: Final = 2
_BEGUN: Final = lazy.pattern(r"\x1b(?:\][^\x07\x1b\x9c]{0,1024}\x1b?|\[\??[0-9;]{0,8})?\Z")


@dataclass(frozen=True, slots=True, repr=False)
class Screen:
    """The visible lines of a terminal. It may be awaited, like every answer that comes from a terminal elsewhere."""

    lines: tuple[str, ...]  # one for each row, blanks at the end left out
    cursor: tuple[int, int]  # column and row, from 0
    cursor_visible: bool  # False: the program hides it
    size: tuple[int, int]  # columns and rows
    title: str | None  # as the program set it; None if none did, in what was drawn for this screen
    alternate: bool  # whether a full-screen program has the screen
    dump: str  # what to write to an empty terminal of this size to see the same

    def __repr__(self) -> str:
        columns, rows = self.size
        return f"<Screen {columns}x{rows} cursor={self.cursor}{' alternate' * self.alternate}\n{self.text}>"

    @property
    def text(self) -> str:
        """The lines, without the empty ones at the end."""
        return "\n".join(self.lines).rstrip("\n")

    @property
    def trimmed(self) -> str:
        """The same without empty lines before it, and without blanks that all lines begin with."""
        return textwrap.dedent(self.text.lstrip("\n"))

    @property
    def rows(self) -> list[list[TextRun]]:
        """The visible cells with their colours: for each row, runs of neighbouring characters that look alike."""
        return Model.of(self).rows()

    def picture(self, *, title: str | None = None, cursor: bool = True, theme: str = "dark", crop: bool = False) -> str:
        """An SVG of it. With a `title`, there is a bar above it that says it. `theme` is "dark" or "light".

        `crop` leaves out the columns at the right in which nothing stands.
        """
        from truetty.text.picture import picture  # few screens are drawn

        return picture(Model.of(self).drawing(), title=title, cursor=cursor, theme=theme, crop=crop)

    def __str__(self) -> str:
        return self.text

    def __await__(self) -> Generator[None, None, Self]:
        return self
        yield


class Model:
    """Draws what it is fed. Nothing that is printed makes it raise: what is not UTF-8 or no sequence is passed over."""

    def __init__(self, size: tuple[int, int], *, title: str | None = None, alternate: bool = False) -> None:
        """`title` and `alternate`: what is known from before the first byte that will be fed."""
        self._size = size
        self._vt = _emulator(size)
        if alternate:
            self._draw("\x1b[?1049h")
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._repeats = BoundedRepeats()
        self._off_screen = OffScreen()
        self._begun = ""  # the last characters, when they may be the first half of a sequence we look for
        self.title = title

    @classmethod
    def of(cls, screen: Screen) -> Self:
        """One that shows the same."""
        made = cls(screen.size, title=screen.title)
        made.feed(screen.dump.encode("utf-8", "replace"))
        return made

    def feed(self, data: bytes) -> None:
        text = self._decode(data)
        columns, rows = self._size
        self._draw(self._off_screen.leave_out(self._repeats.feed(text, columns), rows, self._scrolls_whole))
        if "\x1b" in text or self._begun:
            text = self._begun + text
            for title in _TITLE.finditer(text):
                self.title = "".join(letter for letter in title[1] if letter.isprintable())
            begun = _BEGUN.search(text, max(0, len(text) - LONGEST_TITLE - 8))
            self._begun = begun[0] if begun else ""

    def resize(self, size: tuple[int, int]) -> None:
        if self._size != size:
            self._size = size
            try:
                self._vt.resize(max(size[0], NARROWEST), size[1])
            except BaseException as error:
                self._recover(error)

    def crop(self, rows: int) -> None:
        """Keep the upper rows only. A cursor below them goes to the last one."""
        columns, height = self._size
        if rows >= height:
            return
        (column, row), last = self.cursor, rows - 1
        self._draw(f"\x1b[{rows};1H")  # an emulator that shrinks drops what is below the cursor first
        self.resize((columns, rows))
        self._draw(f"\x1b[{min(row, last) + 1};{column + 1}H")

    def _scrolls_whole(self) -> bool:
        return _MARGINS.search(self._vt.dump()) is None

    def _draw(self, text: str) -> None:
        try:
            self._vt.feed_str(text)
        except BaseException as error:
            self._recover(error)

    def _recover(self, error: BaseException) -> None:
        """The emulator gives up by an exception of its own; what is printed must not raise in the caller."""
        if type(error).__name__ != "PanicException":
            raise error
        self._vt = _emulator(self._size)

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row, from 0."""
        cursor = self._vt.cursor
        return min(cursor.col, self._size[0] - 1), cursor.row

    def screen(self) -> Screen:
        vt, (columns, _) = self._vt, self._size
        dump = vt.dump()
        return Screen(
            lines=tuple(line.text.rstrip()[:columns] for line in vt.view()),
            cursor=self.cursor,
            cursor_visible=vt.cursor.visible,
            size=self._size,
            title=self.title,
            alternate=_SWITCHED in dump,
            dump=dump,
        )

    def drawing(self) -> Drawing:
        """What a picture of it shows."""
        return Drawing(self.rows(), self._size, self.cursor if self._vt.cursor.visible else None, self.title)

    def rows(self) -> list[list[TextRun]]:
        """The visible cells with their colours."""
        return [list(_runs(line.cells)) for line in self._vt.view()]


def _emulator(size: tuple[int, int]) -> Vt:
    from avt._avt import Vt

    return Vt(max(size[0], NARROWEST), size[1], 0)


def _runs(cells: Sequence[Cell]) -> Iterator[TextRun]:
    start, text, pen = 0, "", cells[0].pen
    for column, cell in enumerate(cells):
        if text and (cell.pen != pen or cell.width != 1):
            yield TextRun(start, len(text), text, _style(pen))
            text = ""
        if cell.width == 2:
            yield TextRun(column, 2, cell.char, _style(cell.pen))
        elif cell.width == 1:  # the right half of a wide one has none
            start = start if text else column
            text += cell.char
            pen = cell.pen
    if text:
        yield TextRun(start, len(text), text, _style(pen))


def _style(pen: Pen) -> Style:
    return Style(
        _colour(pen.foreground),
        _colour(pen.background),
        pen.bold,
        pen.faint,
        pen.italic,
        pen.underline,
        pen.strikethrough,
        pen.inverse,
    )


def _colour(colour: Color | None) -> Colour | None:
    from avt._avt import Color

    match colour:
        case Color.RGB():
            return colour[0], colour[1], colour[2]
        case Color.Indexed():
            return colour[0]
        case _:
            return None
