"""The recording of a terminal so far, as the lines of an asciicast: a marker stands where each command began.

Of what a server before this one has seen, the times are those at which its commands were started.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from typing import Any

from truetty.core.errors import HostError
from truetty.terminal.terminal import Terminal


async def recorded(terminal: Terminal) -> AsyncIterator[Any]:
    """The header, then the events. They are made when the first is asked for."""
    with tempfile.TemporaryDirectory(prefix="truetty-") as folder:
        path = os.path.join(folder, "cast")
        with terminal.record(path) as recording:
            await recording
        if recording.trouble is not None:
            raise HostError(f"{terminal.id} cannot be recorded: {recording.trouble}", reason=recording.trouble)
        for value in _values(path):
            yield value


def _values(path: str) -> Iterator[Any]:
    with open(path, encoding="utf-8") as lines:
        yield from map(json.loads, lines)
