"""One pseudo-terminal: its modes, its foreground group, its unread input.

Rule 1: we never become the terminal's owner: every descriptor is opened with O_NOCTTY, O_NONBLOCK and O_CLOEXEC.
Rule 2: what mends changes only the modes by which a command can be harmed; a user's other choices stay.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import termios
from typing import Any, NamedTuple

from truetty.host.kernel.observation import Modes, ReadKind

_GET_PEER = 0x5441  # TIOCGPTPEER, since Linux 4.13: opens the slave wherever /dev/pts is mounted
_FLAGS = os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC

_UTF8 = 0x4000 if sys.platform == "linux" else 0  # IUTF8, which Python does not name before 3.13
_INPUT = termios.ICRNL | termios.INLCR | termios.IGNCR | termios.ISTRIP | termios.IXON | _UTF8
_OUTPUT = termios.OPOST | termios.ONLCR | termios.OCRNL
_LOCAL = termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN | termios.ECHOE
_CHARACTERS = (termios.VINTR, termios.VQUIT, termios.VSUSP, termios.VEOF, termios.VERASE)
# How "no character" is written: _POSIX_VDISABLE is 0 on Linux and 255 on macOS.
_DISABLED = b"\xff" if sys.platform == "darwin" else b"\0"


class _Sane(NamedTuple):
    """The part of the modes that we care for."""

    input: int
    output: int
    local: int
    characters: tuple[bytes, ...]


def _sane(attributes: list[Any]) -> _Sane:
    characters = tuple(attributes[6][at] for at in _CHARACTERS)
    return _Sane(attributes[0] & _INPUT, attributes[1] & _OUTPUT, attributes[3] & _LOCAL, characters)


def open_slave(master: int) -> int | None:
    """A descriptor of the terminal's other side; None where the system has no way to ask for it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return fcntl.ioctl(master, _GET_PEER, _FLAGS)
    return None


class Tty:
    """Does not own `master`; owns `slave`."""

    __slots__ = ("_given", "_zero", "master", "slave")

    def __init__(self, master: int, slave: int | None, given: list[Any] | None = None) -> None:
        self.master = master
        self.slave = slave
        self._zero = bytes(4)
        self._given = given or self._attributes()

    def close(self) -> None:
        if self.slave is not None:
            os.close(self.slave)
            self.slave = None

    def _attributes(self) -> list[Any] | None:
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

    def front(self) -> int | None:
        """The foreground process group; None when there is none or it cannot be told."""
        try:
            return os.tcgetpgrp(self.master) or None
        except (OSError, ValueError):
            return None

    def unread(self) -> int | None:
        """Bytes of input that nobody has read yet: in line mode, only those of ended lines."""
        if self.slave is None:
            return None
        try:
            return int.from_bytes(fcntl.ioctl(self.slave, termios.FIONREAD, self._zero), sys.byteorder)
        except OSError:
            return None

    def modes(self) -> Modes:
        attributes = self._attributes()
        if attributes is None:
            # A terminal that is gone, or none at all: nothing to be mended.
            return Modes(canonical=True, echo=True, signals=True, interrupt=b"\x03", sane=True)
        local, interrupt = attributes[3], attributes[6][termios.VINTR]
        given = self._given
        return Modes(
            canonical=bool(local & termios.ICANON),
            echo=bool(local & termios.ECHO),
            signals=bool(local & termios.ISIG),
            interrupt=b"" if interrupt == _DISABLED else interrupt,
            sane=given is None or attributes == given or _sane(attributes) == _sane(given),
        )

    def adopt_modes(self) -> None:
        attributes = self._attributes()
        # An editor's own modes are nobody's choice: the shell may have entered it a moment ago.
        if attributes is not None and attributes[3] & termios.ICANON:
            self._given = attributes

    def mend(self) -> None:
        target = self.master if self.slave is None else self.slave
        with contextlib.suppress(termios.error, ValueError):
            if self._given is not None:
                given = _sane(self._given)
                attributes = termios.tcgetattr(target)
                attributes[0] = attributes[0] & ~_INPUT | given.input
                attributes[1] = attributes[1] & ~_OUTPUT | given.output
                attributes[3] = attributes[3] & ~_LOCAL | given.local
                for at, character in zip(_CHARACTERS, given.characters, strict=True):
                    attributes[6][at] = character
                termios.tcsetattr(target, termios.TCSANOW, attributes)
        self.flow()

    def flow(self) -> None:
        if self.slave is not None:
            with contextlib.suppress(termios.error):
                # Ctrl-S stops by another flag than TCOOFF, and TCOON undoes TCOOFF only: so first that, then this.
                termios.tcflow(self.slave, termios.TCOOFF)
                termios.tcflow(self.slave, termios.TCOON)


def kind_of(local: int) -> ReadKind:
    """What a reader wants, as far as the modes tell."""
    if local & termios.ICANON:
        return "line" if local & termios.ECHO else "secret"
    return "key"


def is_secret(local: int) -> bool:
    return bool(local & termios.ICANON) and not local & termios.ECHO


def is_editing(local: int) -> bool:
    """Neither line mode nor echo: an editor draws every character itself."""
    return not local & (termios.ICANON | termios.ECHO)
