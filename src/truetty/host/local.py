"""This machine: shells on ptys of our own.

Rule: what cannot be started is refused, and the error says why: the directory, the private files, or the program.
"""

from __future__ import annotations

import os
import signal
import termios
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Final

from truetty.core.errors import LimitReached
from truetty.host import environment
from truetty.host.base import Found, Order, ShellName
from truetty.host.folder import Folder
from truetty.host.hold import Hold
from truetty.host.kernel import observer_for
from truetty.host.kernel.observer import Observer
from truetty.host.kernel.tty import Attributes
from truetty.host.launch import NO_FILES, Execution, prepare, refusal, spawn_failed
from truetty.host.pty import LocalChannel, set_size
from truetty.host.spawn import spawn
from truetty.shells import table

# Python's termios does not name it before 3.13.
IUTF8: Final = 0x4000

# `cd` for the child alone: changing our own directory, even for a moment, would be seen by other threads.
ENTER: Final = 'cd -- "$1" || exit 126; shift; unset OLDPWD; exec "$@"'

# From the pty's master, the shell's pid and the modes it starts with.
Observe = Callable[[int, int, Attributes], Observer]


class LocalHost:
    """`observe`: what makes the observer of a shell; by default the best that this machine allows. `hold`: what holds
    the terminal beside us."""

    name = "local"

    def __init__(self, observe: Observe = observer_for, hold: Hold | None = None) -> None:
        self._observe = observe
        self._hold = hold or Hold()

    async def find(self, shell: ShellName, env: Mapping[str, str | None]) -> Found:
        known = {name: os.environ[name] for name in table.FIND_VARIABLES if name in os.environ}
        return table.find(shell, environment.with_changes(known, env))

    async def start(self, order: Order) -> LocalChannel:
        cwd = directory_of(order)
        with refusal(order, NO_FILES):
            files = self._hold.folder()
        try:
            execution = prepare(order, files, self._variables(), cwd)
            execution = replace(execution, env={**execution.env, **self._hold.variables(os.environ)})
            with refusal(order, f"cannot start {execution.program}"):
                return await self._spawn(execution, files, cwd, order)
        except BaseException:
            files.remove()
            raise

    async def close(self) -> None:
        return

    def _variables(self) -> Mapping[str, str]:
        return os.environ

    async def _spawn(self, execution: Execution, files: Folder, cwd: str | None, order: Order) -> LocalChannel:
        program, argv = execution.program, execution.argv
        if cwd is not None and not _is_here(cwd):
            argv = ("sh", "-c", ENTER, "sh", cwd, program, *argv[1:])
            program = "/bin/sh"
        with new_pty(order.size) as pty:
            pid = spawn(program, argv, execution.env, pty.slave)
            with end_on_error(pid):
                observer = self._observe(pty.master, pid, pty.modes)
                return pty.keep(LocalChannel(pty.master, pid, files, observer, hold=self._hold))


class NewPty:
    """Both sides of one, until there is a channel that keeps the master."""

    def __init__(self, master: int, slave: int) -> None:
        self.master = master
        self.slave = slave
        self.modes = _set_modes(slave)
        self._kept = False

    def keep(self, channel: LocalChannel) -> LocalChannel:
        self._kept = True
        return channel

    def close(self) -> None:
        os.close(self.slave)
        if not self._kept:
            os.close(self.master)


@contextmanager
def new_pty(size: tuple[int, int]) -> Iterator[NewPty]:
    try:
        master, slave = os.openpty()
    except OSError as error:
        raise LimitReached(f"no pty to be had: {error.strerror}", limit="ptys", value=None) from error
    pty = NewPty(master, slave)
    with closing(pty):
        set_size(master, *size)
        os.set_blocking(master, False)
        yield pty


@contextmanager
def end_on_error(pid: int) -> Iterator[None]:
    try:
        yield
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise


def directory_of(order: Order) -> str | None:
    """Where to start, as an absolute path."""
    if order.cwd is None:
        return None
    try:
        cwd = os.path.abspath(order.cwd) if order.cwd else ""
    except OSError:  # relative to a directory that is gone
        cwd = ""
    if os.path.exists(cwd) and not os.path.isdir(cwd):
        raise spawn_failed(order, f"cwd is a file, not a directory: {order.cwd}", "not a directory")
    if not os.path.isdir(cwd):
        raise spawn_failed(order, f"no such directory: {order.cwd}", "no such directory")
    return cwd


def _is_here(cwd: str) -> bool:
    try:
        return os.path.realpath(cwd) == os.getcwd()
    except OSError:  # our own directory is gone
        return False


def _set_modes(slave: int) -> Attributes:
    """Ctrl-S must not freeze a terminal that no person watches; erasing works by character, not by byte."""
    modes = termios.tcgetattr(slave)
    modes[0] = (modes[0] & ~termios.IXON) | IUTF8
    termios.tcsetattr(slave, termios.TCSANOW, modes)
    return modes
