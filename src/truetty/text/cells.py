"""A screen row as plain text with exactly one character per cell, so that rows are cut and joined by slicing.

Rule 1: a narrow character is its own cell; a wide one is followed by `HALF`; a tab is a tab followed by `GAP`s.
Rule 2: a base with marks is one private code from `Clusters`. No code collides with input: fillers are surrogates,
        which UTF-8 cannot carry, and plane 16, whence the codes come, is itself put through the table.
Rule 3: `BLANK` is a cell that was never written. Inside a row it reads as a space, at its end as nothing.
Rule 4: laying a text out in cells and rendering them gives that text back, character for character.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from truetty.core import lazy
from truetty.text.sequences import ERASE_ALL, ERASE_RIGHT

BLANK = "\0"
HALF = "\udc00"  # the second cell of a wide character
GAP = "\udc01"  # a cell a tab has passed over
LONE = "\udc02"  # the base of a cell that holds nothing but zero-width text
TAB_WIDTH = 8

_FIRST_CODE = 0x100000
_MOST_CODES = 0xFFFE
# Unicode's stream-safe format allows 30 marks in a row; more of them is not writing, and a cell must stay small.
MOST_MARKS = 30

# Whatever is surely one cell wide. Coarse on purpose: the rest is looked up character by character, and a class of
# few ranges is scanned many times faster than an exact one.
_SURE = (
    " -~\xa0-\xac\xae-\u02ff\u0370-\u0377\u0384-\u038a\u038e-\u03a1\u03a3-\u0482\u048a-\u052f"
    "\u2010-\u2027\u2030-\u205e\u2070\u20a0-\u20bf\u2100-\u2319\u2500-\u25fc\u2800-\u28ff\ue000-\uf8ff\ufffd"
)
UNSURE = lazy.pattern(f"[^{_SURE}]")
UNSURE_LINE = lazy.pattern(f"[^{_SURE}\r{ERASE_RIGHT}{ERASE_ALL}]")
_STEPS = lazy.pattern(f"([\r{ERASE_RIGHT}{ERASE_ALL}])")
_CODE = lazy.pattern("[\U00100000-\U0010ffff]")
_TABULAR = lazy.pattern(f"\t{GAP}*|{GAP}+")
_END = lazy.pattern(f"{BLANK}[{BLANK}\t]*\\Z")  # unwritten cells, and tabs over them, at the end of a row


class _Widths(dict[str, int]):
    """Cells per character, looked up once: 0, 1 or 2, and -1 for plane 16, which must go through the table."""

    def __missing__(self, char: str) -> int:
        code = ord(char)
        category = unicodedata.category(char)
        if code >= _FIRST_CODE:
            width = -1
        elif category == "Cn":
            # Not assigned: one cell, but for the two planes Unicode has set aside for ideographs.
            width = 2 if 0x20000 <= code <= 0x3FFFD else 1
        elif 0x1160 <= code <= 0x11FF or (category in ("Mn", "Me", "Cf") and code != 0xAD):
            width = 0  # marks, joiners, and the vowels and finals that complete a Hangul syllable
        else:
            width = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if len(self) > 20_000:  # a bound, for a stream that walks through all of Unicode
            self.clear()
        self[char] = width
        return width


WIDTHS = _Widths()


class Clusters:
    """The private codes of one page: each stands for a base and what was stacked on it."""

    __slots__ = ("_codes", "_texts", "hold_gaps")

    def __init__(self) -> None:
        self._codes: dict[str, str] = {}
        self._texts: dict[int, str] = {}  # by code, as `str.translate` wants it
        self.hold_gaps = False  # some of the texts begin with a cell that a tab has passed over

    def code(self, text: str) -> str:
        code = self._codes.get(text)
        if code is None:
            if len(self._codes) >= _MOST_CODES:
                return text[0] if WIDTHS[text[0]] > 0 else " "  # more than a screen of them: the base must do
            code = chr(_FIRST_CODE + len(self._codes))
            self._codes[text] = code
            self._texts[ord(code)] = text
            self.hold_gaps = self.hold_gaps or text[0] == GAP
        return code

    def text(self, cell: str) -> str:
        return self._texts.get(ord(cell), cell)

    def crowded(self) -> bool:
        return len(self._codes) > _MOST_CODES // 2

    def cells(self, text: str) -> str:
        """The text laid out in cells, marks stacked on what they follow; one at the beginning has its own cell."""
        cells: list[str] = []
        for char in text:
            width = WIDTHS[char]
            if width == 1:
                cells.append(char)
            elif width == 2:
                cells += (char, HALF)
            elif width < 0:
                cells.append(self.code(char))
            elif not cells:
                cells.append(char)
            else:
                at = -2 if cells[-1] == HALF else -1
                base = self.text(cells[at])
                if WIDTHS[base[0]] == 0 or len(base) > MOST_MARKS:
                    cells.append(char)
                else:
                    cells[at] = self.code(base + char)
        return "".join(cells)

    def stacked(self, cells: str, at: int, char: str) -> str | None:
        """The row with a mark, or a tab, added to the cell at `at`; None when there is none, or no room in it."""
        if at < 0 or at >= len(cells):
            return None
        if cells[at] == HALF:
            at -= 1
        base = self.text(cells[at])
        if base[0] == BLANK or len(base) > MOST_MARKS:
            return None
        if char != "\t" and (base[0] in "\t" + GAP + LONE or WIDTHS[base[0]] == 0):
            return None
        return cells[:at] + self.code(base + char) + cells[at + 1 :]

    def recode(self, rows: Sequence[str]) -> list[str]:
        """The rows with new codes; codes that no row has are forgotten."""
        rows_of_texts = [[self.text(cell) for cell in cells] for cells in rows]
        self._codes.clear()
        self._texts.clear()
        self.hold_gaps = False
        return [
            "".join(text if len(text) == 1 and WIDTHS[text] >= 0 else self.code(text) for text in texts)
            for texts in rows_of_texts
        ]

    def expand(self, cells: str) -> str:
        first = _CODE.search(cells)
        if first is None:
            return cells
        # One that fills the row, as REP does, is replaced ten times as fast as it is looked up cell by cell.
        others = cells.replace(first[0], "")
        if _CODE.search(others) is None:
            return cells.replace(first[0], self.text(first[0]))
        return cells.translate(self._texts)


def render(cells: str, columns: int, clusters: Clusters) -> str:
    """The text a row stands for."""
    if cells.isascii() and "\t" not in cells:
        return cells.rstrip(BLANK).replace(BLANK, " ") if BLANK in cells else cells
    coded = _CODE.search(cells) is not None
    if coded and ("\t" in cells or GAP in cells or clusters.hold_gaps):
        return _render_each(cells, columns, clusters)
    if "\t" in cells or GAP in cells:
        cells = _TABULAR.sub(lambda found: _tab(found.start(), len(found[0]), found[0][0] == "\t", columns), cells)
    text = _END.sub("", cells).replace(BLANK, " ").replace(HALF, "")
    return clusters.expand(text).replace(LONE, "") if coded else text


def _tab(start: int, length: int, headed: bool, columns: int) -> str:
    """A tab whose cells are all still there, or the blanks that are left of it."""
    width = min((start // TAB_WIDTH + 1) * TAB_WIDTH, columns - 1) - start
    return "\t" + BLANK * (length - width) if headed and 0 < width <= length else BLANK * length


def _render_each(cells: str, columns: int, clusters: Clusters) -> str:
    """Tabs and stacked cells in one row: the stacked text must not disturb the counting of the tab's cells."""
    texts = [clusters.text(cell) for cell in cells]
    bases = "".join(text[0] for text in texts)
    shown = list(bases)
    for found in _TABULAR.finditer(bases):
        resolved = _tab(found.start(), len(found[0]), found[0][0] == "\t", columns)
        shown[found.start() : found.end()] = [*resolved, *[""] * (len(found[0]) - len(resolved))]
    whole = "".join(base + text[1:] for base, text in zip(shown, texts, strict=True))
    return _END.sub("", whole).replace(BLANK, " ").replace(HALF, "").replace(LONE, "")


