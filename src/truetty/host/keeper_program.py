"""The keeper: a process beside a server that outlives it, and ends what the server's terminals have left running.

Run as a program of its own by `keeper.py`, with nothing but the standard library: it is small, and starts quickly.

    keeper_program.py SOCKET VARIABLE MARK

Rule 1: it has a session of its own, and its parent is gone: a client that ends the server by its group, or by following
        parents, does not meet it.
Rule 2: SOCKET is a descriptor whose other end only the server has. The end of it is the end of the server, whatever
        ended that.
Rule 3: a process is the server's if it has MARK in its variable VARIABLE, which every shell was started with and hands
        on, or is in the session of one of its shells. So detached processes are, too. Nothing else is signalled: a
        process is held by a descriptor before it is looked at, so a reused number is never signalled.
Rule 4: first they are asked to end (HUP and TERM), then they are killed.

What the server says, a message each:

    put SHELL BORN      a terminal with this shell, which began at this tick of the machine's
    drop SHELL          it is closed
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time

# How long programs get to end by themselves.
GRACE = 0.5
# How long the kernel gets to end them. Only what hangs in an uninterruptible wait takes so long.
KILL_LIMIT = 5.0
LONGEST_MESSAGE = 256

Processes = dict[int, int]  # a descriptor of each, and its number


def main() -> None:
    number, variable, mark = sys.argv[1:]
    if os.fork():
        os._exit(0)
    os.chdir("/")
    for ignored in (signal.SIGHUP, signal.SIGINT):
        signal.signal(ignored, signal.SIG_IGN)
    shells = follow(int(number))
    end(shells, variable.encode() + b"=", mark.encode())


def follow(server: int) -> dict[int, int]:
    """Until the server is gone: its shells, and when each began."""
    shells: dict[int, int] = {}
    while message := os.read(server, LONGEST_MESSAGE):
        verb, *numbers = message.split()
        if verb == b"put":
            shells[int(numbers[0])] = int(numbers[1])
        elif verb == b"drop":
            shells.pop(int(numbers[0]), None)
    return shells


def end(shells: dict[int, int], variable: bytes, mark: bytes) -> None:
    signals: tuple[int, ...] = (signal.SIGHUP, signal.SIGTERM, signal.SIGCONT)
    patience = GRACE
    until = time.monotonic() + GRACE + KILL_LIMIT
    # A process may have started another while it was looked for: only a second look that finds none is believed.
    empty_looks = 0
    while empty_looks < 2 and time.monotonic() < until:
        found = look(shells, variable, mark)
        for descriptor in found:
            for number in signals:
                _send(descriptor, number)
        _wait(found, patience)
        for descriptor in found:
            os.close(descriptor)
        empty_looks = 0 if found else empty_looks + 1
        signals, patience = (signal.SIGKILL,), KILL_LIMIT


def look(shells: dict[int, int], variable: bytes, mark: bytes) -> Processes:
    """Those that are the server's and live."""
    found: Processes = {}
    reused = {shell for shell, born in shells.items() if (now := _stat(shell)) is not None and int(now[19]) != born}
    sessions = shells.keys() - reused
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            descriptor = os.pidfd_open(int(name))
        except OSError:  # gone
            continue
        stat = _stat(int(name))
        if (
            stat is not None
            and stat[0] not in (b"Z", b"X")
            and (int(stat[3]) in sessions or _is_marked(int(name), variable, mark))
        ):
            found[descriptor] = int(name)
        else:
            os.close(descriptor)
    return found


def _stat(pid: int) -> list[bytes] | None:
    """The fields behind its name: its state, its parent, its group, its session; at 19 when it began."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return None


def _is_marked(pid: int, variable: bytes, mark: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            variables = file.read().split(b"\0")
    except OSError:
        return False
    return any(one.startswith(variable) and mark in one[len(variable) :].split(b":") for one in variables)


def _send(descriptor: int, number: int) -> None:
    with contextlib.suppress(OSError):  # gone, or of another user
        signal.pidfd_send_signal(descriptor, number)


def _wait(processes: Processes, patience: float) -> None:
    """Until all have ended."""
    waiting, until = set(processes), time.monotonic() + patience
    poll = select.poll()
    for descriptor in waiting:
        poll.register(descriptor, select.POLLIN)
    while waiting and (left := until - time.monotonic()) > 0:
        for descriptor, _ in poll.poll(left * 1000):
            poll.unregister(descriptor)
            waiting.discard(descriptor)


if __name__ == "__main__":
    main()
