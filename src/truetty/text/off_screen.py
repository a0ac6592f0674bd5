"""Lines that scroll off the screen within one piece of text are left out: an emulator takes microseconds for each.

Rule 1: the screen is the same afterwards, to the last cell. A piece is left as it is where that is not certain.
Rule 2: certain are pieces with no control character but line ends and tabs, between sequences, on a screen that scrolls
        as a whole. After as many line ends as it has rows the cursor is in the last one. After as many more, all rows
        have scrolled in, in the colour of that moment, and were printed since.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from truetty.core import lazy

# Shorter ones are drawn in less time than it takes to ask how the screen scrolls.
SHORTEST: Final = 16 << 10
_CONTROL: Final = lazy.pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_C1: Final = lazy.pattern(r"[\x80-\x9f]")
_WHOLE: Final = lazy.pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[ -/]*[0-MQ-WYZ\\`-~])")


class OffScreen:
    def __init__(self) -> None:
        self._in_sequence = False  # what was drawn may end in the middle of one

    def leave_out(self, text: str, rows: int, scrolls_whole: Callable[[], bool]) -> str:
        """What an emulator with so many rows must draw of this text. `scrolls_whole`: whether all rows scroll."""
        if _CONTROL.search(text) is not None:
            escape = text.rfind("\x1b")
            if _C1.search(text, max(escape, 0)) is not None:
                self._in_sequence = True
            elif escape >= 0:
                self._in_sequence = _WHOLE.match(text, escape) is None
            return text
        if len(text) < SHORTEST or self._in_sequence:
            return text
        start = len(text)
        for _ in range(2 * rows + 1):
            start = text.rfind("\r\n", 0, start)
            if start < 0:
                return text
        shown = text[start + 2 :]
        # REP repeats the last character that was printed. It must not be one that is left out.
        has_letter = not shown.isspace() or text.isspace()
        return shown if has_letter and scrolls_whole() else text
