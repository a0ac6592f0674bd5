"""What a command has printed, drawn on a screen that is as high as its text."""

from __future__ import annotations

from typing import Final

from truetty.core import lazy
from truetty.text.picture import MOST_CELLS, check
from truetty.text.screen import Model

MOST_ROWS: Final = 1000

# A program that places text by rows, or scrolls some of them, means the rows of its own screen.
_PLACED: Final = lazy.pattern(rb"\x1b\[[0-9;]*[Hfdr]")


def fit(data: bytes, size: tuple[int, int]) -> Model:
    """What a command has printed, on a screen as high as its text; on one of this size if it draws on the screen."""
    model = _draw(data, size)
    if model.screen().alternate or _PLACED.search(data):
        return model
    columns = size[0]
    tall = _draw(data, (columns, min(MOST_ROWS, MOST_CELLS // columns)))
    used = max((number for number, runs in enumerate(tall.rows(), 1) if any(run.visible for run in runs)), default=1)
    tall.crop(used)  # drawn anew on so few rows, what follows the text would scroll it away: `text\n ESC [ K \n`
    return tall


def _draw(data: bytes, size: tuple[int, int]) -> Model:
    check(*size)
    model = Model(size)
    model.feed(data.removesuffix(b"\n"))
    return model
