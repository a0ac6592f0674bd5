"""What a person would see of a terminal at one moment.

Rule 1: a screen is a value; it does not change under its reader.
Rule 2: the model that makes one is made when somebody looks, and fed what is new when somebody looks again.
Rule 3: which emulator draws is nobody's business outside this file: the rest of the house knows `Screen` and `Model`.

pyavt draws. It gives a combining mark or a joiner a cell of its own, so such text stands one column further right than
on most terminals; the clean text of a command's output does not go through it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Final, Self

# A title that somebody wants to read is shorter.
LONGEST_TITLE: Final = 1024
_TITLE: Final = re.compile(r"\x1b\][02];([^\x07\x1b\x9c]{0,1024})(?:\x07|\x1b\\|\x9c)")
_ALTERNATE: Final = re.compile(r"\x1b\[\?(?:47|1047|1049)([hl])")
_BEGUN: Final = re.compile(r"\x1b(?:\][^\x07\x1b\x9c]{0,1024}\x1b?|\[\??[0-9;]{0,8})?\Z")


@dataclass(frozen=True, slots=True)
class Screen:
    """The visible lines of a terminal. It may be awaited, like every answer that comes from a terminal elsewhere."""

    lines: tuple[str, ...]  # one for each row, blanks at the end left out
    cursor: tuple[int, int]  # column and row, from 0
    cursor_visible: bool
    size: tuple[int, int]  # columns and rows
    title: str | None  # as the program set it; None if none did
    alternate: bool  # a full-screen program has the screen
    dump: str  # what to write to an empty terminal of this size to see the same

    @property
    def text(self) -> str:
        """The lines, without the empty ones at the end."""
        return "\n".join(self.lines).rstrip("\n")

    def __str__(self) -> str:
        return self.text

    def __await__(self) -> Generator[None, None, Self]:
        return self
        yield


class Model:
    """Draws what it is fed. Nothing that is printed makes it raise: what is not UTF-8 or no sequence is passed over."""

    def __init__(self, size: tuple[int, int], *, title: str | None = None, alternate: bool = False) -> None:
        """`title` and `alternate`: what is known from before the first byte that will be fed."""
        from avt._avt import Vt

        self._vt = Vt(*size, 0)
        if alternate:
            self._vt.feed_str("\x1b[?1049h")
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._begun = ""  # the last characters, when they may be the first half of a sequence we look for
        self.title = title
        self._alternate = alternate

    def feed(self, data: bytes) -> None:
        text = self._decode(data)
        self._vt.feed_str(text)
        if "\x1b" in text or self._begun:
            text = self._begun + text
            for title in _TITLE.finditer(text):
                self.title = title[1]
            for switch in _ALTERNATE.finditer(text):
                self._alternate = switch[1] == "h"
            begun = _BEGUN.search(text, max(0, len(text) - LONGEST_TITLE - 8))
            self._begun = begun[0] if begun else ""

    def resize(self, size: tuple[int, int]) -> None:
        if self._vt.size != size:
            self._vt.resize(*size)

    def screen(self) -> Screen:
        vt = self._vt
        cursor = vt.cursor
        return Screen(
            lines=tuple(line.text.rstrip() for line in vt.view()),
            cursor=(min(cursor.col, vt.size[0] - 1), cursor.row),
            cursor_visible=cursor.visible,
            size=vt.size,
            title=self.title,
            alternate=self._alternate,
            dump=vt.dump(),
        )
