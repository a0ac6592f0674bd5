"""REP (`ESC [ n b`) repeats a character n times. In what is drawn on a screen no n is larger than the screen is wide.

Rule 1: a sequence that is cut off waits for its end, `LONGEST_SEQUENCE` characters of it at most.
Rule 2: controls inside a sequence take effect at once, and the sequence goes on, as emulators have it: they are put in
        front of it.
Rule 3: everything else is as it came.
"""

from __future__ import annotations

from typing import Final

from truetty.core import lazy
from truetty.text.sequences import LONGEST_SEQUENCE

_C0: Final = r"\x00-\x17\x19\x1c-\x1f\x7f"  # what may stand inside a sequence
_BEGUN: Final = rf"(?:\x1b[{_C0}]*\[|\x9b)[{_C0} -?]*"
_REPEAT: Final = lazy.pattern(rf"({_BEGUN})b")
_CUT: Final = lazy.pattern(rf"\x1b[{_C0}]*\Z|{_BEGUN}\Z")
_CONTROLS: Final = lazy.pattern(rf"[{_C0}]+")
_COUNT: Final = lazy.pattern(r"(?<=\[)[0-9]+")


class BoundedRepeats:
    def __init__(self) -> None:
        self._cut = ""  # a sequence whose end has not come

    def feed(self, text: str, columns: int) -> str:
        """The text with its repeats bounded, up to a sequence that its end cuts off."""
        text = self._cut + text
        self._cut = ""
        last = max(text.rfind("\x1b"), text.rfind("\x9b"))
        if last < 0:
            return text
        cut = _CUT.match(text, last)
        if cut is not None:
            controls, sequence = _apart(cut[0])
            text, self._cut = text[:last] + controls, sequence[:LONGEST_SEQUENCE]
        return _REPEAT.sub(lambda found: _bounded(found[1], columns), text) if "b" in text else text


def _apart(sequence: str) -> tuple[str, str]:
    """The controls in it, and what is left, with ESC [ at its beginning."""
    controls = "".join(_CONTROLS.findall(sequence[1:]))
    rest = sequence[0] + _CONTROLS.sub("", sequence[1:])
    return controls, rest.replace("\x9b", "\x1b[")


def _bounded(begun: str, columns: int) -> str:
    controls, sequence = _apart(begun)
    return controls + _COUNT.sub(lambda count: str(_at_most(count[0], columns)), sequence, count=1) + "b"


def _at_most(digits: str, most: int) -> int:
    digits = digits.lstrip("0")
    return most if len(digits) > len(str(most)) else min(int(digits or "0"), most)
