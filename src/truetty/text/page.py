"""The rows a cursor can still reach, and the text of those it no longer can.

    final text        |  rows: complete lines, as text or as cells  |  open: the line being written
    ------------------+---------------------------------------------+------------------------------
    drop() moves the oldest row to the left; settle() and unfold() turn text into cells, reopen() goes back.

Rule 1: a line stays text until something moves over it. While it is `open`, the cursor is at its end.
Rule 2: text and cells are two forms of one thing: laid out when it came or laid out later, the rows are the same.
        So whatever changes how text is laid out (a mode, a margin, a tab stop) unfolds first.
Rule 3: rows below the cursor exist only when something was written there.
Rule 4: no more than `height` rows are held, and no row has more than `columns` cells.
"""

from __future__ import annotations

from truetty.text.cells import BLANK, GAP, HALF, LONE, UNSURE, WIDTHS, Clusters, erase, insert, overwrite, update
from truetty.text.layout import Layout
from truetty.text.rows import FinalText, ScreenRow
from truetty.text.stops import right_of

# DEC's line drawing set, from the VT100 user guide's table of special graphics.
DRAWING = str.maketrans("`abcdefghijklmnopqrstuvwxyz{|}~", "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")


class Page:
    """Rows and a cursor; `layout` says how text is laid out in them."""

    # What most streams never touch lives on the class, so that making a page costs next to nothing.
    x = 0
    y = 0
    folded = False  # `rows` may hold lines as text
    saved: tuple[int, int, bool] = (0, 0, False)  # the cursor, and whether it drew lines
    row: ScreenRow  # where the cursor is; not used while a line is open
    printed = False  # the last thing that came was a character, which REP may repeat

    def __init__(self, columns: int, height: int) -> None:
        self.columns = columns
        self.height = height
        self.layout = Layout(height)
        self.open: str | None = ""
        self.rows: list[ScreenRow | str] = []
        self.clusters = Clusters()
        self.final = FinalText(columns, self.clusters)

    # Text out

    def rest(self) -> str:
        """The text that is still within reach."""
        if self.open is None:
            self.trim()
            return self.final.after(self.rows[: self.visible_end(self.y + 1, len(self.rows))])
        return self.final.after([*self.rows, self.open])

    def visible_end(self, start: int, end: int) -> int:
        """Where the rows of blanks begin that are the last ones before `end`, at `start` or behind it. prompt_toolkit
        makes room below its line, and draws a blank in the last row."""
        rows = self.rows
        while end > start and isinstance(row := rows[end - 1], ScreenRow) and row.is_invisible:
            end -= 1
        return end

    def drop(self, count: int) -> None:
        """Let the oldest rows go."""
        self.final.add(self.rows[:count])
        del self.rows[:count]
        self.y -= count
        if self.saved[1] > -self.height:
            # The saved cursor stays with its row. Rows that are still text came after it, so one for one is exact.
            self.saved = (self.saved[0], self.saved[1] - count, self.saved[2])

    # Text in, while a line is open

    def lines(self, text: str) -> None:
        """Text that has no control but newline and tab, a newline standing for a return and a line feed."""
        hold = self.height - 1
        parts = text.rsplit("\n", hold + 1)
        parts[0] = f"{self.open}{parts[0]}" if self.open else parts[0]
        if len(parts) > hold + 1:
            # The first part is many lines at once: they leave together.
            self.drop(len(self.rows))
            self.final.add([parts.pop(0)])
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
        rewritten = None if self.row.wrapped else update(self.row.cells, self.x, line, self.columns)
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
            return self.layout.plain
        row = self.row
        if self.x or row.cells or row.wrapped or not self.layout.plain or self.y != len(self.rows) - 1:
            return False
        self.rows.pop()
        self.open = ""
        self.folded = True
        return True

    def _lay(self, line: str) -> None:
        self.row = ScreenRow()
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
        while len(rows) > self.y + 1 and isinstance(row := rows[-1], ScreenRow) and not row.cells and not row.wrapped:
            rows.pop()

    def goto(self, y: int) -> None:
        """Put the cursor on a row, making it when nothing has been there. Only for an unfolded page."""
        rows = self.rows
        while len(rows) <= y:
            rows.append(ScreenRow())
        row = rows[y]
        assert isinstance(row, ScreenRow)
        goes_up = y < self.y
        self.y, self.row = y, row
        if goes_up:
            self.trim()

    # Printing

    def print(self, text: str) -> None:
        """Characters without controls, at the cursor."""
        if not text:
            return
        layout = self.layout
        if layout.drawing:
            text = text.translate(DRAWING)
        if not text.isascii() and UNSURE.search(text):
            text = self._cells(text)
        self.put(text)

    def put(self, text: str) -> None:
        """Text that is laid out in cells, at the cursor."""
        layout = self.layout
        row, x = self.row, self.x
        end = x + len(text)
        if end > self.columns or layout.insert:
            self._print_on(text)
            return
        cells = row.cells
        if len(cells) == x:
            row.cells = cells + text
        elif len(cells) > x and cells.isascii():
            row.cells = cells[:x] + text + cells[end:]
        else:
            row.cells = overwrite(cells, x, text)
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
                if self.layout.insert:
                    self.row.cells = insert(cells, self.x, piece, columns)
                else:
                    self.row.cells = overwrite(cells, self.x, piece)
                self.x += min(end, size) - at
                at = end
            elif self.layout.autowrap:
                self.row.cells = erase(self.row.cells, self.x, columns)
                self.wrap()
            else:
                # The last cell takes them all in turn; a wide character has no room there.
                self.x = columns - 1
                at += 2 if text[at + 1 : at + 2] == HALF else 0

    def _cells(self, text: str) -> str:
        if self.clusters.crowded():  # then only the codes are kept that are still on the page
            rows = [row for row in self.rows if isinstance(row, ScreenRow) and not row.cells.isascii()]
            for row, cells in zip(rows, self.clusters.recode([row.cells for row in rows]), strict=True):
                row.cells = cells
        while text and WIDTHS[text[0]] == 0 and self.stack(text[0]):
            text = text[1:]
        return self.clusters.cells(text)

    def stack(self, char: str) -> bool:
        """Add to the cell left of the cursor; False when there is nothing to add to, or no room."""
        cells = self.clusters.stacked(self.row.cells, self.x - 1, char)
        if cells is None:
            return False
        self.row.cells = cells
        return True

    # The other ways a cursor moves by itself

    def tab(self) -> None:
        columns, x = self.columns, self.x
        stop = right_of(self.layout.stops, x, 1, columns - 1) if x < columns else x
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
        self.x, y = 0, self.y
        if y == self.layout.bottom:
            self.scroll(wrapped=True)
        else:
            self.goto(min(y + 1, self.height - 1))
            self.row.wrapped = True

    def feed_line(self) -> None:
        y = self.y
        if y == self.layout.bottom:
            self.scroll()
        elif y < self.height - 1:
            if y + 1 == len(self.rows):
                self.rows.append(ScreenRow())
            row = self.rows[y + 1]
            assert isinstance(row, ScreenRow)
            row.wrapped = False
            self.y, self.row = y + 1, row
        if self.layout.newline:
            self.x = 0
        elif self.x >= self.columns:
            self.x = self.columns - 1

    def scroll(self, wrapped: bool = False) -> None:
        """Make room at the bottom margin. What leaves at the top of the screen is final; elsewhere it is lost."""
        layout = self.layout
        if layout.top == 0:
            self.drop(1)
        else:
            del self.rows[layout.top]
        self.row = ScreenRow("", wrapped)
        self.rows.insert(layout.bottom, self.row)
        self.y = layout.bottom
