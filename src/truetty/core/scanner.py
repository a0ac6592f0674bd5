"""Bytes in, signs out.

Only what changes a decision is looked for: marks, a few private modes, and questions that a program may wait on.
Everything else is output and is not touched, copied or even named.

Rule 1: how the bytes were cut into chunks never changes the signs.
Rule 2: no byte is looked at twice, but for the first LONGEST of a string that did not come whole. At most MAX_BODY are
        held.
Rule 3: an escape inside an unfinished sequence ends that sequence, as on every terminal. So nothing that we look
        for can hide in a string we do not know, and an unfinished string can never swallow a mark.
"""

from __future__ import annotations

from typing import Final, Literal

from truetty.core import lazy, queries
from truetty.core.marks import LONGEST, PROTOCOLS
from truetty.core.signs import Mode, Query, Sign

# An endless OSC must not grow us; no honest mark is longer.
MAX_BODY: Final = 64 * 1024

ModeName = Literal["application-keys", "alternate-screen", "bracketed-paste", "synchronized-output"]
_MODES: Final[dict[bytes, ModeName]] = {
    b"1": "application-keys",
    b"47": "alternate-screen",
    b"1047": "alternate-screen",
    b"1049": "alternate-screen",
    b"2004": "bracketed-paste",
    b"2026": "synchronized-output",
}
# The strings that are read to their end, by their number.
_STRINGS: Final = PROTOCOLS | queries.STRINGS

# 64 digits hold a dozen modes in one sequence; vim's longest has three.
_PARAMETERS = rb"[0-9;]{1,64}"
_NUMBERS = b"|".join(_STRINGS)
_PRIVATE = rb"\?(?:(%b)([hl])|%b)" % (_PARAMETERS, queries.PRIVATE)
# A string that came whole, with its BEL, is matched whole; of any other one, its opening.
_BODY = rb"(?:([^\x07\x18\x1a\x1b\x9c]{0,%d})\x07)?" % LONGEST
_OPENING = lazy.pattern(
    rb"\x1b(?:\]((?:%b));%b|\[(?:%b|%b)|P%b)" % (_NUMBERS, _BODY, queries.CSI, _PRIVATE, queries.DCS)
)
# What may still become an opening when more bytes come.
_NUMBER_BEGUN = b"|".join(sorted({number[:n] for number in _STRINGS for n in range(len(number) + 1)}, reverse=True))
_PRIVATE_BEGUN = rb"\?(?:[0-9;]{0,64}|%b)" % queries.PRIVATE_BEGUN
_CSI_BEGUN = rb"\[(?:%b|%b)?" % (queries.CSI_BEGUN, _PRIVATE_BEGUN)
_BEGUN = lazy.pattern(rb"\x1b(?:\](?:%b)|%b|P[+$]?)?" % (_NUMBER_BEGUN, _CSI_BEGUN))
_LONGEST_BEGUN: Final = 3 + 64
_CLOSING = lazy.pattern(rb"[\x07\x18\x1a\x1b\x9c]")

_NO_SIGNS: Final[tuple[Sign, ...]] = ()


class Scanner:
    """Finds the signs in one terminal's output."""

    def __init__(self, at: int = 0) -> None:
        self._at = at  # absolute offset of the next byte fed
        self._begun = b""  # the last bytes, when they may be the first half of an opening
        self._number = b""  # the protocol, while inside one of its strings
        self._start = 0
        self._body = bytearray()

    def skip_to(self, at: int) -> None:
        """The next byte has this offset. Bytes before it are missing: what they have begun does not go on."""
        if at != self._at:
            self._at, self._begun = at, b""
            self._abandon()

    def feed(self, data: bytes) -> list[Sign] | tuple[Sign, ...]:
        if not self._begun and not self._number and b"\x1b" not in data:
            self._at += len(data)
            return _NO_SIGNS
        base = self._at - len(self._begun)
        self._at += len(data)
        if self._begun:
            data = self._begun + data
            self._begun = b""
        signs: list[Sign] = []
        at = 0
        while at < len(data):
            at = (self._close if self._number else self._open)(data, at, base, signs)
        return signs

    def _open(self, data: bytes, at: int, base: int, signs: list[Sign]) -> int:
        """Take what is whole from `at` on, up to a string that is not; return where to go on."""
        for found in _OPENING.finditer(data, at):
            start, at = base + found.start(), found.end()
            number, body, parameters, switch = found.groups()
            if body is not None:
                if (sign := _STRINGS[number](body, start, base + at)) is not None:
                    signs.append(sign)
            elif number is not None:
                self._number, self._start = number, start
                return at
            elif parameters is not None:
                for parameter in parameters.split(b";"):
                    if name := _MODES.get(parameter):
                        signs.append(Mode(start, base + at, name, switch == b"h"))
            elif question := queries.name_of(found[0]):
                signs.append(Query(start, base + at, question))
        last = data.rfind(b"\x1b", max(at, len(data) - _LONGEST_BEGUN))
        if last >= 0 and _BEGUN.fullmatch(data, last):
            self._begun = data[last:]
        return len(data)

    def _close(self, data: bytes, at: int, base: int, signs: list[Sign]) -> int:
        """Look for the end of the string we are in; return where to go on."""
        found = _CLOSING.search(data, at)
        here = found.start() if found else len(data)
        self._body += data[at:here]
        if len(self._body) > MAX_BODY:
            self._abandon()
            return here
        if found is None:
            return here
        match found[0]:
            case b"\x07":
                return self._take(here + 1, base, signs)
            case b"\x9c":
                # The C1 terminator, unless it is the last byte of a UTF-8 character; U+009C itself is C2 9C.
                if self._body and self._body[-1] >= 0x80:
                    if self._body[-1] != 0xC2:
                        self._body += found[0]
                        return here + 1
                    del self._body[-1]
                return self._take(here + 1, base, signs)
            case b"\x1b":
                if here + 1 == len(data):
                    self._begun = b"\x1b"
                    return len(data)
                if data[here + 1] == 0x5C:
                    return self._take(here + 2, base, signs)
                self._abandon()
                return here
            case _:  # CAN, SUB
                self._abandon()
                return here + 1

    def _take(self, end: int, base: int, signs: list[Sign]) -> int:
        sign = _STRINGS[self._number](bytes(self._body), self._start, base + end)
        if sign is not None:
            signs.append(sign)
        self._abandon()
        return end

    def _abandon(self) -> None:
        self._number = b""
        self._body.clear()
