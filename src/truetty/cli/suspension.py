"""Ctrl-Z: the command is stopped, and `truetty` becomes a stopped job of the shell it was started from. `fg` continues
both.

Rule 1: the shell of our terminal is stopped before its command, and continued after it. So it never sees that the
        command was stopped: it would take that for the command's end, and go on with the rest of a list.
Rule 2: all that the shell has started gets SIGTSTP, as from the terminal, and may put its screen in order. What is not
        stopped after a while gets SIGSTOP.
Rule 3: Ctrl-Z is a key like others where the terminal would not turn it into a signal. A program that reads it, and
        stops itself, has ended its command for the shell; `is_stopped` says so, and `fg` in that shell continues it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import termios
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from truetty import Outcome, Terminal
from truetty.cli.person import stop_ourselves
from truetty.host.child import send_signal
from truetty.host.kernel import proc
from truetty.terminal.wire.survivors import STOPPED

STOP_KEY: Final = b"\x1a"
GRACE: Final = 1.0  # seconds in which a program may put its screen in order
PAUSE: Final = 0.01  # between two looks at it


class Suspension:
    """Of one `truetty run`. `leave` and `enter` are called before it stops and after it was continued."""

    def __init__(self, terminal: Terminal) -> None:
        self.leave: Callable[[], None] = lambda: None
        self.enter: Callable[[], None] = lambda: None
        self._terminal = terminal
        self._running: asyncio.Task[None] | None = None

    def takes(self, data: bytes) -> bool:
        """Whether Ctrl-Z is among these keys, and would stop what reads them."""
        return STOP_KEY in data and self._terminal.pid is not None and _signals(self._terminal.pid)

    def begin(self) -> None:
        if self._running is None or self._running.done():
            self._running = asyncio.ensure_future(self._suspend())

    async def _suspend(self) -> None:
        shell = self._terminal.pid
        if shell is None or self._terminal.closed:
            stop_ourselves()
            return
        send_signal(shell, signal.SIGSTOP)
        await self._until(lambda: _are_halted([proc.stat(shell)]))
        groups = _groups(shell)
        for number in (signal.SIGTSTP, signal.SIGSTOP):
            for group in groups:
                send_signal(-group, number)
            await self._until(lambda: _are_halted(one for one in proc.everything() if one.group in groups))
        self.leave()
        stop_ourselves()
        self.enter()
        for group in groups:
            send_signal(-group, signal.SIGCONT)
        send_signal(shell, signal.SIGCONT)

    async def _until(self, condition: Callable[[], bool]) -> None:
        now = asyncio.get_running_loop().time
        await self._terminal.changes.until(condition, GRACE, lambda: now() + PAUSE)


@contextlib.contextmanager
def suspension(terminal: Terminal) -> Iterator[Suspension]:
    """SIGTSTP stops the command too."""
    loop = asyncio.get_running_loop()
    made = Suspension(terminal)
    loop.add_signal_handler(signal.SIGTSTP, made.begin)
    try:
        yield made
    finally:
        loop.remove_signal_handler(signal.SIGTSTP)


def is_stopped(outcome: Outcome) -> bool:
    """Whether the shell took the command for ended because it has stopped itself."""
    return outcome.exit_code == 128 + signal.SIGTSTP and any(note.startswith(STOPPED) for note in outcome.notes)


def _groups(shell: int) -> set[int]:
    """Of all that the shell has started. The group in front of the terminal alone would not do: a shell puts a job in
    front a moment after it has started, and until then the one before is there."""
    of = proc.stat(shell)
    return set() if of is None else {one.group for one in proc.descendants(of)} - {of.group}


def _are_halted(processes: Iterable[proc.Stat | None]) -> bool:
    return all(one is None or one.state in proc.HALTED or one.state in proc.DEAD for one in processes)


def _signals(shell: int) -> bool:
    """Whether its terminal turns Ctrl-Z into a signal."""
    try:
        descriptor = os.open(f"/proc/{shell}/fd/0", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        modes = termios.tcgetattr(descriptor)
        return bool(modes[3] & termios.ISIG) and modes[6][termios.VSUSP] == STOP_KEY
    except termios.error:
        return False
    finally:
        os.close(descriptor)
