"""Text that a person does not see, but a program reads: which characters these are, and whether an output holds any.

Rule 1: this is the one table of them. `Unseen` warns of an output, `asciicast` escapes, `policy` asks.
Rule 2: nothing is taken out of the text. A note says that it contains text that a person would not have seen.
Rule 3: what programs print all the time makes no note: colours, joined emoji, spinners, overwritten progress bars.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from truetty.core import lazy

# As ranges of a character class. Soft hyphen, zero-width spaces, direction marks and overrides, line and paragraph
# separators, fillers, invisible operators, shorthand and musical controls, annotations, tags and rare selectors.
HIDING: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# The joiners and selectors that emoji and some scripts are made of, and the blank that spinners and graphs are.
COMMON: Final = "\u200c\u200d\u2800\ufe00-\ufe0f"

# Of a single character, more is suspect: controls, formats, private use, what Unicode has not assigned.
_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_UNSEEN: Final = lazy.pattern(f"[{HIDING}{COMMON}]")

# Attributes that may conceal: an 8 somewhere, or a colour and the same as background.
_SUSPECT: Final = lazy.pattern(rb"\x1b\[([0-9;:]*(?:8|3[0-7];0*4|9[0-7];0*10|4[0-7];0*3|10[0-7];0*9)[0-9;:]*)m")
_HIDING: Final = lazy.pattern(f"[{HIDING}]")
_MOST_KNOWN: Final = 1000  # sequences whose meaning is remembered

_LONGEST: Final = 64  # bytes of a sequence with attributes

CONCEALED: Final = "some of the output was printed as hidden text: a person at the terminal would not have seen it"
INVISIBLE: Final = "the output has invisible characters, or ones that change the order in which text is shown"


def is_unseen(character: str) -> bool:
    """Whether a person sees nothing, or a blank that is not a space, where it stands."""
    if character.isascii():
        return not character.isprintable()
    return unicodedata.category(character) in _CATEGORIES or _UNSEEN.match(character) is not None


class Unseen:
    """Watches an output go by."""

    __slots__ = ("_begun", "_concealed", "_invisible", "_known")

    def __init__(self) -> None:
        self._concealed = self._invisible = False
        self._known: set[bytes] = set()  # sequences that conceal nothing
        self._begun = b""  # the beginning of a sequence that the next piece may end

    def feed(self, data: bytes, text: str) -> None:
        """The bytes and the clean text made of them, which need not be of the same piece."""
        if not self._concealed and (self._begun or b"\x1b" in data):
            data = self._begun + data
            self._concealed = self._conceals(data)
            last = data[max(0, len(data) - _LONGEST) :]
            self._begun = last[at:] if (at := last.rfind(b"\x1b")) >= 0 and b"m" not in last[at:] else b""
        if not self._invisible and not text.isascii():
            self._invisible = _HIDING.search(text) is not None

    def _conceals(self, data: bytes) -> bool:
        for parameters in set(_SUSPECT.findall(data)) - self._known:
            if _conceals(parameters):
                return True
            if len(self._known) < _MOST_KNOWN:
                self._known.add(parameters)
        return False

    def notes(self) -> tuple[str, ...]:
        return (*((CONCEALED,) if self._concealed else ()), *((INVISIBLE,) if self._invisible else ()))


def _conceals(parameters: bytes) -> bool:
    """Whether these attributes make text invisible: SGR 8, or a colour on itself."""
    values = [parameter.split(b":") for parameter in parameters.split(b";")]
    front: object = None
    back: object = None
    while values:
        first, *inner = values.pop(0)
        number = int(first or b"0")
        colour: object = None
        if number in (38, 48):
            if not inner and values:
                count = {5: 2, 2: 4}.get(int(values[0][0] or b"0"), 1)
                inner = [value[0] for value in values[:count]]
                del values[:count]
            colour = tuple(int(value or b"0") for value in inner)
        elif number in (*range(30, 38), *range(40, 48), *range(90, 98), *range(100, 108)):
            colour = (number % 10, number >= 90)
        if number == 8:
            return True
        if colour is not None and (number in (38, *range(30, 38), *range(90, 98))):
            front = colour
        elif colour is not None:
            back = colour
    return front is not None and front == back
