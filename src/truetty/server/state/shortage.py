"""What this process cannot write now, as on a full disk.

Rule 1: it is said once in the log, when it begins and when it is over, and stands in the status meanwhile.
Rule 2: it is tried again every second until it is written. No call waits for that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from truetty.server import limits

LOG: Final = logging.getLogger("truetty.server")

Again = Callable[[], None]  # raises OSError where it still cannot be written


class Shortage:
    def __init__(self) -> None:
        self._missing: dict[str, tuple[str, Again]] = {}  # by what it is: why not, and how it is tried again
        self._timer: asyncio.TimerHandle | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence for each."""
        return tuple(f"{what} cannot be written: {why}" for what, (why, _) in self._missing.items())

    def begin(self, what: str, error: OSError, again: Again) -> None:
        """This cannot be written."""
        if what in self._missing:
            return
        self._missing[what] = (error.strerror or str(error), again)
        LOG.warning("%s cannot be written: %s", *(what, self._missing[what][0]))
        self._arm()

    def end(self, what: str) -> None:
        if self._missing.pop(what, None) is not None:
            LOG.info("%s can be written again", what)

    def _arm(self) -> None:
        if self._timer is None and self._missing:
            self._timer = asyncio.get_running_loop().call_later(limits.AGAIN_SECONDS, self._try_again)

    def _try_again(self) -> None:
        self._timer = None
        for what, (_, again) in list(self._missing.items()):
            try:
                again()
            except OSError:
                continue
            self.end(what)
        self._arm()
