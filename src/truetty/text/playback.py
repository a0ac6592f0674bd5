"""Which parts of a recording may go to a person's terminal: those that draw, and nothing else.

Rule 1: a recording may come from anywhere. What is not known to draw is left out: questions (a terminal types the
        answer into the shell that comes after), the clipboard, colours for ever, keyboard and mouse modes, pictures,
        which some terminals take from files; and what cannot be undone: tab stops, and the end of what was scrolled
        away. A full reset, which is both, is put together from what can be.
Rule 2: what is let through is written anew, whole and without controls inside, so that no terminal reads it otherwise.
Rule 3: a sequence cut by the end of a piece waits for its rest, up to a bound; of longer strings nothing is kept.
Rule 4: `restore` undoes every mode that was let through; what was drawn stays.
"""

from __future__ import annotations

import re
from typing import Final

from truetty.core import lazy

# Titles and links are shorter.
LONGEST_STRING: Final = 4096

_TOKEN: Final = lazy.pattern(
    r"\x1b\[([\x00-\x17\x19\x1c-\x3f]*)([@-~])"  # 1, 2: parameters and final of a control sequence
    r"|\x1b\]([^\x07\x18\x1a\x1b]*)(?:\x07|\x1b\\)"  # 3: an operating system command
    r"|\x1b[PX^_][^\x18\x1a\x1b]*\x1b\\"
    r"|(\x1b[ -/]*[0-~])"  # 4: a short sequence
    r"|[\x00-\x1f\x7f]"
)
_CUT: Final = lazy.pattern(
    r"\x1b(?:\[[\x00-\x17\x19\x1c-\x3f]*|\][^\x07\x18\x1a\x1b]*\x1b?|[PX^_][^\x18\x1a\x1b]*\x1b?|[ -/]*)?\Z"
)
_STRING_END: Final = lazy.pattern(r"[\x07\x18\x1a]|\x1b\\?")
_INSIDE: Final = lazy.pattern(r"[\x00-\x1f\x7f]")

# C1 controls as the sequences they stand for; those that draw nothing as nothing.
_C1: Final = dict.fromkeys(range(0x80, 0xA0), "") | {
    code: "\x1b" + chr(code - 0x40) for code in (0x84, 0x85, 0x8D, 0x90, 0x98, 0x9B, 0x9C, 0x9D, 0x9E, 0x9F)
}
_CONTROLS: Final = frozenset("\a\b\t\n\v\f\r\x0e\x0f")
_SHORT: Final = lazy.pattern(r"\x1b(?:[78DEM=>NO]|#[34568]|[()*+][0-9A-Z<=>`])")
_PLAIN_FINALS: Final = frozenset("@ABCDEFGHIKLMPSTXZ`abdefmrsu")
# Soft reset; the cursor's shape; filling, erasing, copying and colouring rectangles.
_WITH_INTERMEDIATE: Final = frozenset({"!p", " q", "$r", "$t", "$v", "$x", "$z", "${"})
_PARAMETERS: Final = lazy.pattern(r"(\??)([0-9:;]*)([ -/]*)")
# Cursor keys, the look of the screen, origin, wrapping, the cursor, the two screens, drawing at once.
_MODES: Final = frozenset({"1", "5", "6", "7", "12", "25", "45", "47", "69", "1047", "1048", "1049", "2026"})
_PLAIN_MODES: Final = frozenset({"4", "20"})  # inserting, and line feeds that go to the left; 2 locks the keyboard
_ERASED: Final = lazy.pattern(r"0*[012]?")  # above, below, all that is seen; 3 is all that was
_USUALLY_ON: Final = frozenset({"7", "25"})
_ALTERNATE: Final = ("47", "1047", "1049")
_COMMANDS: Final = lazy.pattern(r"(?:[012]|8);.*", re.DOTALL)  # the title; links

_LETTERS: Final = "\x0f\x1b(B\x1b)B\x1b*B\x1b+B"
# Colours, keys, inserting, the cursor's shape, letters, links; the cursor comes back after the margins, which move it.
_RESTORED: Final = f"\x1b[0m\x1b>\x1b[4l\x1b[20l\x1b[0 q{_LETTERS}\x1b]8;;\x1b\\\x1b7\x1b[r\x1b8"
_EMPTY: Final = "\x1b[H\x1b[2J\x1b7"


