"""xterm.js as the truth: what a terminal that people use makes of the same bytes."""

from __future__ import annotations

import struct
import subprocess
import unicodedata
from collections.abc import Sequence
from pathlib import Path

SCRIPT = Path(__file__).with_name("xterm") / "text.mjs"
FAILED = 0xFFFFFFFF

Case = tuple[int, int, bytes]  # columns, rows, bytes


def texts(node: str, cases: Sequence[Case]) -> list[str | None]:
    """The text of each case; None where xterm.js itself fails."""
    given = b"".join(struct.pack("<III", columns, rows, len(data)) + data for columns, rows, data in cases)
    done = subprocess.run([node, str(SCRIPT)], input=given, capture_output=True, check=False, timeout=100)
    assert done.returncode == 0, f"xterm.js did not run: {done.stderr.decode()[-1000:]}"
    found: list[str | None] = []
    at = 0
    while at < len(done.stdout):
        (size,) = struct.unpack_from("<I", done.stdout, at)
        at += 4
        if size == FAILED:
            found.append(None)
            continue
        found.append(done.stdout[at : at + size].decode())
        at += size
    assert len(found) == len(cases)
    return found


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
