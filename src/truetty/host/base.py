"""The contract between a terminal and the place where its shell runs.

    Host ──start──▸ Channel ──on_data, on_look, on_end──▸ Sink
                       ├ files     what the shell reads before a line is typed
                       └ observer  what is known of the tty and of the processes on it

Rule 1: `start` does all of it or nothing: when it fails, no process, descriptor or file is left behind.
Rule 2: files come before bytes. A file that was written is there when the shell reads a byte written after it. That is
        an order and not a wait: a far host may send both over one link.
Rule 3: everything is delivered in the order in which it happened: every byte, a look behind all bytes that were printed
        before it, then exactly one end, and nothing after the end. The sink is called by the event loop, never from
        inside `attach`, `look`, `write`, `resize` or `signal_…`: it is not called again before it has returned.
Rule 4: what cannot be told is `None`; never an empty list, `False` or zero.
Rule 5: the environment, the current directory and `/proc` are asked in `host/` and nowhere else.

Nothing here waits in the caller's way: `write` queues what the tty does not take, `drained` waits for it. Neither a
host nor a channel looks into the bytes or decides anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from truetty.core.observation import Observation
from truetty.host.kernel.observation import Observer
from truetty.shells.table import Found as Found

ShellName = str | Sequence[str] | None  # a name, a path, or a list of arguments; None: the user's own


@dataclass(frozen=True, slots=True)
class Order:
    """What one shell is started with."""

    found: Found
    key: str  # the secret of the marks that the shell's prompt prints
    cwd: str | None = None  # None: where the host is
    env: Mapping[str, str | None] = field(default_factory=dict)  # over what it inherits; a value of None unsets
    rc: bool = True  # the user's start-up files are read
    size: tuple[int, int] = (120, 30)  # columns and rows


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


class PrivateFiles(Protocol):
    """A directory of one shell, which only its user can read."""

    @property
    def path(self) -> str:
        """Where the shell finds it. Short: it is typed with every command."""

    def write(self, files: Mapping[str, bytes], *, lasting: bool = False) -> None:
        """From names to contents; a name may have one folder in it. `lasting`: kept for the shell's whole life.

        Raises OSError when there is no room.
        """

    def drop(self, name: str) -> None: ...
    def has(self, name: str) -> bool | None: ...


class Channel(Protocol):
    """One started shell: all that a terminal touches of it. Used from one event loop only."""

    @property
    def pid(self) -> int | None:
        """The shell's process id, where it means something to `signal_…`."""

    @property
    def files(self) -> PrivateFiles: ...
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
        """End every process of this terminal; no process, descriptor or file is left when it returns.

        A second call waits for the first.
        """


class Host(Protocol):
    """A place where shells run: this machine, a test, a far machine, a sandbox."""

    @property
    def name(self) -> str: ...
    async def find(self, shell: ShellName, env: Mapping[str, str | None]) -> Found:
        """The program that a name means here, with its arguments and its row of the table of shells.

        Raises `SpawnFailed` where there is none.
        """

    async def start(self, order: Order) -> Channel:
        """Raises `SpawnFailed` or `LimitReached`."""

    async def close(self) -> None:
        """Let go of what the host itself holds. Its channels are closed before it."""
