"""Modes: what changes how later text is laid out.

Rule 1: a mode never reaches back: the page is unfolded before any of them changes.
Rule 2: `plain` is true only while none of them is set, and only then may text stay text.
"""

from __future__ import annotations

from truetty.text.moves import Values, keep_screen, move_to
from truetty.text.page import Page
from truetty.text.stops import changed

PRIVATE = frozenset({2, 6, 7, 47, 1047, 1048, 1049})  # the private modes that matter here


def _weigh(page: Page) -> None:
    """Say again whether text may stay text."""
    margins = page.top != 0 or page.bottom != page.height - 1
    odd = page.insert or not page.autowrap or page.origin or page.newline or page.drawing or page.level
    page.plain = not (margins or odd or page.alternate or page.stops is not None)


def set_modes(on: bool, values: Values, page: Page) -> None:
    page.unfold()
    for value in values:
        if value == 4:
            page.insert = on
        elif value == 20:
            page.newline = on
    _weigh(page)


def set_private_modes(on: bool, values: Values, page: Page) -> None:
    page.unfold()
    for value in values:
        match value:
            case 2 if on:
                page.sets, page.drawing = (False,) * 4, False
            case 6:
                page.origin = on
                if not page.alternate:
                    move_to(page, 0, page.top if on else 0)
            case 7:
                page.autowrap = on
            case 47 | 1047 | 1048 | 1049:
                if value in (1048, 1049) and on:
                    save_cursor((), page)
                if value != 1048:
                    page.alternate = on
                if value in (1048, 1049) and not on:
                    restore_cursor((), page)
    _weigh(page)


def set_margins(values: Values, page: Page) -> None:
    page.unfold()
    top = values[0] or 1
    bottom = values[1] if len(values) > 1 and 0 < values[1] <= page.height else page.height
    if bottom > top:
        page.top, page.bottom = top - 1, bottom - 1
        _weigh(page)
        move_to(page, 0, page.top if page.origin else 0)


def save_cursor(values: Values, page: Page) -> None:
    if not page.alternate:
        page.unfold()
        page.saved = (page.x, page.y, page.drawing)


def restore_cursor(values: Values, page: Page) -> None:
    if page.alternate:
        page.drawing = False
    else:
        x, y, page.drawing = page.saved
        move_to(page, x, y)
    _weigh(page)


def designate(slot: int, drawing: bool, values: Values, page: Page) -> None:
    if page.sets[slot] == drawing and (page.level != slot or page.drawing == drawing):
        return  # curses says it again with every colour
    page.unfold()
    page.sets = (*page.sets[:slot], drawing, *page.sets[slot + 1 :])
    if page.level == slot:
        page.drawing = drawing
    _weigh(page)


def use_set(level: int, values: Values, page: Page) -> None:
    page.unfold()
    page.level = level
    page.drawing = page.sets[level]
    _weigh(page)


def use_default_set(values: Values, page: Page) -> None:
    use_set(0, values, page)
    designate(0, False, values, page)


def set_stop(values: Values, page: Page) -> None:
    page.unfold()
    page.stops = changed(page.stops, page.x, page.columns, there=True)
    _weigh(page)


def clear_stop(values: Values, page: Page) -> None:
    page.unfold()
    if values[0] == 0:
        page.stops = changed(page.stops, page.x, page.columns, there=False)
    elif values[0] == 3:
        page.stops = ()
    _weigh(page)


def soft_reset(values: Values, page: Page) -> None:
    page.unfold()
    page.insert = page.origin = page.drawing = False
    page.autowrap = True
    page.sets, page.level = (False,) * 4, 0
    if not page.alternate:
        page.top, page.bottom = 0, page.height - 1
        page.saved = (0, 0, False)
    _weigh(page)


def reset(values: Values, page: Page) -> None:
    keep_screen(page)
    page.alternate = page.newline = False
    soft_reset(values, page)
    page.stops = None
    page.rows.clear()
    page.x = page.y = 0
    page.goto(0)
    _weigh(page)
