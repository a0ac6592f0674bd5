"""Lines of the journal for which the disk has no room.

They are in a file without a disk (memfd) that the keeper holds too, so that they outlive this process as the journal
does. They belong behind the journal's lines.
"""

from __future__ import annotations

import errno
import os
from typing import Final

from truetty.host.kept_hold import KeeperLink

NAME: Final = "journal"  # of the descriptor, as the keeper knows it
MOST_BYTES: Final = 16 << 20


class Spare:
    def __init__(self, link: KeeperLink) -> None:
        self._link = link
        self._fd = link.lent.pop(NAME, None)

    @property
    def size(self) -> int:
        return 0 if self._fd is None else os.fstat(self._fd).st_size

    def read(self) -> bytes:
        return b"" if self._fd is None else os.pread(self._fd, self.size, 0)

    def add(self, data: bytes) -> None:
        """Raises OSError where it is too much."""
        if self._fd is None:
            self._fd = os.memfd_create("journal")
            self._link.lend(NAME, self._fd)
        if self.size + len(data) > MOST_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.pwrite(self._fd, data, self.size)

    def clear(self) -> None:
        if self._fd is not None:
            os.ftruncate(self._fd, 0)
