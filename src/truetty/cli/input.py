"""Where a command's input comes from: a person's keyboard, or standard input that is no terminal."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from typing import Final

from truetty import Command, Misuse, Terminal
from truetty.cli.suspension import STOP_KEY, Suspension

MOST_ENDS: Final = 3  # a program that still waits after so many Ctrl-D does not wait for our input
LONGEST_LINE: Final = 4000
END_OF_INPUT: Final = b"\x04"
READ_SIZE: Final = 64 * 1024  # what a pty holds, and more


class Feed:
    """Where answers come from."""

    async def answer(self, *, patient: bool, timeout: float | None) -> bool:
        """The command waits for input. False when there is none to give it."""
        raise AssertionError("one of the two below")


class _Keyboard(Feed):
    """A person: whatever is typed goes to the command at once, whether it waits or not."""

    def __init__(self) -> None:
        self.gone = False

    async def answer(self, *, patient: bool, timeout: float | None) -> bool:
        return not self.gone


@contextlib.contextmanager
def keyboard(terminal: Terminal, suspension: Suspension | None = None, *, resizes: bool = True) -> Iterator[Feed]:
    """`suspension`: what Ctrl-Z begins; None: it is a key for the terminal, in which a person's shell runs.

    `resizes`: the terminal has the size of the window we are in, and is changed with it.
    """
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()
    keys = _Keyboard()
    sending: set[asyncio.Task[None]] = set()

    def on_keys() -> None:
        data = os.read(descriptor, READ_SIZE)
        if not data:
            keys.gone = True
            loop.remove_reader(descriptor)
        elif suspension is not None and suspension.takes(data):
            pass_on(data.replace(STOP_KEY, b""))
            sys.stdout.write("^Z")
            sys.stdout.flush()
            suspension.begin()
        else:
            pass_on(data)

    def pass_on(data: bytes) -> None:
        if data and not terminal.closed:
            task = asyncio.ensure_future(_pass_on(terminal, data))
            sending.add(task)
            task.add_done_callback(sending.discard)

    def on_resize() -> None:
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
        if resizes and columns > 0 and rows > 0 and not terminal.closed:
            task = asyncio.ensure_future(terminal.resize(columns, rows))
            sending.add(task)
            task.add_done_callback(sending.discard)

    def enter() -> None:
        tty.setraw(descriptor, termios.TCSADRAIN)
        on_resize()

    before = termios.tcgetattr(descriptor)
    tty.setraw(descriptor, termios.TCSADRAIN)
    if suspension is not None:
        suspension.leave = lambda: termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
        suspension.enter = enter
    loop.add_reader(descriptor, on_keys)
    loop.add_signal_handler(signal.SIGWINCH, on_resize)
    try:
        yield keys
    finally:
        loop.remove_signal_handler(signal.SIGWINCH)
        loop.remove_reader(descriptor)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


async def _pass_on(terminal: Terminal, data: bytes) -> None:
    try:
        await terminal.send(data)
    except Misuse:  # the line is too long: the bell rings and the rest is dropped, as on any terminal
        sys.stdout.write("\a")
        sys.stdout.flush()


class _Pipe(Feed):
    """Standard input that is no terminal: read when the command waits, and passed on line by line.

    The tty keeps what the command does not read, and the shell would run it as commands. So a line is sent when a
    program waits for it, and no line before.
    """

    def __init__(self, terminal: Terminal, command: Command) -> None:
        self._terminal = terminal
        self._command = command
        self._ready = self._has_fed = False
        self._ends = 0 if sys.stdin is not None else MOST_ENDS
        self._unsent = b""
        self._line = 0  # how many bytes of the current line were sent

    async def answer(self, *, patient: bool, timeout: float | None) -> bool:
        if self._unsent:
            await self._send_line()
            return True
        if self._ends >= MOST_ENDS:
            return False
        # A pipe that has given something is the command's input: its next part is waited for, however late it comes.
        if not (patient or self._has_fed) and not select.select([0], [], [], 0)[0]:
            return False
        if not await self._readable(timeout):
            return True  # the command has gone on without input, or the time is over
        self._unsent = os.read(0, 4096)
        if self._unsent:
            self._has_fed = True
            await self._send_line()
            return True
        # The end of a pipe is Ctrl-D on a terminal; behind half a line it takes two, the first only ends the line.
        self._ends += 1
        if patient or self._has_fed:
            await self._command.press("C-d")
            return True
        return False

    async def _send_line(self) -> None:
        line, end, self._unsent = self._unsent.partition(b"\n")
        await self._command.send(self._in_parts(line + end))

    def _in_parts(self, line: bytes) -> bytes:
        """The tty holds 4,095 bytes of a line and drops the rest; Ctrl-D in its middle hands on what there is."""
        if not self._command.reads_lines:
            return line
        parts: list[bytes] = []
        while self._line + len(line) > LONGEST_LINE:
            cut = LONGEST_LINE - self._line
            parts += (line[:cut], END_OF_INPUT)
            line, self._line = line[cut:], 0
        self._line = 0 if line.endswith(b"\n") else self._line + len(line)
        return b"".join([*parts, line])

    async def _readable(self, timeout: float | None) -> bool:
        loop = asyncio.get_running_loop()
        self._ready = False
        try:
            loop.add_reader(0, self._on_readable)
        except (OSError, ValueError):  # a plain file is always ready, and cannot be watched
            return True
        try:
            await self._terminal.changes.until(lambda: self._ready or self._command.state != "waiting", timeout)
        finally:
            loop.remove_reader(0)
        return self._ready and self._command.state == "waiting"

    def _on_readable(self) -> None:
        self._ready = True
        self._terminal.changes.tell()


@contextlib.contextmanager
def piped(terminal: Terminal, command: Command) -> Iterator[Feed]:
    yield _Pipe(terminal, command)
