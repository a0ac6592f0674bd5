"""OSC payloads that mark where prompts and commands begin and end.

One function per protocol, chosen by the number in front of the payload. A payload that is not quite right is
no mark at all: the bytes then stay ordinary output.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from truetty.core.signs import Event, Hint, Mark

OWN = b"7717"

# Longer than any mark of ours (a secret is 22 characters, `$-` under 30) and any honest foreign one but 633;E,
# which carries a command line and is read only for its letter.
_OWN_SHAPE = re.compile(rb"([CDHMP2]);([0-9A-Za-z_-]{1,64})(?:;(\d{0,10}))?(?:;([0-9A-Za-z]{0,64}))?;?")

_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")  # urllib.parse does the same, and takes 8 ms to import


def own(payload: bytes, start: int, end: int) -> Event | None:
    found = _OWN_SHAPE.fullmatch(payload)
    if found is None:
        return None
    letter, secret, code, flags = found.groups()
    return Mark(
        start, end, letter.decode(), secret.decode(), int(code) if code else None, flags.decode() if flags else ""
    )


def semantic_prompt(payload: bytes, start: int, end: int) -> Event | None:
    return _lettered("133", payload, start, end)


def vscode(payload: bytes, start: int, end: int) -> Event | None:
    if payload.startswith(b"P;Cwd="):
        return Hint(start, end, "633", "P", cwd=_text(payload[6:]))
    return _lettered("633", payload, start, end)


def _lettered(protocol: str, payload: bytes, start: int, end: int) -> Event | None:
    letter, _, rest = payload.partition(b";")
    if len(letter) != 1 or not letter.isalpha():
        return None
    code = rest.partition(b";")[0] if letter == b"D" else b""
    number = int(code) if code.isdigit() and len(code) <= 10 else None
    if protocol == "133":
        return Hint(start, end, "133", letter.decode(), number)
    return Hint(start, end, "633", letter.decode(), number)


def directory(payload: bytes, start: int, end: int) -> Event | None:
    """OSC 7: file://HOST/PATH."""
    if not payload.startswith(b"file://"):
        return None
    _, slash, path = payload[7:].partition(b"/")
    decoded = _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), slash + path)
    return Hint(start, end, "7", "", cwd=_text(decoded) if slash else None)


def context(payload: bytes, start: int, end: int) -> Event | None:
    """OSC 3008, systemd's nested contexts."""
    for word in ("start", "end"):
        if payload.startswith(word.encode() + b"="):
            return Hint(start, end, "3008", word)
    return None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


PROTOCOLS: dict[bytes, Callable[[bytes, int, int], Event | None]] = {
    OWN: own,
    b"133": semantic_prompt,
    b"633": vscode,
    b"7": directory,
    b"3008": context,
}
