"""What moves the cursor and what erases, shifts or repeats cells.

Rule 1: whatever moves between rows unfolds the page first.
Rule 2: no sequence costs more than one screen of work or gives more than one row of text, whatever its numbers say.
Rule 3: a clear keeps what was on the screen.
"""

from __future__ import annotations

from truetty.text.cells import BLANK, GAP, HALF, LONE, WIDTHS, delete, erase, insert
from truetty.text.page import Page
from truetty.text.rows import ScreenRow
from truetty.text.stops import left_of, right_of

Values = tuple[int, ...]


def inside(page: Page) -> int:
    """The cursor's column, with a wrap that was pending forgotten."""
    if page.x >= page.columns:
        page.x = page.columns - 1
    return page.x


def move_to(page: Page, x: int, y: int) -> None:
    """An absolute position; within the margins when origin mode says so."""
    page.unfold()
    low, high = (page.layout.top, page.layout.bottom) if page.layout.origin else (0, page.height - 1)
    page.x = min(max(x, 0), page.columns - 1)
    page.goto(min(max(y, low), high))


# Within a row


def carriage_return(values: Values, page: Page) -> None:
    page.x = 0


def backspace(values: Values, page: Page) -> None:
    x = inside(page)
    if x:
        page.x = x - 1


def tab(values: Values, page: Page) -> None:
    page.tab()


def right(values: Values, page: Page) -> None:
    page.x = min(page.x + (values[0] or 1), page.columns - 1)


def left(values: Values, page: Page) -> None:
    page.x = max(inside(page) - (values[0] or 1), 0)


def to_column(values: Values, page: Page) -> None:
    page.x = min(values[0] or 1, page.columns) - 1


def tabs_right(values: Values, page: Page) -> None:
    if page.x < page.columns:
        page.x = right_of(page.layout.stops, page.x, values[0] or 1, page.columns - 1)


def tabs_left(values: Values, page: Page) -> None:
    if page.x < page.columns:
        page.x = left_of(page.layout.stops, page.x, values[0] or 1)


def erase_line(values: Values, page: Page) -> None:
    row, x = page.row, page.x
    match values[0]:
        case 0:
            row.cells = erase(row.cells, x, page.columns)
            row.wrapped = row.wrapped and x > 0
        case 1:
            row.cells = erase(row.cells, 0, x + 1)
        case 2:
            row.cells = ""
            row.wrapped = False


def erase_characters(values: Values, page: Page) -> None:
    x = inside(page)
    page.row.cells = erase(page.row.cells, x, min(x + (values[0] or 1), page.columns))


def insert_characters(values: Values, page: Page) -> None:
    x = inside(page)
    blanks = BLANK * min(values[0] or 1, page.columns - x)
    if x < len(page.row.cells):
        page.row.cells = insert(page.row.cells, x, blanks, page.columns).rstrip(BLANK)


def delete_characters(values: Values, page: Page) -> None:
    page.row.cells = delete(page.row.cells, inside(page), values[0] or 1)


def repeat(values: Values, page: Page) -> None:
    cells, x = page.row.cells, page.x
    if not page.printed or not 0 < x <= len(cells):
        return
    char = cells[x - 1]
    if char == HALF and x > 1:
        char = cells[x - 2]
    text = page.clusters.text(char)
    if text.strip(BLANK + HALF + GAP + LONE + "\t"):
        count = min(values[0] or 1, page.columns)
        match WIDTHS[text[0]]:
            case 0:  # a mark alone: it goes with the cell before it
                page.print(text * count)
            case width:  # it is laid out already
                page.put((char + HALF if width == 2 else char) * count)


# Between rows


def line_feed(values: Values, page: Page) -> None:
    page.feed_line()


def next_line(values: Values, page: Page) -> None:
    page.x = 0
    page.feed_line()


def index(values: Values, page: Page) -> None:
    page.unfold()
    inside(page)
    if page.y == page.layout.bottom:
        page.scroll()
    elif page.y < page.height - 1:
        page.goto(page.y + 1)


def next_index(values: Values, page: Page) -> None:
    page.x = 0
    index(values, page)


