"""Text that a person would not have seen, but a program reads: said, so that nobody is fooled by it.

Rule 1: nothing is taken out of the text. What was printed is what is shown; this only says that there is more in it
        than meets the eye.
Rule 2: what honest programs print all the time is no news: colours, joined emoji, overwritten progress bars.
"""

from __future__ import annotations

import re
from typing import Final

# SGR 8, "conceal", alone or after plain attributes; the 8 in `38;5;8` is a colour.
_CONCEALED: Final = re.compile(rb"\x1b\[(?:(?:0?[0-7]?|2[0-9]|3[0-79]|4[0-79]|9[0-7]|10[0-7]);)*0?8(?:;[0-9;]*)?m")
# Zero-width space and its kin, direction marks and overrides, and tags: no joiners, which emoji are made of.
_INVISIBLE: Final = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\U000e0000-\U000e007f]")

_LONGEST: Final = 64  # bytes of a sequence with attributes

CONCEALED: Final = "some of the output was printed as hidden text: a person at the terminal would not have seen it"
INVISIBLE: Final = "the output has invisible characters, or ones that change the order in which text is shown"


class Unseen:
    """Watches an output go by."""

    __slots__ = ("_begun", "_concealed", "_invisible")

    def __init__(self) -> None:
        self._concealed = self._invisible = False
        self._begun = b""  # the beginning of a sequence that the next piece may end

    def feed(self, data: bytes, text: str) -> None:
        """The bytes and the clean text made of them, which need not be of the same piece."""
        if not self._concealed and (self._begun or b"\x1b" in data):
            data = self._begun + data
            self._concealed = _CONCEALED.search(data) is not None
            last = data[max(0, len(data) - _LONGEST) :]
            self._begun = last[at:] if (at := last.rfind(b"\x1b")) >= 0 and b"m" not in last[at:] else b""
        if not self._invisible and not text.isascii():
            self._invisible = _INVISIBLE.search(text) is not None

    def notes(self) -> tuple[str, ...]:
        return (*((CONCEALED,) if self._concealed else ()), *((INVISIBLE,) if self._invisible else ()))
