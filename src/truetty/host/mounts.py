"""Whether what a wall binds is what we have looked at.

bubblewrap follows links. A program in another terminal of the same workspace can put one in the place of `.git`, after
our look and before the mount. Then something else would be mounted, somewhere else, and be writable.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from typing import Final

from truetty.core import lazy

_Identity = tuple[int, int]
_ESCAPE: Final = lazy.pattern(rb"\\([0-7]{3})")  # of spaces, line ends and backslashes in a path


class Mounts:
    """`paths`: each is to be mounted where it is."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._before: Final = {path: _identity(path) for path in paths}

    def first_wrong(self, pid: int) -> str | None:
        """The path at which this process has something else mounted, or nothing."""
        points = _points(pid) if self._before else set()
        for path, before in self._before.items():
            # A file may have been written anew since: git replaces its configuration.
            right = {before, _identity(path)} - {None}
            if path not in points or _identity(f"/proc/{pid}/root{path}") not in right:
                return path
        return None


def _identity(path: str) -> _Identity | None:
    """None: a link, or nothing."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return None if stat.S_ISLNK(found.st_mode) else (found.st_dev, found.st_ino)


def _points(pid: int) -> set[str]:
    with open(f"/proc/{pid}/mountinfo", "rb") as file:
        lines = file.read().split(b"\n")[:-1]  # not `splitlines`: a carriage return in a path is written as it is
    return {os.fsdecode(_ESCAPE.sub(lambda found: bytes([int(found[1], 8)]), line.split(b" ")[4])) for line in lines}
