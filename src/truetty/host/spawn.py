"""Starts a program on a pty.

Rule 1: the child starts clean: its own session, the pty as controlling terminal, no descriptor of ours, every signal at
        its default and none blocked (Python ignores SIGPIPE, `nohup` ignores SIGINT; children would inherit both).
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping
from typing import Final

# 32 and 33 belong to the C library; KILL and STOP cannot be changed.
_RESETTABLE: Final = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}


def spawn(program: str, argv: tuple[str, ...], env: Mapping[str, str], tty: str) -> int:
    return os.posix_spawn(
        program,
        argv,
        dict(env),
        # Opened by a session leader without a terminal, the slave becomes its controlling terminal.
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, tty, os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
            *((os.POSIX_SPAWN_CLOSE, leaky) for leaky in _inheritable()),
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
