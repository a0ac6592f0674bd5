"""The guard of a node: a process that starts the node's server, and ends all that is below it when its host is gone.

A program of its own, with nothing but the standard library: it is small, and starts quickly.

    guard_program.py PIPE RAYLET FILES FOLDER PROGRAM ARGUMENT...

PIPE      a descriptor: the host writes a byte to it every second
RAYLET    the process id of the node's Ray daemon; 0: there is none to watch
FILES     how many descriptors the program needs
FOLDER    the server's files, which are removed at the end

Rule 1: each of these ends everything: the end of PIPE (the host was killed, or has ended in order), no byte for
        `SILENCE` seconds (it was stopped), the end of the Ray daemon, the end of the program itself.
Rule 2: this process is the subreaper of all that is below it. So a program that was detached (`nohup`, `setsid`, a
        double fork) becomes its child when its parent has ended, and is found without a list and without a name.
Rule 3: the program is asked to end first (TERM): it closes its terminals in order. Then what is left is killed.
Rule 4: it is in the background, with a session of its own and no parent but init: a Ray worker that ends kills its
        children first. Its process id is printed. If it is killed itself, the program gets TERM from the kernel.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import shutil
import signal
import sys
import time

SILENCE = 10.0  # seconds; the host's client has given it up after three
GRACE = 10.0  # seconds that the program gets to close its terminals
KILL_LIMIT = 10.0  # seconds that the kernel gets to end what was killed
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
POLL_MS = 1000


def main() -> None:
    pipe, raylet, files = map(int, sys.argv[1:4])
    folder, command = sys.argv[4], sys.argv[5:]
    if guard := os.fork():
        print(guard, flush=True)
        os._exit(0)
    os.dup2(0, 1)  # the reader of our output has all of it
    os.chdir("/")
    for ignored in (signal.SIGHUP, signal.SIGINT):
        signal.signal(ignored, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # `finally` ends the rest
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _allow(files)
    program = _start(libc, command, pipe)
    try:
        _watch(pipe, raylet, program)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end(program)
        shutil.rmtree(folder, ignore_errors=True)


def _allow(files: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = files if hard == resource.RLIM_INFINITY else min(files, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _start(libc: ctypes.CDLL, command: list[str], pipe: int) -> int:
    child = os.fork()
    if child:
        return child
    try:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        os.close(pipe)
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.execv(command[0], command)
    finally:
        os._exit(127)


def _watch(pipe: int, raylet: int, program: int) -> None:
    """Until one of the four ends."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    for pid in (raylet, program):
        if pid:
            try:
                poll.register(os.pidfd_open(pid), select.POLLIN)
            except ProcessLookupError:
                return
    heard = time.monotonic()
    while time.monotonic() - heard < SILENCE:
        for descriptor, _ in poll.poll(POLL_MS):
            if descriptor != pipe or not os.read(pipe, 4096):
                return
            heard = time.monotonic()


def _end(program: int) -> None:
    for number in (signal.SIGTERM, signal.SIGCONT):
        with contextlib.suppress(ProcessLookupError):
            os.kill(program, number)
    _reap(program, GRACE)
    until = time.monotonic() + KILL_LIMIT
    while (children := _children()) and time.monotonic() < until:
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            _reap(child, until - time.monotonic())  # its own children are ours now


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(word) for word in file.read().split()]


def _reap(child: int, seconds: float) -> None:
    """Wait for its end, at most so long. It is our child, or has been reaped already."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        descriptor = os.pidfd_open(child)
        try:
            select.select([descriptor], [], [], max(0.0, seconds))
        finally:
            os.close(descriptor)
        os.waitpid(child, os.WNOHANG)


if __name__ == "__main__":
    main()
