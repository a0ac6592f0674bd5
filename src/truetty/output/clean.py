"""Bytes of a terminal become the text a person would have read."""

from __future__ import annotations

import codecs
import re

_TOKEN = re.compile(
    r"\x1b[\]PX^_][^\x07\x18\x1a\x1b]*(?:\x07|\x1b\\|[\x18\x1a]|(?=\x1b))"
    r"|\x1b\[([0-?]*)([ -/]*)([@-~])|\x1b[ -/]*[0-~]|[\x00-\x1f\x7f]"
)
_PARTIAL = re.compile(r"\x1b(?:[\]PX^_][^\x07\x18\x1a\x1b]*\x1b?|\[[0-?]*[ -/]*|[ -/]*)\Z|\r\Z")
_ALT = {"47", "1047", "1049"}


class Cleaner:
    """A stream of bytes to clean text; any cutting of the stream gives the same text."""

    def __init__(self, columns: int = 120, rows: int = 30) -> None:
        self.columns = columns
        self.rows = rows
        self.invalid = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._carry = ""
        self._alternate = False
        self._lines: list[str] = [""]
        self._y = 0
        self._x = 0
        self._started = False

    def feed(self, data: bytes) -> str:
        """Take bytes; give the text that can no longer change."""
        text = self._carry + self._decoder.decode(data)
        self._carry = ""
        partial = _PARTIAL.search(text)
        if partial:
            self._carry = text[partial.start() :]
            text = text[: partial.start()]
            if len(self._carry) > 4096:
                self._carry = self._carry[:4096]
        position = 0
        for token in _TOKEN.finditer(text):
            self._print(text[position : token.start()])
            position = token.end()
            if token[3]:
                self._csi(token[1], token[3])
            elif len(token[0]) == 1:
                self._control(token[0])
        self._print(text[position:])
        cut = len(self._lines) - self.rows
        if cut <= 0:
            return ""
        final = ("\n" if self._started else "") + "\n".join(self._lines[:cut])
        self._started = True
        del self._lines[:cut]
        self._y = max(0, self._y - cut)
        return final

    def tail(self) -> str:
        """The rest as it stands now."""
        return ("\n" if self._started else "") + "\n".join(self._lines)

    def _print(self, text: str) -> None:
        if not text or self._alternate:
            return
        line = self._lines[self._y].ljust(self._x)
        self._lines[self._y] = line[: self._x] + text + line[self._x + len(text) :]
        self._x += len(text)

    def _control(self, char: str) -> None:
        if self._alternate:
            return
        if char == "\r":
            self._x = 0
        elif char == "\n":
            self._down(1)
        elif char == "\b":
            self._x = max(0, self._x - 1)
        elif char == "\t":
            if self._x >= len(self._lines[self._y]):
                self._print("\t")
            else:
                self._x = (self._x // 8 + 1) * 8

    def _down(self, count: int) -> None:
        self._y += count
        while self._y >= len(self._lines):
            self._lines.append("")

    def _csi(self, parameters: str, final: str) -> None:
        if parameters.startswith("?"):
            if final in "hl" and _ALT & set(parameters[1:].split(";")):
                self._alternate = final == "h"
            return
        if self._alternate:
            return
        values = [int(value) if value.isdigit() else 0 for value in parameters.split(";")]
        value = min(values[0], 9999)
        top = max(0, len(self._lines) - self.rows)
        line = self._lines[self._y]
        match final:
            case "A" | "F":
                self._y = max(top, self._y - max(1, value))
                self._x = 0 if final == "F" else self._x
            case "B" | "E":
                self._down(min(max(1, value), max(0, top + self.rows - 1 - self._y)))
                self._x = 0 if final == "E" else self._x
            case "C":
                self._x = min(self.columns - 1, self._x + max(1, value))
            case "D":
                self._x = max(0, self._x - max(1, value))
            case "G":
                self._x = min(self.columns, max(1, value)) - 1
            case "H" | "f":
                self._y = top
                self._down(min(self.rows, max(1, value)) - 1)
                self._x = min(self.columns, max(1, values[1] if len(values) > 1 else 1)) - 1
            case "K":
                if value == 0:
                    self._lines[self._y] = line[: self._x]
                elif value == 1:
                    self._lines[self._y] = " " * (self._x + 1) + line[self._x + 1 :]
                else:
                    self._lines[self._y] = ""
            case "J" if value == 0 and (self._y > top or self._x > 0):
                self._lines[self._y] = line[: self._x]
                del self._lines[self._y + 1 :]
            case "J" if value in (0, 2):
                while self._lines and not self._lines[-1]:
                    self._lines.pop()
                self._lines.append("")
                self._y = len(self._lines) - 1
            case _:
                pass


def clean(data: bytes, columns: int = 120, rows: int = 30) -> str:
    """The clean text of a whole stream."""
    cleaner = Cleaner(columns, rows)
    return cleaner.feed(data) + cleaner.tail()
