"""What a sandbox has refused to a command, as far as that is known.

Rule 1: the output of a command only proposes a path. A note names it only if the kernel says that it may not be written
        to inside the sandbox, and may be outside.
Rule 2: attempts to reach the network are counted by the kernel. In a network of its own no other program is counted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Final

from truetty.core import lazy
from truetty.host.base import ShellProcess

NO_NETWORK: Final = "{} to reach the network had no way: this terminal's sandbox has none"
READ_ONLY: Final = "the output names {}, which is read-only in this terminal's sandbox"
MOST_PATHS: Final = 3

_REFUSED: Final = lazy.pattern(
    r"read-only file system|permission denied|operation not permitted|busy|E(?:ROFS|ACCES|PERM)", re.I
)
_PROGRAM: Final = lazy.pattern(r"^\S+: ")  # the program that says it
_QUOTED: Final = lazy.pattern(r"""['"`‘“]([^'"`’”]+)['"`’”]""")
_BARE: Final = lazy.pattern(r"""(?:~|\.{0,2})/[^\s:'"`,;)]+|[\w.@+-]+(?:/[\w.@+-]+)+|[\w.@+-]+(?=:)""")


class Refusals:
    def __init__(self, process: ShellProcess) -> None:
        self._process = process
        self.are_possible: Final = process.is_protected("/") is not None
        self._before: int | None = None  # when the command began

    def begin(self) -> None:
        if self.are_possible:
            self._before = self._process.unreachable()

    def notes(self, text: str, cwd: str | None) -> Iterator[str]:
        """`text`: the end of what the command has printed. `cwd`: where it was."""
        before, now = self._before, self._process.unreachable()
        if before is not None and now is not None and now > before:
            yield NO_NETWORK.format("1 attempt" if now == before + 1 else f"{now - before} attempts")
        paths = [path for path in _paths(text) if self._process.is_protected(_whole(path, cwd))]
        for path in paths[:MOST_PATHS]:
            yield READ_ONLY.format(path)


def _paths(text: str) -> list[str]:
    """Those on lines that speak of a refusal, each once."""
    found: dict[str, None] = {}
    for line in text.splitlines():
        if _REFUSED.search(line):
            said = _PROGRAM.sub("", line)
            found.update(dict.fromkeys((*_QUOTED.findall(said), *_BARE.findall(_QUOTED.sub(" ", said)))))
    return list(found)


def _whole(path: str, cwd: str | None) -> str:
    return os.path.join(cwd or "/", os.path.expanduser(path))
