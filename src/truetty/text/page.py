"""The rows a cursor can still reach, and the text of those it no longer can.

    out (final text)  |  rows: complete lines, as text or as cells  |  open: the line being written
    ------------------+---------------------------------------------+------------------------------
    drop() moves the oldest row to the left; settle() and unfold() turn text into cells, reopen() goes back.

Rule 1: a line stays text until something moves over it. While it is `open`, the cursor is at its end.
Rule 2: text and cells are two forms of one thing: laid out when it came or laid out later, the rows are the same.
        So whatever changes how text is laid out (a mode, a margin, a tab stop) unfolds first.
Rule 3: rows below the cursor exist only when something was written there.
Rule 4: no more than `height` rows are held, and no row has more than `columns` cells.
"""

from __future__ import annotations

from collections.abc import Sequence

from truetty.text.cells import (
    BLANK,
    GAP,
    HALF,
    LONE,
    MOST_MARKS,
    UNSURE,
    WIDTHS,
    Clusters,
    erased,
    inserted,
    overwritten,
    render,
    updated,
)
from truetty.text.stops import Stops, right_of

# DEC's line drawing set, from the VT100 user guide's table of special graphics.
DRAWING = str.maketrans("`abcdefghijklmnopqrstuvwxyz{|}~", "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")


class Row:
    """One row of the screen; `wrapped` when it goes on with the line of the row above."""

    __slots__ = ("cells", "wrapped")

    def __init__(self, cells: str = "", wrapped: bool = False) -> None:
        self.cells = cells
        self.wrapped = wrapped


