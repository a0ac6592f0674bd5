"""How marks of prompts and commands are written, read, found when cut, and taken out: our own and the foreign ones.

Our mark is `ESC ] 7717 ; LETTER ; SECRET [; CODE [; FLAGS [; NEXT [; COUNT [; OPTIONS]]]]] BEL`. No other module knows
that form; what shells print by scripts of their own (`shells/scripts/`) is compared with it by a test.

One reader per protocol, chosen by the number in front of the payload. A payload that is not quite right is no mark at
all: the bytes then stay ordinary output.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from truetty.core import lazy
from truetty.core.signs import Hint, Mark, Sign

OWN: Final = b"7717"
ESC, BEL = "\x1b", "\x07"

# A secret is at most 36 characters, `$-` is under 30, all options of bash are 250: no mark of ours comes near these
# bounds.
_OWN_SHAPE = lazy.pattern(
    r"([CDHJMPR2]);([0-9A-Za-z_-]{1,64})(?:;([0-9]{0,10})(?:;([0-9A-Za-z]{0,64})"
    r"(?:;([0-9A-Za-z-]{0,64})(?:;([0-9]{0,10})(?:;([!-:<-~]{0,500}))?)?)?)?)?;?"
)

OPENING: Final = b"\x1b]" + OWN + b";"
LONGEST: Final = 800  # bytes: what `_OWN_SHAPE` allows is 728 with its opening and BEL
_BEFORE_SECRET: Final = len(OPENING + b"C;")
# The secret may have been blanked by stars, so only what cannot stand inside a mark is told apart.
_WHOLE = lazy.pattern(rb"%b[^\x07\x1b]{0,%d}\x07" % (re.escape(OPENING), LONGEST - len(OPENING) - 1))


# -- our own


def text(letter: str, *fields: str, escape: str = ESC, bell: str = BEL) -> str:
    """A mark of ours for a script, in whose language ESC and BEL may be written otherwise (`\\033`, `\\a`)."""
    return f"{escape}]{OWN.decode()};{';'.join((letter, *fields))}{bell}"


def encode(letter: str, *fields: str) -> bytes:
    """A mark of ours as it goes over the wire."""
    return text(letter, *fields).encode()


def opening(letter: str) -> bytes:
    """How every mark of ours with this letter begins."""
    return OPENING + letter.encode() + b";"


def secret_spans(mark: Mark) -> tuple[tuple[int, int], ...]:
    """Where in the stream the mark's secrets lie."""
    start = mark.start + _BEFORE_SECRET
    own = (start, start + len(mark.secret))
    return (own, (mark.next_at, mark.next_at + len(mark.next))) if mark.next else (own,)


def half_length(data: bytes) -> int:
    """How many of the last bytes may be the first half of a mark of ours; 0 if they are none."""
    at = data.rfind(b"\x1b", max(0, len(data) - LONGEST))
    if at < 0:
        return 0
    half = data[at:]
    return len(half) if OPENING.startswith(half) or (half.startswith(OPENING) and b"\x07" not in half) else 0


def strip(data: bytes) -> bytes:
    """The bytes without the marks of ours in them."""
    return _WHOLE.sub(b"", data) if OPENING in data else data


def own(payload: bytes, start: int, end: int) -> Sign | None:
    """Secrets are read without case: a tty may print capitals only (`stty olcuc`)."""
    found = _OWN_SHAPE.fullmatch(payload.decode("latin-1"))
    if found is None:
        return None
    letter, secret, code, flags, following, count, options = found.groups("")
    return Mark(
        start,
        end,
        letter,
        secret.lower(),
        int(code) if code else None,
        flags,
        following.lower(),
        start + len(OPENING) + found.start(5) if following else 0,
        int(count) if count else None,
        options,
    )


# -- foreign ones: they prove nothing

SEMANTIC_PROMPT: Final = b"\x1b]133;A"  # a prompt begins, as nu and many prompts say it


def semantic_prompt(payload: bytes, start: int, end: int) -> Sign | None:
    return _lettered("133", payload, start, end)


def vscode(payload: bytes, start: int, end: int) -> Sign | None:
    return _lettered("633", payload, start, end)


def _lettered(protocol: str, payload: bytes, start: int, end: int) -> Sign | None:
    letter, _, rest = payload.partition(b";")
    if len(letter) != 1 or not letter.isalpha():
        return None
    code = rest.partition(b";")[0] if letter == b"D" else b""
    number = int(code) if code.isdigit() and len(code) <= 10 else None
    if protocol == "133":
        return Hint(start, end, "133", letter.decode(), number)
    return Hint(start, end, "633", letter.decode(), number)


def directory(payload: bytes, start: int, end: int) -> Sign | None:
    """OSC 7: file://HOST/PATH."""
    return Hint(start, end, "7", "") if payload.startswith(b"file://") else None


def context(payload: bytes, start: int, end: int) -> Sign | None:
    """OSC 3008, systemd's nested contexts."""
    for word in ("start", "end"):
        if payload.startswith(word.encode() + b"="):
            return Hint(start, end, "3008", word)
    return None


PROTOCOLS: dict[bytes, Callable[[bytes, int, int], Sign | None]] = {
    OWN: own,
    b"133": semantic_prompt,
    b"633": vscode,
    b"7": directory,
    b"3008": context,
}
