"""Which keys come back from the tty: only what the output shows to be echoed was no secret.

Rule 1: keys come back in their order, with a program's own words before and between them.
Rule 2: an echo is looked for within `REACH` bytes and `LATEST` seconds; later output is taken for a program's own.
Rule 3: a line end alone is not taken for an echo: programs print one after a password.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from truetty.core import lazy

# A tty echoes at once, but behind what was printed before; a pty holds less than this.
REACH: Final = 1 << 17
LATEST: Final = 5.0  # seconds
AHEAD: Final = 8  # so many may stay unseen before the next are looked for
# Less than a letter and a line end is in any output by chance: it must be the very next thing there.
TELLING: Final = 3
# Lines, as the tty takes them; Ctrl-D ends one too, and never comes back.
_LINES: Final = lazy.pattern(rb"[^\r\n\x04]*[\r\n]|[^\r\n\x04]+")
_ECHO: Final = [b"^%c" % (byte ^ 64) if byte < 32 else bytes([byte]) for byte in range(256)]
_ECHO[9], _ECHO[10], _ECHO[13], _ECHO[127] = b"\t", b"\r\n", b"\r\n", b"\b \b"


@dataclass(slots=True)
class _Keys:
    """Sent while the tty echoed, as far as is known: at once, or one line with nothing heard between its parts."""

    time: float
    since: float  # the next part is awaited
    at: int  # where in what is heard its echo can begin
    parts: list[bytes]  # not seen yet


def can_come_back(data: bytes) -> bool:
    """Whether the tty echoes any of these keys: it never does a lone Ctrl-D."""
    return _LINES.search(data) is not None


class KeyEcho:
    """Those of one recording."""

    def __init__(self) -> None:
        self._waiting: list[_Keys] = []
        self._heard = bytearray()  # since the first of them
        self._seen = 0  # up to here these are the echoes of others

    @property
    def awaits_any(self) -> bool:
        return bool(self._waiting)

    def on_keys(self, data: bytes, now: float) -> None:
        """They were sent; all that was printed before went through `on_output`."""
        last = self._waiting[-1:]
        if not last or last[0].at != len(self._heard) or last[0].parts[-1].endswith((b"\r", b"\n")):
            last = [_Keys(now, now, len(self._heard), [b""])]
            self._waiting += last
        last[0].since, last[0].parts[-1:] = now, _LINES.findall(last[0].parts[-1] + data)

    def on_output(self, data: bytes, now: float) -> list[tuple[float, bytes]]:
        """This was printed. Returns the keys that it shows, and when they were sent."""
        self._heard += data
        shown: list[tuple[float, bytes]] = []
        waiting: list[_Keys] = []
        for number, keys in enumerate(self._waiting):
            if len(waiting) == AHEAD:
                waiting += self._waiting[number:]
                break
            if now - keys.since > LATEST:
                continue
            echoed = b""
            while keys.parts and (end := self._end(keys.parts[0], max(keys.at, self._seen))) is not None:
                keys.at, self._seen, keys.since = end, end, now
                echoed += keys.parts.pop(0)
            if echoed:
                shown.append((keys.time, echoed))
                waiting.clear()  # what was sent before would have come before
            if keys.parts and len(self._heard) - keys.at < REACH:
                waiting.append(keys)
        self._waiting = waiting
        if not waiting:
            self._heard, self._seen = bytearray(), 0
        return shown

    def _end(self, part: bytes, at: int) -> int | None:
        echo = b"".join([_ECHO[byte] for byte in part])
        # A line end where the echo should be is what programs print after a password.
        near = len(echo) < TELLING or self._heard.startswith(b"\r\n", at)
        found = self._heard.find(echo, at, at + len(echo) if near else len(self._heard))
        return found + len(echo) if found >= 0 else None
