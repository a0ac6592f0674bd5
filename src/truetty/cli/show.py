"""How the output of a command is shown: as its bytes, as clean text, or with its colours kept or left out."""

from __future__ import annotations

import sys
from typing import Final, Literal

from truetty import Command
from truetty.cli.input import READ_SIZE
from truetty.core import lazy

# bytes: as they are, for a terminal. text: as a person would have read it. colours: text and colours, nothing that
# moves the cursor. no-colours: everything but the colours. nothing: not shown.
Way = Literal["bytes", "text", "colours", "no-colours", "nothing"]
Color = Literal["auto", "always", "never"]

_COLOUR: Final = lazy.pattern(rb"\x1b\[[0-9;:]*m")
_SEQUENCE: Final = lazy.pattern(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\a\x1b]*(?:\a|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-OQ-WYZ\\`-~])|\r(?=\n)"
)
# What may be the beginning of a sequence, at the end of a piece.
_CUT: Final = lazy.pattern(rb"(?:\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\a\x1b]*\x1b?|[ -/]*)|\r)\Z")
LONGEST_CUT: Final = 4096  # what is longer is no sequence, and is shown


def way(*, person: bool, raw: bool, color: Color) -> Way:
    if raw:
        return "bytes"
    if person:
        return "no-colours" if color == "never" else "bytes"
    return "colours" if color == "always" else "text"


class Show:
    """What a command prints, to standard output."""

    def __init__(self, command: Command, way: Way) -> None:
        self.offset = 0  # of the output that was shown, or need not be
        self._reader = command.output.reader()
        self._way = way
        self._rest = b""  # the beginning of a sequence whose end has not come yet

    def more(self, command: Command, *, last: bool = False) -> None:
        """What has come since. `last`: no more will come."""
        if self._way in ("text", "nothing"):
            self.offset = command.output.bytes
            if self._way == "text":
                sys.stdout.write(self._reader.unread())
        else:
            while data := command.output.read(self.offset, READ_SIZE):
                self.offset += len(data)
                sys.stdout.buffer.write(self._filtered(data))
            if last:
                sys.stdout.buffer.write(self._rest)
                self._rest = b""
        sys.stdout.flush()

    def _filtered(self, data: bytes) -> bytes:
        if self._way == "bytes":
            return data
        data, self._rest = self._rest + data, b""
        cut = _CUT.search(data, max(0, len(data) - LONGEST_CUT))
        if cut is not None:
            data, self._rest = data[: cut.start()], data[cut.start() :]
        if self._way == "no-colours":
            return _COLOUR.sub(b"", data)
        return _SEQUENCE.sub(lambda found: found[0] if _COLOUR.fullmatch(found[0]) else b"", data)
