"""xterm.js as the truth: what a terminal that people use makes of the same bytes.

One node process answers all cases of a test run's worker: starting node takes longer than most cases do.
"""

from __future__ import annotations

import struct
import subprocess
import unicodedata
from pathlib import Path
from typing import Self

SCRIPT = Path(__file__).with_name("xterm") / "text.mjs"
FAILED = 0xFFFFFFFF


class Xterm:
    """A running xterm.js."""

    def __init__(self, node: str) -> None:
        # What it says on standard error stands beside the failure.
        self._process = subprocess.Popen([node, str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            pass

    def text(self, columns: int, rows: int, data: bytes) -> str | None:
        """The text that these bytes leave on a terminal of this size; None where xterm.js itself fails."""
        to, back = self._process.stdin, self._process.stdout
        assert to is not None and back is not None
        to.write(struct.pack("<III", columns, rows, len(data)) + data)
        to.flush()
        head = back.read(4)
        assert len(head) == 4, "xterm.js has ended"
        (size,) = struct.unpack("<I", head)
        return None if size == FAILED else back.read(size).decode()


def without_tabs(text: str, columns: int) -> str:
    """Tabs as the blanks they pass over; xterm.js has no tabs, and nothing where only a tab has been."""
    lines = []
    for line in text.split("\n"):
        shown, passed, x = "", "", 0
        for char in line:
            if char == "\t":
                stop = max(x, min((x // 8 + 1) * 8, columns - 1))
                passed += " " * (stop - x)
                x = stop
                continue
            width = _width(char)
            if x + width > columns:
                x, passed = 0, ""
            shown += passed + char
            passed = ""
            x += width
        lines.append(shown)
    return "\n".join(lines)


def _width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