class Page:
    """Rows, cursor and modes."""

    # What most streams never touch lives on the class, so that making a page costs next to nothing.
    x = 0
    y = 0
    began = False  # something is out already, so the next row is on a new line
    folded = False  # `rows` may hold lines as text
    plain = True  # no mode is set that changes how text is laid out
    alternate = False
    insert = False
    autowrap = True
    origin = False
    newline = False  # a line feed returns the cursor as well
    drawing = False  # the active character set is DEC's line drawing
    sets: tuple[bool, ...] = (False, False, False, False)
    level = 0
    stops: Stops = None
    saved: tuple[int, int, bool] = (0, 0, False)
    printed = False  # the last thing that came was a character, which REP may repeat
    frame = ""  # the last screen that a clear has kept

    def __init__(self, columns: int, height: int) -> None:
        self.columns = columns
        self.height = height
        self.top = 0
        self.bottom = height - 1
        self.open: str | None = ""
        self.rows: list[Row | str] = []
        self.row = Row()  # where the cursor is, unless a line is open
        self.out: list[str] = []
        self.clusters = Clusters()

    # Text out

    def take(self) -> str:
        """The text that became final since the last call."""
        out = self.out
        if not out:
            return ""
        text = "".join(out)
        out.clear()
        return text

    def rest(self) -> str:
        """The text that is still within reach."""
        if self.open is None:
            self.trim()
            return self.text_of(self.rows)
        return self.text_of([*self.rows, self.open])

    def text_of(self, rows: Sequence[Row | str]) -> str:
        """The text of rows that follow what is out."""
        pieces: list[str] = []
        began = self.began
        for row in rows:
            began = self._put(pieces, row, began)
        return "".join(pieces)

    def drop(self, count: int) -> None:
        """Let the oldest rows go."""
        began = self.began
        for row in self.rows[:count]:
            began = self._put(self.out, row, began)
        self.began = began
        del self.rows[:count]
        self.y -= count
        if self.saved[1] > -self.height:
            # The saved cursor stays with its row. Rows that are still text came after it, so one for one is exact.
            self.saved = (self.saved[0], self.saved[1] - count, self.saved[2])

    def _put(self, pieces: list[str], row: Row | str, began: bool) -> bool:
        if isinstance(row, str):
            if began:
                pieces.append("\n")
            pieces.append(row)
            return True
        if began and not row.wrapped:
            pieces.append("\n")
        pieces.append(render(row.cells, self.columns, self.clusters))
        return True

    # Text in, while a line is open

    def lines(self, text: str) -> None:
        """Text that has no control but newline and tab, a newline standing for a return and a line feed."""
        hold = self.height - 1
        parts = text.rsplit("\n", hold + 1)
        parts[0] = f"{self.open}{parts[0]}" if self.open else parts[0]
        if len(parts) > hold + 1:
            # The first part is many lines at once: they leave together.
            self.drop(len(self.rows))
            self._put(self.out, parts[0], self.began)
            self.began = True
            del parts[0]
            if self.saved[1] > -self.height:
                self.saved = (self.saved[0], -self.height, self.saved[2])
        self.open = last = parts.pop()
        if parts:
            self.rows += parts
            self.folded = True
            if len(self.rows) > hold:
                self.drop(len(self.rows) - hold)
        if len(last) > self.columns * self.height:
            self.settle()  # so that an endless line leaves by its top

    def rewrite(self, line: str) -> bool:
        """A line with returns and erasures, as progress bars have; False, and nothing done, when it is not simple."""
        self.settle()
        rewritten = None if self.row.wrapped else updated(self.row.cells, self.x, line, self.columns)
        if rewritten is None:
            return False
        self.row.cells, self.x = rewritten
        return True

    # Between text and cells

    def settle(self) -> None:
        """Lay the open line out, so that the cursor can leave its end."""
        line = self.open
        if line is not None:
            self.open = None
            self._lay(line)

    def unfold(self) -> None:
        """Lay out every line, so that the cursor can go up, and rows can be counted."""
        self.settle()
        if not self.folded:
            return
        self.folded = False
        entries, self.rows = self.rows, []
        x, last = self.x, self.row
        for entry in entries:
            if isinstance(entry, str):
                self._lay(entry)
            else:
                self.rows.append(entry)
                if len(self.rows) > self.height:
                    self.drop(1)
        self.x, self.row = x, last
        self.y = len(self.rows) - 1

    def reopen(self) -> bool:
        """Go back to text when the cursor stands where a fresh line would begin."""
        if self.open is not None:
            return self.plain
        row = self.row
        if self.x or row.cells or row.wrapped or not self.plain or self.y != len(self.rows) - 1:
            return False
        self.rows.pop()
        self.open = ""
        self.folded = True
        return True

    def _lay(self, line: str) -> None:
        self.row = Row()
        self.rows.append(self.row)
        if len(self.rows) > self.height:
            self.drop(1)
        self.y = len(self.rows) - 1
        if len(line) <= self.columns and line.isascii() and "\t" not in line:
            self.row.cells = line
            self.x = len(line)
            return
        self.x = 0
        first, *others = line.split("\t")
        self.print(first)
        for part in others:
            self.tab()
            self.print(part)

    def trim(self) -> None:
        """Forget blank rows below the cursor."""
        rows = self.rows
        while len(rows) > self.y + 1 and isinstance(row := rows[-1], Row) and not row.cells and not row.wrapped:
            rows.pop()

    def goto(self, y: int) -> None:
        """Put the cursor on a row, making it when nothing has been there. Only for an unfolded page."""
        rows = self.rows
        while len(rows) <= y:
            rows.append(Row())
        row = rows[y]
        assert isinstance(row, Row)
        if y < self.y and len(rows) > y + 1:
            self.y, self.row = y, row
            self.trim()
        self.y, self.row = y, row

    # Printing

    def print(self, text: str) -> None:
        """Characters without controls, at the cursor."""
        if not text:
            return
        if self.drawing:
            text = text.translate(DRAWING)
        if not text.isascii() and UNSURE.search(text):
            text = self._cells(text)
        row, x = self.row, self.x
        end = x + len(text)
        if end > self.columns or self.insert:
            self._print_on(text)
            return
        cells = row.cells
        if len(cells) == x:
            row.cells = cells + text
        elif len(cells) > x and cells.isascii():
            row.cells = cells[:x] + text + cells[end:]
        else:
            row.cells = overwritten(cells, x, text)
        self.x = end

    def _print_on(self, text: str) -> None:
        """Across the end of rows, or pushing in."""
        columns, size = self.columns, len(text)
        at = 0
        while at < size:
            end = at + columns - self.x
            if text[end : end + 1] == HALF:
                end -= 1
            if end > at:
                cells, piece = self.row.cells, text[at:end]
                if self.insert:
                    self.row.cells = inserted(cells, self.x, piece, columns)
                else:
                    self.row.cells = overwritten(cells, self.x, piece)
                self.x += min(end, size) - at
                at = end
            elif self.autowrap:
                self.row.cells = erased(self.row.cells, self.x, columns)
                self.wrap()
            else:
                # The last cell takes them all in turn; a wide character has no room there.
                self.x = columns - 1
                at += 2 if text[at + 1 : at + 2] == HALF else 0

    def _cells(self, text: str) -> str:
        cells: list[str] = []
        if self.clusters.crowded():
            self._recode()
        code, known = self.clusters.code, self.clusters.text
        for char in text:
            width = WIDTHS[char]
            if width == 1:
                cells.append(char)
            elif width == 2:
                cells += (char, HALF)
            elif width < 0:
                cells.append(code(char))
            elif not cells:
                if not self.stack(char):
                    cells.append(char)
            else:
                at = -2 if cells[-1] == HALF else -1
                base = known(cells[at])
                if WIDTHS[base[0]] == 0 or len(base) > MOST_MARKS:
                    cells.append(char)
                else:
                    cells[at] = code(base + char)
        return "".join(cells)

    def stack(self, char: str) -> bool:
        """Add to the cell left of the cursor; False when there is nothing to add to, or no room."""
        at, cells = self.x - 1, self.row.cells
        if at < 0 or at >= len(cells):
            return False
        if cells[at] == HALF:
            at -= 1
        base = self.clusters.text(cells[at])
        if base[0] == BLANK or len(base) > MOST_MARKS:
            return False
        if char != "\t" and (base[0] in "\t" + GAP + LONE or WIDTHS[base[0]] == 0):
            return False
        self.row.cells = cells[:at] + self.clusters.code(base + char) + cells[at + 1 :]
        return True

    def _recode(self) -> None:
        """Keep only the codes that are still on the page."""
        old, self.clusters = self.clusters, Clusters()
        for row in self.rows:
            if isinstance(row, Row) and not row.cells.isascii():
                texts = (old.text(cell) for cell in row.cells)
                row.cells = "".join(
                    text if len(text) == 1 and WIDTHS[text] >= 0 else self.clusters.code(text) for text in texts
                )

    # The other ways a cursor moves by itself

    def tab(self) -> None:
        columns, x = self.columns, self.x
        stop = right_of(self.stops, x, 1, columns - 1) if x < columns else x
        if stop == x:
            # At the last column a tab moves nothing, but it is text: it goes with the cell before.
            if not self.stack("\t") and self.row.cells[x - 1 : x].strip(BLANK):
                self._print_on(self.clusters.code(LONE + "\t"))  # that cell is full
            return
        cells = self.row.cells
        size = len(cells)
        if x <= size < stop:  # beyond the end of what is written it only moves
            self.row.cells = cells + "\t" + GAP * (stop - size - 1)
        self.x = stop

    def wrap(self) -> None:
        """Go on in the next row with the same line."""
        self.x = 0
        y = self.y
        if y == self.bottom:
            self.scroll(wrapped=True)
        else:
            if y < self.height - 1:
                self.goto(y + 1)
            self.row.wrapped = True

    def feed_line(self) -> None:
        y = self.y
        if y == self.bottom:
            self.scroll()
        elif y < self.height - 1:
            if y + 1 == len(self.rows):
                self.rows.append(Row())
            row = self.rows[y + 1]
            assert isinstance(row, Row)
            row.wrapped = False
            self.y, self.row = y + 1, row
        if self.newline:
            self.x = 0
        elif self.x >= self.columns:
            self.x = self.columns - 1

    def scroll(self, wrapped: bool = False) -> None:
        """Make room at the bottom margin. What leaves at the top of the screen is final; elsewhere it is lost."""
        if self.top == 0:
            self.drop(1)
        else:
            del self.rows[self.top]
        self.row = Row("", wrapped)
        self.rows.insert(self.bottom, self.row)
        self.y = self.bottom
