"""A small pty driver of these tests' own: it starts a program on a pty, types, and waits for what the observer sees.

Every wait is for a fact and bounded; one that fails shows what is on the screen.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Sequence

from tests.patience import PATIENCE
from truetty.core.observation import Observation
from truetty.host.base import Modes, Process
from truetty.host.kernel import proc
from truetty.host.kernel.linux import LinuxObserver
from truetty.host.kernel.prompts import Prompts

LOOKS = 25  # how often a settled state is looked at again: it must not flicker

# As each shell is started without its user's files.
SHELLS = {
    "bash": ("bash", "--norc"),
    "zsh": ("zsh", "-f"),
    "fish": ("fish", "--no-config"),
    "dash": ("dash",),
    "ksh93": ("ksh93",),
    "mksh": ("mksh",),
    "tcsh": ("tcsh", "-f"),
    "busybox": ("busybox", "ash"),
}


class Pty:
    """One program on one pty, and its observer."""

    def __init__(self, path: str, argv: Sequence[str], env: dict[str, str], known: Prompts) -> None:
        self.master, slave = os.openpty()
        os.set_blocking(self.master, False)
        name = os.ttyname(slave)
        self.pid = os.posix_spawn(
            path,
            list(argv),
            env,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, name, os.O_RDWR, 0),
                (os.POSIX_SPAWN_DUP2, 0, 1),
                (os.POSIX_SPAWN_DUP2, 0, 2),
            ],
            setsid=True,
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP],
        )
        self.observer = LinuxObserver(self.master, self.pid, known=known)
        os.close(slave)
        self.screen = b""

    def pump(self, patience: float = 0.002) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            if select.select([self.master], [], [], patience)[0]:
                self.screen += os.read(self.master, 65536)

    def until(self, fact: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not fact():
            self.pump()
            if time.monotonic() > end:
                last = self.observer.look.observe()
                raise AssertionError(f"never: {what}; last {last}; screen {self.screen[-400:]!r}")

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def settle(self, seen: str, kind: str | None = None, conclusive: bool | None = None) -> Observation:
        """Wait until it is seen so, and see that it stays so."""

        def fits(look: Observation) -> bool:
            return (look.seen, look.kind) == (seen, kind) and conclusive in (None, look.conclusive)

        def steady() -> bool:
            for _ in range(LOOKS):
                if not fits(self.observer.look.observe()):
                    return False
                self.pump()
            return True

        self.until(steady, f"{seen} {kind} {conclusive}")
        return self.observer.look.observe()

    def learn(self) -> None:
        """Wait for the first prompt: something was printed, and the program then reads and does not run any more."""
        last: tuple[object, ...] = ()

        def quiet() -> bool:
            nonlocal last
            look = self.observer.look.observe()
            before, last = last, (look.seen, look.reader, look.wakes, look.kind, len(self.screen))
            self.pump(0.1)
            return look.reader == self.pid and bool(self.screen) and before == last and self.observer.look.learn()

        self.until(quiet, "a first prompt")

    def learn_work(self) -> None:
        """Let it run a program and look meanwhile: then the observer knows the path on which it runs programs."""
        self.type("/bin/sleep 1000\r")
        # Between fork and exec, zsh's child ignores Ctrl-C.
        self.until(lambda: self.in_front() == "sleep", "sleep is in front")
        self.settle("running", conclusive=True)
        self.type("\x03")
        self.settle("ready", conclusive=True)

    def in_front(self) -> str | None:
        found = proc.stat(self.observer.tty.foreground() or 0)
        return found.name if found is not None else None

    def run(self, line: str) -> None:
        """Type a line at the prompt and wait until the shell is back there, having read it."""
        needed = (self.observer.process.consumed() or 0) + len(line.encode()) + 1
        self.type(line + "\r")

        def back() -> bool:
            look = self.observer.look.observe()
            return look.seen == "ready" and (look.consumed or 0) >= needed

        self.until(back, f"the prompt after {line!r}")

    def stat(self) -> proc.Stat:
        found = proc.stat(self.pid)
        assert found is not None
        return found

    def modes(self) -> Modes:
        found = self.observer.tty.modes()
        assert found is not None
        return found

    def children(self) -> list[Process]:
        found = self.observer.family.children()
        assert found is not None
        return found

    def everyone(self) -> list[Process]:
        found = self.observer.family.everyone()
        assert found is not None
        return found

    def close(self) -> None:
        for process in self.everyone():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self.observer.close()
        os.close(self.master)
