"""From a control character or sequence to what it does to a page.

Rule 1: one table from a sequence's shape (prefix, intermediates, final) to a function; what is not in it does nothing.
Rule 2: left out on purpose: DECALN's screen of E, double-width rows, national character sets, left and right margins,
        wrapping backwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from truetty.output import modes, moves
from truetty.output.moves import Values
from truetty.output.page import Page

Action = Callable[[Page], None]

_CSI = re.compile(r"\x1b\[([<-?]?)([0-9;:]*)([ -/]*)([@-~])")
LONGEST = 256  # characters of one sequence that are looked at
_MOST_VALUES = 32
_MOST_KNOWN = 4096
_known: dict[str, tuple[Action, bool]] = {}


def action_for(token: str) -> tuple[Action, bool]:
    """The action of one control character or sequence, and whether it also counts on the alternate screen."""
    found = _known.get(token)
    if found is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        found = _known[token] = _parsed(token)
    return found


def _parsed(token: str) -> tuple[Action, bool]:
    shape, values = token, (0,)
    if token[:2] == "\x1b[":
        if len(token) > LONGEST:
            token = token[: LONGEST - 1] + token[-1]
        sequence = _CSI.fullmatch(token)
        if sequence is None:
            return nothing, False
        shape = f"[{sequence[1]}{sequence[3]}{sequence[4]}"
        numbers = sequence[2].split(";")[:_MOST_VALUES]
        values = tuple(int(number.partition(":")[0] or 0) for number in numbers)
    action = _ACTIONS.get(shape)
    if action is None:
        return nothing, False
    return partial(action, values), shape in _EVERYWHERE


def nothing(page: Page) -> None:
    """A sequence without effect on the text."""


_ACTIONS: dict[str, Callable[[Values, Page], None]] = {
    "\r": moves.carriage_return, "\n": moves.line_feed, "\r\n": moves.next_line, "\v": moves.line_feed, "\f": moves.line_feed, "\b": moves.backspace, "\t": moves.tab,
    "\x0e": partial(modes.use_set, 1), "\x0f": partial(modes.use_set, 0),
    "[@": moves.insert_characters, "[A": moves.up, "[B": moves.down, "[C": moves.right, "[D": moves.left, "[E": moves.down_first, "[F": moves.up_first,
    "[G": moves.to_column, "[H": moves.position, "[I": moves.tabs_right, "[J": moves.erase_page, "[?J": moves.erase_page, "[K": moves.erase_line,
    "[?K": moves.erase_line, "[L": moves.insert_lines, "[M": moves.delete_lines, "[P": moves.delete_characters, "[S": moves.scroll_up,
    "[T": moves.scroll_down, "[X": moves.erase_characters, "[Z": moves.tabs_left, "[`": moves.to_column, "[a": moves.right, "[b": moves.repeat,
    "[d": moves.to_row, "[e": moves.row_down, "[f": moves.position, "[g": modes.clear_stop, "[h": partial(modes.set_modes, True),
    "[l": partial(modes.set_modes, False), "[?h": partial(modes.set_private_modes, True), "[?l": partial(modes.set_private_modes, False),
    "[r": modes.set_margins, "[s": modes.save_cursor, "[u": modes.restore_cursor, "[!p": modes.soft_reset,
    "\x1b7": modes.save_cursor, "\x1b8": modes.restore_cursor, "\x1bD": moves.index, "\x1bE": moves.next_index, "\x1bH": modes.set_stop,
    "\x1bM": moves.reverse_index, "\x1bc": modes.reset, "\x1b%@": modes.use_default_set, "\x1b%G": modes.use_default_set,
    "\x1b~": partial(modes.use_set, 1), "\x1bn": partial(modes.use_set, 2), "\x1b}": partial(modes.use_set, 2),
    "\x1bo": partial(modes.use_set, 3), "\x1b|": partial(modes.use_set, 3),
}  # fmt: skip
for _slot, _marks in enumerate(("(", ")-", "*.", "+")):
    for _mark in _marks:
        for _set_name in "0AB":
            _ACTIONS[f"\x1b{_mark}{_set_name}"] = partial(modes.designate, _slot, _set_name == "0")

_EVERYWHERE = {shape for shape in _ACTIONS if shape[-1] in "hlpc8\x0e\x0fno|}~@G0AB" and shape not in ("[@", "[G", "[A", "[B")}
