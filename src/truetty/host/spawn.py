"""Starts a program on a pty.

Rule 1: the child starts clean: its own session, the pty as controlling terminal, no descriptor of ours but those
        handed on, every signal at its default and none blocked (Python ignores SIGPIPE, `nohup` ignores SIGINT;
        children would inherit both).
Rule 2: one more costs the same, however many descriptors are open. The C library closes all of them in the child by one
        call (glibc 2.34). Python has that call since 3.13. Before, the C library is called directly where descriptors
        are many. Where they are few, or there is no such call, each is asked whether the child would inherit it.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import ctypes

# To ask so many takes a tenth of a millisecond. The import of ctypes takes four, once. A new descriptor gets the lowest
# free number, so its number says how many there are.
FEW: Final = 128

# 32 and 33 belong to the C library; KILL and STOP cannot be changed.
_RESETTABLE: Final = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}

_CLOSE_FROM: Final[int | None] = getattr(os, "POSIX_SPAWN_CLOSEFROM", None)
FIRST_OF_OURS: Final = 3
# <spawn.h>: POSIX_SPAWN_SETSIGDEF, POSIX_SPAWN_SETSIGMASK, POSIX_SPAWN_SETSID.
_FLAGS: Final = 0x04 | 0x08 | 0x80
# More than any of the C library's types has: file actions 80 bytes, attributes 336, a signal set 128.
_ROOM: Final = 1024


class Streams(NamedTuple):
    """What a child has open."""

    tty: str
    flags: int = os.O_RDWR  # with O_NOCTTY the tty does not become its controlling terminal
    descriptors: tuple[int, ...] = ()  # of ours, which it has from `FIRST_OF_OURS` on

    @property
    def copies(self) -> list[tuple[int, int]]:
        return [(descriptor, FIRST_OF_OURS + at) for at, descriptor in enumerate(self.descriptors)]

    @property
    def first_closed(self) -> int:
        return FIRST_OF_OURS + len(self.descriptors)


def spawn(
    program: str,
    argv: tuple[str, ...],
    env: Mapping[str, str],
    slave: int,
    *,
    controls: bool = True,
    descriptors: Sequence[int] = (),
) -> int:
    """On the terminal that the descriptor `slave` is of; returns the pid. Raises OSError.

    `controls`: the tty becomes its controlling terminal. `descriptors`: the child has them from `FIRST_OF_OURS` on.
    """
    flags = os.O_RDWR if controls else os.O_RDWR | os.O_NOCTTY
    with ExitStack() as stack:
        # Copies, above every number that they get in the child: none is overwritten before its turn.
        copies = [
            fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, FIRST_OF_OURS + len(descriptors))
            for descriptor in descriptors
        ]
        for copy in copies:
            stack.callback(os.close, copy)
        return _spawn(program, argv, env, Streams(os.ttyname(slave), flags, tuple(copies)), many=slave > FEW)


def _spawn(program: str, argv: tuple[str, ...], env: Mapping[str, str], streams: Streams, *, many: bool) -> int:
    """`many`: many descriptors are open."""
    if _CLOSE_FROM is not None:
        closes: list[tuple[int, int]] = [(_CLOSE_FROM, streams.first_closed)]
    elif many and (library := _library()) is not None:
        return _spawn_by_library(library, program, argv, env, streams)
    else:
        closes = [(os.POSIX_SPAWN_CLOSE, leaky) for leaky in _inheritable() if leaky >= streams.first_closed]
    return os.posix_spawn(
        program,
        argv,
        dict(env),
        # Opened by a session leader without a terminal, the slave becomes its controlling terminal.
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, streams.tty, streams.flags, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
            *((os.POSIX_SPAWN_DUP2, ours, theirs) for ours, theirs in streams.copies),
            *closes,
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=_RESETTABLE,
    )


def _inheritable() -> list[int]:
    """Descriptors that others in this process have left open to children, or that we were started with."""
    try:
        numbers = [int(name) for name in os.listdir("/dev/fd")]
    except OSError:
        return []
    leaky = []
    for number in numbers:
        with contextlib.suppress(OSError):  # the one that listed them is closed by now
            if number > 2 and os.get_inheritable(number):
                leaky.append(number)
    return leaky


@functools.cache
def _library() -> ctypes.CDLL | None:
    """The C library, if it can close a whole range of descriptors in a child."""
    if sys.platform != "linux":
        return None
    import ctypes

    library = ctypes.CDLL(None)
    return library if hasattr(library, "posix_spawn_file_actions_addclosefrom_np") else None


def _spawn_by_library(
    library: ctypes.CDLL, program: str, argv: tuple[str, ...], env: Mapping[str, str], streams: Streams
) -> int:
    """As `os.posix_spawn`, and with one action for all descriptors."""
    import ctypes

    pid = ctypes.c_int()
    actions, attributes, defaults, blocked = (ctypes.create_string_buffer(_ROOM) for _ in range(4))
    library.posix_spawn_file_actions_init(actions)
    library.posix_spawnattr_init(attributes)
    try:
        _check(library.posix_spawn_file_actions_addopen(actions, 0, os.fsencode(streams.tty), streams.flags, 0))
        _check(library.posix_spawn_file_actions_adddup2(actions, 0, 1))
        _check(library.posix_spawn_file_actions_adddup2(actions, 0, 2))
        for ours, theirs in streams.copies:
            _check(library.posix_spawn_file_actions_adddup2(actions, ours, theirs))
        _check(library.posix_spawn_file_actions_addclosefrom_np(actions, streams.first_closed))
        library.sigemptyset(blocked)
        library.sigemptyset(defaults)
        for number in _RESETTABLE:
            library.sigaddset(defaults, int(number))
        library.posix_spawnattr_setsigmask(attributes, blocked)
        library.posix_spawnattr_setsigdefault(attributes, defaults)
        library.posix_spawnattr_setflags(attributes, ctypes.c_short(_FLAGS))
        words = _strings(argv)
        variables = _strings([f"{name}={value}" for name, value in env.items()])
        _check(
            library.posix_spawn(ctypes.byref(pid), os.fsencode(program), actions, attributes, words, variables), program
        )
    finally:
        library.posix_spawn_file_actions_destroy(actions)
        library.posix_spawnattr_destroy(attributes)
    return pid.value


def _strings(words: Sequence[str]) -> ctypes.Array[ctypes.c_char_p]:
    """As C has them: with a null pointer behind the last."""
    import ctypes

    encoded = [os.fsencode(word) for word in words]
    if any(b"\0" in word for word in encoded):
        raise ValueError("embedded null byte")
    return (ctypes.c_char_p * (len(encoded) + 1))(*encoded, None)


def _check(error: int, name: str | None = None) -> None:
    if error:
        raise OSError(error, os.strerror(error), name)
