"""Modes: what changes how later text is laid out.

Rule 1: a mode never reaches back: the page is unfolded before any of them changes.
Rule 2: `plain` is true only while none of them is set, and only then may text stay text.
"""

from __future__ import annotations

from truetty.text.layout import Layout
from truetty.text.moves import Values, keep_screen, move_to
from truetty.text.page import Page
from truetty.text.stops import change

PRIVATE = frozenset({2, 6, 7, 47, 1047, 1048, 1049})  # the private modes that matter here


def set_modes(on: bool, values: Values, page: Page) -> None:
    layout = page.layout
    page.unfold()
    for value in values:
        if value == 4:
            layout.insert = on
        elif value == 20:
            layout.newline = on
    layout.weigh()


def set_private_modes(on: bool, values: Values, page: Page) -> None:
    layout = page.layout
    page.unfold()
    for value in values:
        match value:
            case 2 if on:
                layout.sets, layout.drawing = (False,) * 4, False
            case 6:
                layout.origin = on
                if not layout.alternate:
                    move_to(page, 0, layout.top if on else 0)
            case 7:
                layout.autowrap = on
            case 47 | 1047 | 1048 | 1049:
                if value in (1048, 1049) and on:
                    save_cursor((), page)
                if value != 1048:
                    layout.was_alternate = layout.alternate and not on
                    layout.alternate = on
                if value in (1048, 1049) and not on:
                    restore_cursor((), page)
    layout.weigh()


def set_margins(values: Values, page: Page) -> None:
    layout = page.layout
    page.unfold()
    top = values[0] or 1
    bottom = values[1] if len(values) > 1 and 0 < values[1] <= page.height else page.height
    if bottom > top:
        layout.top, layout.bottom = top - 1, bottom - 1
        layout.weigh()
        move_to(page, 0, layout.top if layout.origin else 0)


def save_cursor(values: Values, page: Page) -> None:
    if not page.layout.alternate:
        page.unfold()
        page.saved = (page.x, page.y, page.layout.drawing)


def restore_cursor(values: Values, page: Page) -> None:
    layout = page.layout
    if layout.alternate:
        layout.drawing = False
    else:
        x, y, layout.drawing = page.saved
        move_to(page, x, y)
    layout.weigh()


def designate(slot: int, drawing: bool, values: Values, page: Page) -> None:
    layout = page.layout
    if layout.sets[slot] == drawing and (layout.level != slot or layout.drawing == drawing):
        return  # curses says it again with every colour
    page.unfold()
    layout.sets = (*layout.sets[:slot], drawing, *layout.sets[slot + 1 :])
    if layout.level == slot:
        layout.drawing = drawing
    layout.weigh()


def use_set(level: int, values: Values, page: Page) -> None:
    layout = page.layout
    page.unfold()
    layout.level = level
    layout.drawing = layout.sets[level]
    layout.weigh()


def use_default_set(values: Values, page: Page) -> None:
    use_set(0, values, page)
    designate(0, False, values, page)


def set_stop(values: Values, page: Page) -> None:
    layout = page.layout
    page.unfold()
    layout.stops = change(layout.stops, page.x, page.columns, there=True)
    layout.weigh()


def clear_stop(values: Values, page: Page) -> None:
    layout = page.layout
    page.unfold()
    if values[0] == 0:
        layout.stops = change(layout.stops, page.x, page.columns, there=False)
    elif values[0] == 3:
        layout.stops = ()
    layout.weigh()


def soft_reset(values: Values, page: Page) -> None:
    layout = page.layout
    page.unfold()
    layout.insert = layout.origin = layout.drawing = False
    layout.autowrap = True
    layout.sets, layout.level = (False,) * 4, 0
    if not layout.alternate:
        layout.top, layout.bottom = 0, page.height - 1
        page.saved = (0, 0, False)
    layout.weigh()


def reset(values: Values, page: Page) -> None:
    keep_screen(page)
    page.layout = Layout(page.height)
    page.saved = (0, 0, False)
    page.rows.clear()
    page.x = page.y = 0
    page.goto(0)
