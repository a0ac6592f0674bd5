"""What libraries log while we serve: seldom, and without ever blocking the server.

Rule 1: one record of a kind in a minute. The next one says how many there were between.
Rule 2: standard error may be a pipe that no program reads. What does not fit into it is dropped: nothing waits for it.
"""

from __future__ import annotations

import logging
import os
import select
import sys
import time
from collections.abc import Callable
from typing import Final

EVERY_SECONDS: Final = 60.0
MOST_KINDS: Final = 200
# A pipe that is ready takes so much without waiting.
MOST_BYTES: Final = 4096


def log_seldom() -> None:
    """For everything that is logged in this process and has no other place."""
    if sys.stderr is not None and not logging.getLogger().handlers:
        logging.getLogger().addHandler(SeldomHandler(sys.stderr.fileno()))


class SeldomHandler(logging.Handler):
    def __init__(self, descriptor: int, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(logging.WARNING)
        self._descriptor = descriptor
        self._clock = clock
        self._kinds: dict[tuple[str, str], tuple[float, int]] = {}  # when one was written, and how many since

    def emit(self, record: logging.LogRecord) -> None:
        kind = (record.name, str(record.msg)[:60])
        now = self._clock()
        written, since = self._kinds.get(kind, (-EVERY_SECONDS, 0))
        if now < written + EVERY_SECONDS:
            self._kinds[kind] = (written, since + 1)
            return
        if len(self._kinds) >= MOST_KINDS:
            self._kinds.clear()
        self._kinds[kind] = (now, 0)
        more = f" ({since:,} more since the last one)" if since else ""
        self._write(f"truetty: {record.name}: {self.format(record)}{more}\n")

    def _write(self, text: str) -> None:
        try:
            if select.select([], [self._descriptor], [], 0)[1]:
                os.write(self._descriptor, text.encode(errors="backslashreplace")[-MOST_BYTES:])
        except (OSError, ValueError):
            pass  # closed: the message is dropped
