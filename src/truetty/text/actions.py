"""From a control character or sequence to what it does to a page.

Rule 1: one table from a sequence's shape (prefix, intermediates, final) to a function; what is not in it does nothing.
Rule 2: left out on purpose: DECALN's screen of E, double-width rows, national character sets, left and right margins,
        wrapping backwards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from truetty.core import lazy
from truetty.text import modes, moves
from truetty.text.moves import Values
from truetty.text.page import Page
from truetty.text.sequences import LONGEST_SEQUENCE

Action = Callable[[Page], None]
Change = Callable[[Values, Page], None]

_CSI = lazy.pattern(r"\x1b\[([<-?]?)([0-9;:]*)([ -/]*)([@-~])")
_MOST_VALUES = 32
_MOST_KNOWN = 4096  # distinct sequences remembered


class _ByToken(dict[str, tuple[Action, bool]]):
    """By control character or sequence: its action, and whether it also counts on the alternate screen."""

    def __missing__(self, token: str) -> tuple[Action, bool]:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        found = self[token] = _parse(token)
        return found


def _parse(token: str) -> tuple[Action, bool]:
    shape = token
    values: Values = (0,)
    if token[:2] == "\x1b[":
        if len(token) > LONGEST_SEQUENCE:
            token = token[: LONGEST_SEQUENCE - 1] + token[-1]
        sequence = _CSI.fullmatch(token)
        if sequence is None:
            return nothing, False
        shape = f"[{sequence[1]}{sequence[3]}{sequence[4]}"
        numbers = sequence[2].split(";")[:_MOST_VALUES]
        values = tuple(int(number.partition(":")[0] or 0) for number in numbers)
        if shape in ("[?h", "[?l") and not modes.PRIVATE.intersection(values):
            return nothing, False
    action = _ACTIONS.get(shape) or _EVERYWHERE.get(shape)
    return partial(action, values) if action else nothing, shape in _EVERYWHERE


def nothing(page: Page) -> None:
    """A sequence without effect on the text."""


_ACTIONS: dict[str, Change] = {
    "\b": moves.backspace,
    "\t": moves.tab,
    "\n": moves.line_feed,
    "\v": moves.line_feed,
    "\f": moves.line_feed,
    "\r": moves.carriage_return,
    "\r\n": moves.next_line,
    "[@": moves.insert_characters,
    "[A": partial(moves.up_or_down, -1, False),
    "[B": partial(moves.up_or_down, 1, False),
    "[C": moves.right,
    "[D": moves.left,
    "[E": partial(moves.up_or_down, 1, True),
    "[F": partial(moves.up_or_down, -1, True),
    "[G": moves.to_column,
    "[H": moves.position,
    "[I": moves.tabs_right,
    "[J": moves.erase_page,
    "[?J": moves.erase_page,
    "[K": moves.erase_line,
    "[?K": moves.erase_line,
    "[L": partial(moves.shift_lines, True),
    "[M": partial(moves.shift_lines, False),
    "[P": moves.delete_characters,
    "[S": partial(moves.scroll, False),
    "[T": partial(moves.scroll, True),
    "[X": moves.erase_characters,
    "[Z": moves.tabs_left,
    "[`": moves.to_column,
    "[a": moves.right,
    "[b": moves.repeat,
    "[d": moves.to_row,
    "[e": moves.row_down,
    "[f": moves.position,
    "[g": modes.clear_stop,
    "[r": modes.set_margins,
    "[s": modes.save_cursor,
    "[u": modes.restore_cursor,
    "\x1b7": modes.save_cursor,
    "\x1bD": moves.index,
    "\x1bE": moves.next_index,
    "\x1bH": modes.set_stop,
    "\x1bM": moves.reverse_index,
}
# What reaches beyond the screen it was sent to, so that it counts on the alternate screen too.
_EVERYWHERE: dict[str, Change] = {
    "\x0e": partial(modes.use_set, 1),
    "\x0f": partial(modes.use_set, 0),
    "[h": partial(modes.set_modes, True),
    "[l": partial(modes.set_modes, False),
    "[?h": partial(modes.set_private_modes, True),
    "[?l": partial(modes.set_private_modes, False),
    "[!p": modes.soft_reset,
    "\x1b8": modes.restore_cursor,
    "\x1bc": modes.reset,
    "\x1bn": partial(modes.use_set, 2),
    "\x1bo": partial(modes.use_set, 3),
    "\x1b|": partial(modes.use_set, 3),
    "\x1b}": partial(modes.use_set, 2),
    "\x1b~": partial(modes.use_set, 1),
    "\x1b%@": modes.use_default_set,
    "\x1b%G": modes.use_default_set,
}
for _slot, _marks in enumerate(("(", ")-", "*.", "+")):
    for _mark in _marks:
        for _name in "0AB":
            _EVERYWHERE[f"\x1b{_mark}{_name}"] = partial(modes.designate, _slot, _name == "0")

ACTIONS = _ByToken()