class Playback:
    """Takes what was printed, piece by piece; gives what is to be shown of it."""

    def __init__(self) -> None:
        self._cut = ""
        self._skipping = False  # inside a string that is too long
        self._modes: dict[str, bool] = {}  # those that were switched

    def show(self, text: str) -> str:
        text = self._cut + text.translate(_C1)
        self._cut = ""
        if self._skipping:
            text = self._after_string(text)
        # The last escape, or the one before it, if that is a string which the last one may end.
        last = text.rfind("\x1b")
        before = text.rfind("\x1b", 0, last) if last > 0 else -1
        for begun in (before, last):
            if begun >= 0 and _CUT.match(text, begun):
                text, self._cut = text[:begun], text[begun:]
                break
        if len(self._cut) > LONGEST_STRING:
            self._skipping = self._cut[1] in "]PX^_"
            self._cut = "\x1b" if self._skipping and self._cut.endswith("\x1b") else ""
        return _TOKEN.sub(self._drawing, text)

    def restore(self) -> str:
        """What to write at the end, wherever that is."""
        self._cut, self._skipping = "", False
        return self._undo()

    def _undo(self) -> str:
        switched = [mode for mode, on in self._modes.items() if on != (mode in _USUALLY_ON)]
        ends = [f"\x1b[?{mode}{'h' if mode in _USUALLY_ON else 'l'}" for mode in sorted(switched, key=_rank)]
        return "".join([*ends, _RESTORED])

    def _after_string(self, text: str) -> str:
        end = _STRING_END.search(text)
        if end is None:
            return ""
        if end[0] == "\x1b" and end.end() == len(text):
            self._cut = "\x1b"
            return ""
        self._skipping = False
        return text[end.end() if end[0] != "\x1b" else end.start() :]

    def _drawing(self, token: re.Match[str]) -> str:
        parameters, final, command, short = token.groups()
        if final is not None:
            return self._sequence(_INSIDE.sub("", parameters), final)
        if command is not None:
            command = _INSIDE.sub("", command)
            return f"\x1b]{command}\x1b\\" if _COMMANDS.fullmatch(command) and not command.endswith("?") else ""
        if short is not None:
            if short == "\x1bc":
                undone = self._undo()
                self._modes.clear()
                return undone + _EMPTY
            return short if _SHORT.fullmatch(short) else ""
        return token[0] if token[0] in _CONTROLS else ""

    def _sequence(self, parameters: str, final: str) -> str:
        parts = _PARAMETERS.fullmatch(parameters)
        if parts is None:
            return ""
        private, numbers, intermediate = parts.groups()
        if private:
            if final in "hl":
                return self._switch(numbers, final)
            erases = final == "K" or (final == "J" and _ERASED.fullmatch(numbers))
            return f"\x1b[?{numbers}{final}" if erases and not intermediate else ""
        if intermediate:
            return f"\x1b[{numbers}{intermediate}{final}" if intermediate + final in _WITH_INTERMEDIATE else ""
        if final in "hl":
            kept = [number for number in _modes(numbers) if number in _PLAIN_MODES]
            return f"\x1b[{';'.join(kept)}{final}" if kept else ""
        shown = final in _PLAIN_FINALS or (final == "J" and _ERASED.fullmatch(numbers))
        return f"\x1b[{numbers}{final}" if shown else ""

    def _switch(self, numbers: str, final: str) -> str:
        kept = [number for number in _modes(numbers) if number in _MODES]
        for mode in filter(lambda mode: mode != "1048", kept):  # that one only remembers where the cursor is
            for same in _ALTERNATE if mode in _ALTERNATE and final == "l" else (mode,):
                self._modes[same] = final == "h"
        return f"\x1b[?{';'.join(kept)}{final}" if kept else ""


def _modes(numbers: str) -> list[str]:
    return [number.lstrip("0") for number in numbers.split(";")]


def _rank(mode: str) -> bool:
    """The other screen is left first: it has its own cursor."""
    return mode not in _ALTERNATE
