"""Rows of a screen, and the text of those that no cursor can reach any more.

Rule: `FinalText` puts a newline before every row but the first, unless the row goes on with the line of the row above.
"""

from __future__ import annotations

from collections.abc import Iterable

from truetty.text.cells import BLANK, GAP, Clusters, render

_INVISIBLE = f" \t{BLANK}{GAP}"


class ScreenRow:
    """One row of the screen; `wrapped` when it goes on with the line of the row above."""

    __slots__ = ("cells", "wrapped")

    def __init__(self, cells: str = "", wrapped: bool = False) -> None:
        self.cells = cells
        self.wrapped = wrapped

    @property
    def is_invisible(self) -> bool:
        """Whether nothing stands in it, or blanks alone, and it is a line of its own."""
        return not self.wrapped and not self.cells.strip(_INVISIBLE)


Rows = Iterable[ScreenRow | str]  # a row that is text is a whole line


class FinalText:
    """Belongs to one page."""

    _began = False  # something is final already, so the next row is on a new line
    _frame = ""  # the last screen that a clear has kept

    def __init__(self, columns: int, clusters: Clusters) -> None:
        self._columns = columns
        self._clusters = clusters
        self._pieces: list[str] = []

    def take(self) -> str:
        """What has come since the last call."""
        if not self._pieces:
            return ""
        text = "".join(self._pieces)
        self._pieces.clear()
        return text

    def add(self, rows: Rows) -> None:
        for row in rows:
            self._put(self._pieces, row, self._began)
            self._began = True

    def after(self, rows: Rows) -> str:
        """The text of these rows, if they came next."""
        pieces: list[str] = []
        began = self._began
        for row in rows:
            self._put(pieces, row, began)
            began = True
        return "".join(pieces)

    def keep(self, rows: Rows) -> None:
        """A screen that is about to be cleared; one that was kept just before is not kept twice."""
        text = self.after(rows)
        frame = text.removeprefix("\n")
        if frame != self._frame:
            self._frame = frame
            self._pieces.append(text)
            self._began = True

    def _put(self, pieces: list[str], row: ScreenRow | str, began: bool) -> None:
        if isinstance(row, str):
            if began:
                pieces.append("\n")
            pieces.append(row)
            return
        if began and not row.wrapped:
            pieces.append("\n")
        pieces.append(render(row.cells, self._columns, self._clusters))
