"""One pseudo-terminal: its modes, its foreground group, its unread input.

Rule 1: we never become the terminal's owner: every descriptor is opened with O_NOCTTY, O_NONBLOCK and O_CLOEXEC.
Rule 2: what mends changes only the modes by which a command can be harmed; a user's other choices stay.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import sys
import termios
from typing import Any, NamedTuple, TypeAlias

from truetty.core.observation import Observation, ReadKind
from truetty.host.base import Modes, Tty
from truetty.host.kernel.pool import Pooled

# As termios.tcgetattr has them.
Attributes: TypeAlias = list[Any]

_GET_PEER = 0x5441  # TIOCGPTPEER, since Linux 4.13: opens the slave wherever /dev/pts is mounted
_FLAGS = os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC

_UTF8 = 0x4000 if sys.platform == "linux" else 0  # IUTF8, which Python does not name before 3.13
_INPUT = termios.ICRNL | termios.INLCR | termios.IGNCR | termios.ISTRIP | termios.IXON | _UTF8
_OUTPUT = termios.OPOST | termios.ONLCR | termios.OCRNL
_LOCAL = termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN | termios.ECHOE
_CHARACTERS = (termios.VINTR, termios.VQUIT, termios.VSUSP, termios.VEOF, termios.VERASE)
_ACTING = (termios.VINTR, termios.VQUIT, termios.VSUSP, termios.VSTART, termios.VSTOP)
_ACTING_ON_LINES = (
    *_ACTING,
    termios.VEOF,
    termios.VEOL,
    termios.VEOL2,
    termios.VERASE,
    termios.VKILL,
    termios.VLNEXT,
    termios.VWERASE,
)
# How "no character" is written: _POSIX_VDISABLE is 0 on Linux and 255 on macOS.
_DISABLED = b"\xff" if sys.platform == "darwin" else b"\0"


class _Sane(NamedTuple):
    """The part of the modes that we care for."""

    input: int
    output: int
    local: int
    characters: tuple[bytes, ...]


def _sane(attributes: Attributes) -> _Sane:
    characters = tuple(attributes[6][at] for at in _CHARACTERS)
    return _Sane(attributes[0] & _INPUT, attributes[1] & _OUTPUT, attributes[3] & _LOCAL, characters)


def open_slave(master: int) -> int | None:
    """A descriptor of the terminal's other side; None where the system has no way to ask for it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return fcntl.ioctl(master, _GET_PEER, _FLAGS)
    return None


