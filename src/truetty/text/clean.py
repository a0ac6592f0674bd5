"""Bytes of a terminal become the text a person would have read, in any cutting and in bounded memory.

    bytes ──lines, colours───→ Page.lines       whole lines at once: most output
          ──one-line bars────→ Page.rewrite     a line at a time
          ──everything else──→ ACTIONS          a sequence at a time

Rule 1: the three ways give the same text, because the way that a byte takes depends on how the stream was cut.
Rule 2: a sequence or character cut by the end of a chunk waits in `_carry`, which is bounded; of a string (OSC, DCS,
        APC, PM, SOS) only the fact that it is open is kept.
Rule 3: bytes are taken in portions, so that the caller can do something else in between: `_LARGEST_PIECE` bytes of
        lines, `_PORTION` bytes where sequences are stepped through. Each takes a few milliseconds at most.
Rule 4: invalid UTF-8 is replaced and counted.
Rule 5: it reads as xterm.js shows it, soft wraps joined, but for this: tabs stay tabs; a clear keeps what it clears;
        rows of blanks below all text, and below the cursor, are left out;
        the alternate screen is skipped, and the cursor comes back to where it was; the first move after it, if it is to
        the last row, goes below what is written; a mark joins the character before it over a change of colour, and
        without one is kept as text; REP gives one row at most; strings may hold any script; and what `actions` leaves
        out.
"""

from __future__ import annotations

import codecs
import copy
from collections.abc import Iterator

from truetty.core import lazy
from truetty.text import sequences
from truetty.text.actions import ACTIONS
from truetty.text.page import Page
from truetty.text.sequences import ERASE_ALL, ERASE_RIGHT

WHOLE = 128  # bytes
_LARGEST_PIECE = 1 << 16  # bytes worked on at once, whatever is fed
_PORTION = 1 << 10  # bytes stepped through at once; more than a sequence that was cut can be long
_LONGEST_CARRY = sequences.LONGEST_SEQUENCE + 4  # bytes: a sequence and a character that are cut off
_TABS_OF_A_LINE = 64  # a table has fewer
_STEP = 1 << 12  # bytes stepped through before looking again whether lines will do

_TEXT = bytes([*range(0x20, 0x7F), *range(0x80, 0x100), *b"\t\n\r"])
_EFFECTIVE = b"\b\v\f\x0e\x0f"
_ENDERS = b"\a\x18\x1a"  # of no effect themselves, but they end sequences
_SILENT = bytes({*range(0x20), 0x7F} - {*b"\t\n\r\x1b", *_EFFECTIVE, *_ENDERS})
_SILENCED = bytes.maketrans(_SILENT, bytes(len(_SILENT)))
_STEPS = lazy.pattern(f"[\r\t{ERASE_RIGHT}{ERASE_ALL}]")
_C1 = lazy.pattern("[\x80-\x9f]")
_C1_BYTES = lazy.pattern(rb"\xc2[\x80-\x9f]")
# C1 controls as the ESC sequences they stand for; those without effect as ST, which ends what they would end.
_C1_FORMS = dict.fromkeys(range(0x80, 0xA0), "\x1b\\") | {
    code: "\x1b" + chr(code - 0x40) for code in (0x84, 0x85, 0x88, 0x90, 0x98, 0x9B, 0x9D, 0x9E, 0x9F)
}