def overwrite(cells: str, start: int, text: str) -> str:
    """The row with `text` at `start`; a wide character that loses one of its cells loses both."""
    size = len(cells)
    if size < start:
        return cells + BLANK * (start - size) + text
    end = start + len(text)
    left, right = cells[:start], cells[end:]
    if not cells.isascii():
        if cells[start : start + 1] == HALF:
            left = left[:-1] + BLANK
        if right[:1] == HALF:
            right = BLANK + right[1:]
    return left + text + right


def erase(cells: str, start: int, end: int) -> str:
    """The row with the cells from `start` to before `end` blank."""
    if end >= len(cells):
        if cells[start : start + 1] == HALF:
            start -= 1
        return cells[:start].rstrip(BLANK)
    return overwrite(cells, start, BLANK * (end - start)).rstrip(BLANK)


def insert(cells: str, start: int, text: str, columns: int) -> str:
    """The row with `text` pushed in at `start`; what leaves at the right end is lost."""
    cells = cells.ljust(start, BLANK)
    left, right = cells[:start], cells[start:]
    if right[:1] == HALF:
        left, right = left[:-1] + BLANK, BLANK + right[1:]
    whole = left + text + right
    return whole[: columns - 1 if whole[columns : columns + 1] == HALF else columns]


def delete(cells: str, start: int, count: int) -> str:
    """The row without `count` cells from `start` on."""
    left, right = cells[:start], cells[start + count :]
    if cells[start : start + 1] == HALF:
        left = left[:-1] + BLANK
    if right[:1] == HALF:
        right = BLANK + right[1:]
    return (left + right).rstrip(BLANK)


def update(cells: str, x: int, line: str, columns: int) -> tuple[str, int] | None:
    """The row and the cursor after a line of returns, `ERASE_RIGHT`, `ERASE_ALL` and narrow text; else None."""
    if UNSURE_LINE.search(line):
        return None
    first, *others = line.split("\r")
    if x + len(first) > columns or (others and len(max(others, key=len)) > columns):
        return None
    if ERASE_RIGHT not in line and ERASE_ALL not in line:
        cells, x = overwrite(cells, x, first) if first else cells, x + len(first)
        for update in others:
            cells, x = overwrite(cells, 0, update) if update else cells, len(update)
        return cells, x
    # An update that erases leaves nothing of those before it: begin at the last such one.
    for index in range(len(others) - 1, -1, -1):
        if ERASE_RIGHT in others[index] or ERASE_ALL in others[index]:
            first, others, cells, x = others[index], others[index + 1 :], "", 0
            break
    for part in _STEPS.split("\r".join([first, *others])):
        if part == "\r":
            x = 0
        elif part == ERASE_RIGHT:
            cells = erase(cells, x, columns)
        elif part == ERASE_ALL:
            cells = ""
        elif part:
            cells = overwrite(cells, x, part)
            x += len(part)
    return cells, x
