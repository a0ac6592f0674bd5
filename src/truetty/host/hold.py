"""What holds a terminal beside us: by default nothing, or the keeper that ends it when we are gone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from truetty.host.census import Pty
from truetty.host.child import Child
from truetty.host.folder import Folder
from truetty.host.keeper import kept

# A pty hands out up to 20 kB at once; this never cuts what it has.
LARGEST_READ: Final = 64 * 1024


class Hold:
    """Of one terminal. `kept_hold.py` has the other one, of a terminal that outlives us."""

    def variables(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """For the shell, beside those that it inherits."""
        return kept.variables(inherited)

    def folder(self) -> Folder:
        """For the private files. Raises OSError when no place has room."""
        return Folder()

    def child(self, pid: int, supervisor: int | None) -> Child:
        return Child(pid) if supervisor is None else Child(supervisor, supervises=True)

    def put(self, pty: Pty | None, master: int) -> None:
        """The shell has started."""
        kept.put(pty)

    def drop(self, pty: Pty | None) -> None:
        """It is closed."""
        kept.drop(pty)

    def read(self, master: int) -> bytes:
        """What the pty has. Raises as `os.read` does."""
        return os.read(master, LARGEST_READ)

    @property
    def outlives_us(self) -> bool:
        """Whether the terminal is to go on when this process ends."""
        return False
