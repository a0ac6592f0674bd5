"""The contract between a terminal and whatever carries its bytes.

Rule 1: a channel delivers every byte in order, then exactly one end; nothing after the end.
Rule 2: nothing here waits in the caller's way: `write` queues what the tty does not take, `drained` waits for it.
Rule 3: a channel knows no meanings. It neither looks into the bytes nor decides anything.
Rule 4: a look is delivered behind every byte that was printed before it.
Rule 5: the sink is called by the event loop, never from inside `attach`, `look`, `write`, `resize` or `signal_…`: it is
        not called again before it has returned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from truetty.core.observation import Observation
from truetty.host.kernel.observation import Observer


@dataclass(frozen=True, slots=True)
class Ended:
    """How the shell process ended: a code or a signal; neither when the channel lost it unseen."""

    code: int | None = None
    signal: int | None = None


class Sink(Protocol):
    """Where a channel delivers."""

    def on_data(self, data: bytes) -> None: ...
    def on_look(self, seen: Observation, at: int) -> None:
        """`at`: how many bytes had been delivered when the look was made; a later byte may be younger than the look."""

    def on_end(self, ended: Ended) -> None: ...


class Channel(Protocol):
    """One shell's pty, wherever it is. Used from one event loop only."""

    @property
    def pid(self) -> int | None:
        """The shell's process id on this machine."""

    @property
    def observer(self) -> Observer: ...
    def attach(self, sink: Sink) -> None:
        """Begin to deliver. Called once, inside the event loop."""

    def look(self) -> None:
        """Ask for one look. It comes as `on_look`, unless the end comes first; several that wait become one."""

    def write(self, data: bytes) -> None: ...
    async def drained(self) -> None:
        """Return when everything written was taken by the tty, or the shell is gone."""

    def resize(self, columns: int, rows: int) -> None: ...
    def signal_group(self, group: int, number: int) -> bool:
        """Send a signal to a process group. False if it is gone."""

    def signal_process(self, pid: int, number: int) -> bool: ...
    async def close(self) -> None:
        """End every process of this terminal and let go of everything. Safe to call twice."""