def reverse_index(values: Values, page: Page) -> None:
    page.unfold()
    inside(page)
    if page.y == page.layout.top:
        _shift(page, page.layout.top, 1, down=True)
    elif page.y:
        page.goto(page.y - 1)


def up_or_down(direction: int, first: bool, values: Values, page: Page) -> None:
    """Stops at a margin; `first`: and goes to the first column."""
    page.unfold()
    x, y = inside(page), page.y
    low = page.layout.top if y >= page.layout.top else 0
    high = page.layout.bottom if y <= page.layout.bottom else page.height - 1
    page.x = 0 if first else x
    page.goto(min(max(y + direction * (values[0] or 1), low), high))


def position(values: Values, page: Page) -> None:
    column = values[1] if len(values) > 1 else 1
    row = (values[0] or 1) - 1 + (page.layout.top if page.layout.origin else 0)
    if page.layout.was_alternate:
        page.layout.was_alternate = False
        row = min(row, _first_free_row(page)) if row >= page.height - 1 else row
    move_to(page, (column or 1) - 1, row)


def _first_free_row(page: Page) -> int:
    """Below all that is written. A full-screen program that was ended goes to the last row to leave the screen."""
    page.unfold()
    written = (number for number, row in enumerate(page.rows, 1) if not isinstance(row, ScreenRow) or row.cells)
    return max(page.y, min(max(written, default=0), page.height - 1))


def to_row(values: Values, page: Page) -> None:
    move_to(page, page.x, (values[0] or 1) - 1 + (page.layout.top if page.layout.origin else 0))


def row_down(values: Values, page: Page) -> None:
    page.unfold()
    move_to(page, page.x, page.y + (values[0] or 1))


def erase_page(values: Values, page: Page) -> None:
    page.unfold()
    row, rows, x, y = page.row, page.rows, page.x, page.y
    match values[0]:
        case 0:
            if not x and not y:
                keep_screen(page)
            row.cells = erase(row.cells, x, page.columns)
            row.wrapped = row.wrapped and x > 0
            del rows[y + 1 :]
        case 1:
            row.cells = erase(row.cells, 0, x + 1)
            row.wrapped = False
            if x + 1 >= page.columns and y + 1 < len(rows):
                below = rows[y + 1]
                assert isinstance(below, ScreenRow)
                below.wrapped = False
            rows[:y] = [ScreenRow() for _ in range(y)]
        case 2:
            keep_screen(page)
            page.row = ScreenRow()
            rows[:] = [*(ScreenRow() for _ in range(y)), page.row]


def keep_screen(page: Page) -> None:
    """What is about to be cleared becomes text."""
    page.unfold()
    written = [index for index, row in enumerate(page.rows) if isinstance(row, ScreenRow) and row.cells]
    if written:
        # Blank rows above the first text are only where the cursor was put: a flood of clears must not multiply them.
        page.final.keep(page.rows[written[0] : page.visible_end(written[0], written[-1] + 1)])


def _shift(page: Page, start: int, count: int, down: bool) -> None:
    """Rows from `start` to the bottom margin make room for blank ones: at `start`, or at the margin.

    Those that are pushed over the other end are lost.
    """
    end = page.layout.bottom + 1
    count = min(count, end - start)
    rows = page.rows[start:end]
    kept = rows[: end - start - count] if down else rows[count:]
    if down and kept:
        kept[:0] = [ScreenRow() for _ in range(count)]
    if len(page.rows) > end:  # what stands below the margin stays where it is
        kept += [ScreenRow() for _ in range(end - start - len(kept))]
    page.rows[start:end] = kept
    page.goto(page.y)
    page.trim()


def shift_lines(down: bool, values: Values, page: Page) -> None:
    page.unfold()
    inside(page)
    if page.layout.top <= page.y <= page.layout.bottom:
        page.x = 0
        _shift(page, page.y, values[0] or 1, down)


def scroll(down: bool, values: Values, page: Page) -> None:
    page.unfold()
    _shift(page, page.layout.top, values[0] or 1, down)
