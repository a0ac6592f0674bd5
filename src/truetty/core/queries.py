"""The questions that a program can ask the terminal, by their bytes. What is answered is in `terminal/wire/queries.py`.

Rule: a question is known by its form, whether it has an answer here or not. A program that asks may wait for the
      terminal, and then it waits for no person.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from truetty.core import lazy
from truetty.core.signs import Query, Sign

OTHER: Final = "other"  # the name of a question that has no name of its own

_NAMES: Final[dict[bytes, str]] = {
    b"\x1b[c": "DA1",
    b"\x1b[0c": "DA1",
    b"\x1b[>c": "DA2",
    b"\x1b[>0c": "DA2",
    b"\x1b[>q": "XTVERSION",
    b"\x1b[>0q": "XTVERSION",
    b"\x1b[5n": "DSR",
    b"\x1b[6n": "CPR",
    b"\x1b[?6n": "DECXCPR",
    b"\x1bP+q": "XTGETTCAP",
    b"\x1bP$q": "DECRQSS",
    # What programs ask before they use it: margins, synchronized output, graphemes, colour scheme, size in band.
    **{b"\x1b[?%d$p" % mode: f"DECRQM {mode}" for mode in (69, 2026, 2027, 2031, 2048)},
}
# DA3, the keyboard protocol of kitty, states of any kind, other modes, sizes.
_NAMELESS = lazy.pattern(rb"\x1b\[(?:=0?c|\?u|\?[0-9]+n|\?[0-9]+\$p|1[1-9]t)")

# All forms above and a few sequences that are no question: behind `ESC [`, `ESC [ ?` and `ESC P`. They are written so
# that a colour is passed over as quickly as without them.
CSI: Final = rb"0?c|[56]n|1[1-9]t|[>=]0?[cq]"
PRIVATE: Final = rb"[0-9]{0,4}(?:[nu]|\$p)"
DCS: Final = rb"[+$]q"
# What may still become one of them when more bytes come.
CSI_BEGUN: Final = rb"[0156]|1[1-9]|[>=]0?"
PRIVATE_BEGUN: Final = rb"[0-9]{0,4}\$"


def name_of(form: bytes) -> str | None:
    """Of a sequence of one of these forms; None: it is no question."""
    return _NAMES.get(form) or (OTHER if _NAMELESS.fullmatch(form) else None)


def _string(name: str, opening: int, payload: bytes, start: int, end: int) -> Sign | None:
    """A question written as an OSC. It is answered with the terminator that it has itself: `BEL` or `ST`."""
    if payload == b"?":
        return Query(start, end, f"{name} BEL" if end - start == opening + len(payload) + 1 else f"{name} ST")
    return Query(start, end, OTHER) if payload.endswith(b"?") else None


# By the number of the OSC: colours of text, background and cursor, one colour of many, the clipboard.
STRINGS: Final[dict[bytes, Callable[[bytes, int, int], Sign | None]]] = {
    number: partial(_string, f"OSC {number.decode()}", len(b"\x1b]%b;" % number))
    for number in (b"10", b"11", b"12", b"4", b"52")
}
