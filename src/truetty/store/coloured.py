"""The colours of lines that were asked for by their numbers.

Rule 1: the clean text decides what a line is. Colours come from a second look at the bytes, line by line; a line that
        reads otherwise there, as one that was drawn by moves over the screen, has none.
Rule 2: the look is bounded: so many lines around those that were asked for, for the last ones the last `LAST` bytes.
"""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from truetty.store.line_slice import LONGEST, LineSlice
from truetty.store.slices import Work
from truetty.store.window import Window
from truetty.text.colours import PLAIN, PrintedLine, Run, after

LAST: Final = 1 << 18  # bytes
NEAR: Final = 64  # lines: so far from its number a line is looked for, since moves can take lines away or add some
MOST_RUNS: Final = 4000  # of one answer: with what stands around them, about 80 kB
MOST_OF_LINE: Final = 400
_LONGEST_PRINTED: Final = 4 * LONGEST  # characters, with the sequences in them; the rest of a longer line is dropped

Runs = tuple[tuple[Run, ...], ...]


def coloured(window: Window, found: LineSlice) -> Work[LineSlice]:
    """The same lines, with their colours."""
    left = MOST_RUNS
    head: Runs = ()
    if found.lines:
        first = max(1, found.first - NEAR)
        lines = yield from _printed(window, window.start, first, len(found.lines) + 2 * NEAR)
        head = yield from _matched(found.lines, lines, found.first - first, left)
        left -= sum(map(len, head))
    tail: Runs = ()
    if found.tail:
        start = max(window.start, window.visible() - LAST)
        lines = yield from _printed(window, start, None, len(found.tail) + NEAR)
        tail = yield from _matched(found.tail, lines, len(lines) - len(found.tail), left)
    return replace(found, colours=head, tail_colours=tail)


def _printed(window: Window, start: int, first: int | None, count: int) -> Work[Sequence[PrintedLine]]:
    """Lines as they were printed: `count` from number `first` on; None: the last ones."""
    made: deque[PrintedLine] = deque(maxlen=count if first is None else None)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    number, begun, style = 1, "", PLAIN
    for _, data in window.pieces(start, window.visible()):
        text = begun + decode(data)
        newlines = text.count("\n")
        if first is not None and number + newlines < first:
            whole, _, begun = text.rpartition("\n")
            style, number = after(whole, style), number + newlines
        else:
            *lines, begun = text.split("\n")
            for line in lines:
                if first is None or number >= first:
                    made.append(PrintedLine(line, style))
                style, number = after(line, style), number + 1
        begun = begun[:_LONGEST_PRINTED]
        if first is not None and len(made) >= count:
            break
        yield
    if begun:
        made.append(PrintedLine(begun, style))
    return list(made)


def _matched(lines: Sequence[str], printed: Sequence[PrintedLine], at: int, most: int) -> Work[Runs]:
    """The runs of each line; `at`: where the first of them is expected. Not more than `most` in all."""
    made: list[tuple[Run, ...]] = []
    for line in lines:
        place = _place(line, printed, at)
        at = (at if place is None else place) + 1
        runs = () if place is None else printed[place].runs
        if len(runs) > min(MOST_OF_LINE, most):
            runs = ()
        most -= len(runs)
        made.append(runs)
        yield
    return tuple(made)


def _place(line: str, printed: Sequence[PrintedLine], at: int) -> int | None:
    if not line.strip():
        return None  # it looks like any other empty one
    last = len(printed) - 1
    near = (*range(at, at + NEAR), *range(at - 1, at - NEAR, -1))
    return next((one for one in near if 0 <= one <= last and printed[one].text[:LONGEST] == line), None)