class LocalTty(Tty):
    """Does not own `master`; owns `slave` if it gets one. `shell`: the process that it is the terminal of. `first`: the
    modes it was started with."""

    __slots__ = ("_first", "_held", "_known", "_shell", "_slave", "_zero", "master")

    def __init__(
        self, master: int, first: Attributes | None = None, shell: int | None = None, *, slave: int | None = None
    ) -> None:
        self.master = master
        self._held = slave
        self._slave = Pooled(self._open_slave)
        self._shell = shell
        self._zero = bytes(4)
        self._first = first or self._attributes()
        self._known: list[tuple[Attributes, Modes]] = []  # the last two: a shell's editor has its own

    def close(self) -> None:
        self.master = -1  # the number may be another terminal's soon
        self._slave.close()
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def _open_slave(self) -> int:
        slave = open_slave(self.master) if self.master >= 0 else None
        if slave is None:
            raise FileNotFoundError
        return slave

    def slave(self) -> int | None:
        """The terminal's other side, for a moment; None where there is no way to it."""
        if self._held is not None:
            return self._held
        try:
            return self._slave.get()
        except OSError:
            return None

    def _attributes(self) -> Attributes | None:
        try:
            return termios.tcgetattr(self.master)
        except (termios.error, ValueError):  # ValueError: a negative descriptor
            return None

    def local_flags(self) -> int:
        """Raises OSError when the terminal is gone, or there is none."""
        attributes = self._attributes()
        if attributes is None:
            raise OSError("no terminal")
        return int(attributes[3])

    def limits_reads(self) -> bool:
        """Whether a read ends by itself after a time: VMIN is 0 and VTIME is not, outside of line mode."""
        attributes = self._attributes()
        if attributes is None or attributes[3] & termios.ICANON:
            return False
        return bool(attributes[6][termios.VMIN] == 0 < attributes[6][termios.VTIME])

    def foreground(self) -> int | None:
        try:
            return os.tcgetpgrp(self.master) or None
        except (OSError, ValueError):
            return None

    def shell_in_front(self) -> bool | None:
        front = self.foreground()
        if front is None or self._shell is None:
            return None
        try:
            return os.getpgid(self._shell) == front
        except ProcessLookupError:
            return False
        except OSError:
            return None

    def unread(self) -> int | None:
        slave = self.slave()
        if slave is None:
            return None
        try:
            # What was written to the other side is handed over by a thread of the kernel. FIONREAD does not count what
            # is still on its way; poll waits for that thread first.
            arrivals = select.poll()
            arrivals.register(slave, select.POLLIN)
            arrivals.poll(0)
            return int.from_bytes(fcntl.ioctl(slave, termios.FIONREAD, self._zero), sys.byteorder)
        except OSError:
            return None

    def modes(self) -> Modes | None:
        attributes = self._attributes()
        if attributes is None:  # the terminal is gone, or there is none
            return None
        for known, modes in self._known:
            if known == attributes:
                return modes
        modes = self._modes_of(attributes)
        self._known = [*self._known[-1:], (attributes, modes)]
        return modes

    def _modes_of(self, attributes: Attributes) -> Modes:
        local, interrupt = attributes[3], attributes[6][termios.VINTR]
        first = self._first
        return Modes(
            canonical=bool(local & termios.ICANON),
            echo=bool(local & termios.ECHO),
            signals=bool(local & termios.ISIG),
            interrupt=b"" if interrupt == _DISABLED else interrupt,
            special=b"".join(attributes[6][at] for at in (_ACTING_ON_LINES if local & termios.ICANON else _ACTING)),
            sane=first is None or attributes == first or _sane(attributes) == _sane(first),
        )

    def adopt(self) -> None:
        attributes = self._attributes()
        # The user has not chosen an editor's own modes: the shell may have entered its editor a moment ago.
        if attributes is not None and attributes[3] & termios.ICANON:
            self._first = attributes
            self._known.clear()

    def mend(self) -> None:
        slave = self.slave()
        target = self.master if slave is None else slave
        with contextlib.suppress(termios.error, ValueError):
            if self._first is not None:
                first = _sane(self._first)
                attributes = termios.tcgetattr(target)
                attributes[0] = attributes[0] & ~_INPUT | first.input
                attributes[1] = attributes[1] & ~_OUTPUT | first.output
                attributes[3] = attributes[3] & ~_LOCAL | first.local
                for at, character in zip(_CHARACTERS, first.characters, strict=True):
                    attributes[6][at] = character
                termios.tcsetattr(target, termios.TCSANOW, attributes)
        self.resume()

    def free_keys(self) -> None:
        slave = self.slave()
        target = self.master if slave is None else slave
        with contextlib.suppress(termios.error, ValueError):
            if self._first is not None:
                attributes = termios.tcgetattr(target)
                for at in _ACTING_ON_LINES:
                    attributes[6][at] = self._first[6][at]
                termios.tcsetattr(target, termios.TCSANOW, attributes)

    def resume(self) -> None:
        slave = self.slave()
        if slave is not None:
            with contextlib.suppress(termios.error):
                # Ctrl-S stops by another flag than TCOOFF, and TCOON undoes TCOOFF only: so first that, then this.
                termios.tcflow(slave, termios.TCOOFF)
                termios.tcflow(slave, termios.TCOON)


def kind_of(local: int) -> ReadKind:
    """What a reader wants, as far as the modes tell."""
    if local & termios.ICANON:
        return "line" if local & termios.ECHO else "secret"
    return "key"


def is_secret(local: int) -> bool:
    return bool(local & termios.ICANON) and not local & termios.ECHO


def hides_keys(local: int) -> bool:
    """No key is echoed: an editor or a question for a secret."""
    return not local & termios.ECHO


def seen_by_modes(tty: LocalTty) -> Observation:
    """What the modes alone give away: line mode without echo is a question for a secret."""
    try:
        asks = is_secret(tty.local_flags()) and not tty.unread()
    except OSError:
        asks = False
    return Observation("waiting" if asks else "unknown", conclusive=False, kind="secret" if asks else None)


def is_editing(local: int) -> bool:
    """Neither line mode nor echo: an editor draws every character itself."""
    return not local & (termios.ICANON | termios.ECHO)