class Cleaner:
    """The streaming form: `"".join(feeds) + tail()` is the clean text of all bytes so far."""

    # On the class, because most streams need none of them.
    _carry = b""
    _pending = 0  # bytes at the end of `_carry` that begin a character
    _step = _STEP
    _unlooked = 0  # bytes to step through before looking again
    _string = ""  # the kind of string that is open
    _invalid = 0

    def __init__(self, columns: int = 120, rows: int = 30) -> None:
        self._page = Page(max(2, columns), max(1, rows))

    @property
    def invalid(self) -> int:
        """Bytes of invalid UTF-8, each run of which became a U+FFFD; a character that is still cut off counts."""
        return self._invalid + self._pending

    def feed(self, data: bytes) -> str:
        """Take bytes; give the text that later bytes can no longer change."""
        return "".join([text for text, _ in self.portions(data)])

    def portions(self, data: bytes) -> Iterator[tuple[str, int]]:
        """The same in portions, each a few milliseconds of work: its text, and how many bytes are left.

        Less than `WHOLE` bytes are one portion.
        """
        at = 0
        while at < len(data):
            part = data[at : at + (_PORTION if self._unlooked else _LARGEST_PIECE)]
            rest = self._advance(part)
            while rest and len(data) < WHOLE:
                rest = self._advance(rest)
            at += len(part) - len(rest)
            yield self._page.final.take(), len(data) - at

    def tail(self) -> str:
        """The text that later bytes may still change, as it stands now."""
        if self._pending:
            return copy.deepcopy(self).finish()
        return self._page.rest()

    def finish(self) -> str:
        """The rest of the text, when no byte will come: a character that is cut off becomes a U+FFFD."""
        if not self._pending:
            return self.tail()
        self._carry, self._pending = self._carry[: -self._pending], 0
        return self.feed("\ufffd".encode()) + self.tail()

    def _advance(self, data: bytes) -> bytes:
        """Take in some or all of the bytes; give back those that are left."""
        if self._carry:
            data = self._carry + data
            self._carry, self._pending = b"", 0
        page = self._page
        stepping = self._unlooked or not page.layout.plain or self._string
        if not stepping and _is_tabbed(data):
            self._unlooked = len(data)
            stepping = True
        if stepping or (b"\xc2" in data and _C1_BYTES.search(data)):
            return self._step_through(data)
        if data[-1] == 0x0D:
            # It may be the first half of a line end, and whole line ends are what makes lines fast.
            self._carry = b"\r"
            data = data[:-1]
        controls = data.translate(None, _TEXT)
        simple = self._simplified(data, controls) if controls else data
        if simple is None:
            data += self._carry
            self._carry = b""
            start, stop = sequences.special_lines(data, self._step)
            if start:
                return self._advance(data[:start]) + data[start:]
            self._step = min(self._step * 2, _LARGEST_PIECE)  # where there is one such sequence, more follow
            self._unlooked = stop
            return self._step_through(data)
        self._step = _STEP
        if simple:
            text = simple.decode("ascii") if simple.isascii() else self._decode(simple)
            if controls:
                # Not before they are decoded: what a control stood between must not become a character.
                text = text.replace("\0", "").replace("\a", "").replace("\x18", "").replace("\x1a", "")
            self._write(text)
            page.printed = simple[-1] >= 0x20
        return b""

    def _simplified(self, data: bytes, controls: bytes) -> bytes | None:
        """The bytes without sequences and controls that do nothing; None when some do something."""
        if controls.strip(b"\x1b"):
            if controls.translate(None, _SILENT + _ENDERS + b"\x1b"):
                return None
            data = data.translate(_SILENCED)
        if b"\x1b" not in controls:
            return data
        if sequences.special_soon(data):
            return None
        cut = sequences.cut_short(data)
        if cut < 0:
            return sequences.without_harmless(data)
        simple = sequences.without_harmless(data[:cut])
        if simple is not None:
            self._carry = data[cut:] + self._carry
        return simple

    def _decode(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError:
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            text = decoder.decode(data, final=bool(self._carry))  # what waits already comes after these bytes
            pending = decoder.getstate()[0]
            self._carry, self._pending = pending + self._carry, len(pending)
            replaced = text.count("\ufffd") - data.count("\ufffd".encode())
            self._invalid += len(data) - len(pending) - (len(text.encode()) - 3 * replaced)
            return text

    def _write(self, text: str) -> None:
        """Text with no controls but tabs, returns, line feeds and the two that stand for erasing."""
        page = self._page
        whole = text.replace("\r\n", "\n")
        if (
            "\r" not in whole
            and ERASE_ALL not in whole
            and len(text) - len(whole) == whole.count("\n")
            and page.reopen()
        ):
            page.lines(whole.replace(ERASE_RIGHT, ""))  # at the end of a line there is nothing to erase on the right
            return
        *lines, last = text.split("\n")
        simple: list[str] = []  # lines that need not be looked at one by one
        for line in lines:
            if line[-1:] == "\r" and "\r" not in line[:-1] and ERASE_ALL not in line and (simple or page.reopen()):
                simple.append(line[:-1].replace(ERASE_RIGHT, ""))
                continue
            if simple:
                page.lines("\n".join([*simple, ""]))
                simple.clear()
            self._write_line(line)
            page.settle()
            page.feed_line()
        if simple:
            page.lines("\n".join([*simple, ""]))
        self._write_line(last)

    def _write_line(self, line: str) -> None:
        page = self._page
        if not line or page.rewrite(line):
            return
        if _STEPS.search(line):
            self._run(line.replace(ERASE_RIGHT, "\x1b[K").replace(ERASE_ALL, "\x1b[2K"))
        else:
            page.print(line)

    def _step_through(self, data: bytes) -> bytes:
        """The first of any bytes, one sequence after the other; gives back those that are left."""
        # More than was carried, so that some of what was fed is gone through.
        portion = self._unlooked if _LONGEST_CARRY < self._unlooked < _PORTION else _PORTION
        data, left = data[:portion], data[portion:]
        text = data.decode("ascii") if data.isascii() else self._decode(data)
        if _C1.search(text):
            text = text.translate(_C1_FORMS)
        if self._string:
            text, self._string = sequences.after_string(text, self._string)
        text, cut, kind = sequences.split_cut(text)
        self._carry = cut.encode() + self._carry
        self._unlooked = max(0, self._unlooked - len(data))
        self._string = self._string or kind
        self._run(text)
        if kind:
            self._page.printed = False
        return left

    def _run(self, text: str) -> None:
        page = self._page
        page.settle()
        parts = sequences.tokens(text)
        printed = page.printed  # what the first token follows may have come with the chunk before
        for printable, token in zip(parts[::2], parts[1::2], strict=False):
            if printable:
                if not page.layout.alternate:
                    page.print(printable)
                printed = True
            if token is not None:
                action, everywhere = ACTIONS[token]
                if everywhere or not page.layout.alternate:
                    page.printed = printed
                    action(page)
            printed = False
        last = parts[-1]
        if last and not page.layout.alternate:
            page.print(last)
        page.printed = bool(last) or printed


def _is_tabbed(data: bytes) -> bool:
    """Whether lines are mostly tabs: each is a step, and of lines many more bytes would be taken at once."""
    tabs = data.count(b"\t")
    return tabs > _PORTION and tabs > _TABS_OF_A_LINE * data.count(b"\n")


def clean(data: bytes, columns: int = 120, rows: int = 30) -> str:
    """The clean text of a whole stream."""
    cleaner = Cleaner(columns, rows)
    return cleaner.feed(data) + cleaner.tail()
