"""`truetty run`: one command, its output as it comes, its exit code as ours."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import select
import shlex
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from truetty import Command, Misuse, Outcome, Settings, Terminal, TruettyError
from truetty.cli import OURS
from truetty.cli.signals import interrupts
from truetty.service.defaults import terminal_arguments

PATIENCE_OVER: Final = 124  # as `timeout` of coreutils has it
MOST_ENDS: Final = 3  # Ctrl-D that often, and whoever still waits is not waiting for our input
LONGEST_LINE: Final = 4000
END: Final = b"\x04"
CHUNK: Final = 64 * 1024  # what a pty holds, and more


@dataclass(frozen=True, slots=True)
class Request:
    command: list[str]
    shell: str | None
    cwd: str | None
    env: list[str]
    wait: float | None
    timeout: float | None
    json: bool
    rc: bool

    @property
    def text(self) -> str:
        return self.command[0] if len(self.command) == 1 else shlex.join(self.command)

    @property
    def variables(self) -> dict[str, str | None]:
        variables: dict[str, str | None] = {}
        for word in self.env:
            name, equals, value = word.partition("=")
            if not name:
                raise Misuse(f"not a variable: {word!r}", env=word)
            variables[name] = value if equals else None
        return variables


def main(request: Request) -> int:
    try:
        return asyncio.run(_run(request))
    except TruettyError as error:
        if request.json:
            facts = {name: value for name, value in error.facts.items() if isinstance(value, str | int | float | None)}
            print(json.dumps({"error": {"code": error.code, "message": str(error), **facts}}, ensure_ascii=False))
        raise
    except asyncio.CancelledError as error:
        return 128 + next((number for number in error.args if isinstance(number, int)), signal.SIGTERM)


async def _run(request: Request) -> int:
    person = not request.json and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    settings = Settings.load(shell=request.shell, rc=None if request.rc else False)
    made = terminal_arguments(settings)
    made["env"] = {**(made["env"] or {}), **request.variables}
    if person:
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
        made["size"] = (columns or settings.size[0], rows or settings.size[1])
    terminal = Terminal(settings.shell, cwd=request.cwd, **made)
    async with terminal:
        command = await terminal.start(request.text, timeout=request.timeout)
        with interrupts(command), keyboard(terminal) if person else piped(terminal, command) as feed:
            outcome = await follow(request, command, feed, person)
    if request.json:
        print(json.dumps(dataclasses.asdict(outcome), ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))
    return status(request, command, outcome)


def status(request: Request, command: Command, outcome: Outcome) -> int:
    if outcome.state != "finished" or command.timed_out:
        if not request.json:
            whys = {"waiting": "it waits for input", "lost": "its terminal is lost"}
            what = whys.get(outcome.state, "its time is over")
            print(f"truetty: ended before it had finished: {what}", file=sys.stderr)
        return PATIENCE_OVER
    if outcome.exit_code is None:
        print("truetty: the command has ended, but its exit code is unknown", file=sys.stderr)
        return OURS
    return outcome.exit_code


async def follow(request: Request, command: Command, feed: Feed, person: bool) -> Outcome:
    """Show output and pass input until the command has finished, patience is over, or nobody can answer."""
    show = _Show(command, raw=person, silent=request.json)
    loop = asyncio.get_running_loop()
    until = None if request.wait is None else loop.time() + request.wait
    known = 0  # the number of the last waiting that was dealt with

    def news() -> bool:
        return command.output.bytes > show.shown or command.finished or (command.open_waiting or 0) > known

    while True:
        left = None if until is None else max(until - loop.time(), 0)
        await command.changes.until(news, left)
        if command.output.bytes > show.shown:
            show.more(command)
            continue
        outcome = await command.wait(0)
        known = command.open_waiting or known
        show.more(command)
        if outcome.state in ("finished", "lost") or (left is not None and loop.time() >= (until or 0)):
            break
        if outcome.state == "waiting" and not await feed.answer(patient=not request.json, timeout=left):
            break
    return await command.wait(0)


class _Show:
    """A person's terminal gets the bytes as they are; a pipe gets clean text; --json gets nothing yet."""

    def __init__(self, command: Command, *, raw: bool, silent: bool) -> None:
        self.shown = 0
        self._reader = command.output.reader()
        self._raw = raw
        self._silent = silent

    def more(self, command: Command) -> None:
        if self._raw:
            while data := command.output.read(self.shown, CHUNK):
                self.shown += len(data)
                sys.stdout.buffer.write(data)
        else:
            self.shown = command.output.bytes
            if not self._silent:
                sys.stdout.write(self._reader.unread())
        sys.stdout.flush()


class Feed:
    """Where answers come from."""

    async def answer(self, *, patient: bool, timeout: float | None) -> bool:
        """The command waits for input. False when there is none to give it."""
        raise AssertionError("one of the two below")


class _Keys(Feed):
    """A person: whatever is typed goes to the command at once, whether it waits or not."""

    def __init__(self) -> None:
        self.gone = False

    async def answer(self, *, patient: bool, timeout: float | None) -> bool:
        return not self.gone


@contextlib.contextmanager
def keyboard(terminal: Terminal) -> Iterator[Feed]:
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()
    keys = _Keys()
    sending: set[asyncio.Task[None]] = set()

    def typed() -> None:
        data = os.read(descriptor, CHUNK)
        if not data:
            keys.gone = True
            loop.remove_reader(descriptor)
        elif not terminal.closed:
            task = asyncio.ensure_future(terminal.send(data))
            sending.add(task)
            task.add_done_callback(sending.discard)

    def resized() -> None:
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
        if columns > 0 and rows > 0 and not terminal.closed:
            task = asyncio.ensure_future(terminal.resize(columns, rows))
            sending.add(task)
            task.add_done_callback(sending.discard)

    before = termios.tcgetattr(descriptor)
    tty.setraw(descriptor, termios.TCSADRAIN)
    loop.add_reader(descriptor, typed)
    loop.add_signal_handler(signal.SIGWINCH, resized)
    try:
        yield keys
    finally:
        loop.remove_signal_handler(signal.SIGWINCH)
        loop.remove_reader(descriptor)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


class _Pipe(Feed):
    """Standard input that is no terminal: read only when the command waits, so that nothing is taken in vain."""

    def __init__(self, terminal: Terminal, command: Command) -> None:
        self._terminal = terminal
        self._command = command
        self._ready = self._given = False
        self._ends = 0 if sys.stdin is not None else MOST_ENDS
        self._line = 0  # bytes of the line that is being given

    async def answer(self, *, patient: bool, timeout: float | None) -> bool:
        if self._ends >= MOST_ENDS:
            return False
        if not patient and not select.select([0], [], [], 0)[0]:
            return False
        if not await self._readable(timeout):
            return True  # the command has gone on without us, or patience is over
        data = os.read(0, 4096)
        if data:
            self._given = True
            await self._command.send(self._in_lines(data))
            return True
        # The end of a pipe is Ctrl-D on a terminal; behind half a line it takes two, the first only ends the line.
        self._ends += 1
        if patient or self._given:
            await self._command.press("C-d")
            return True
        return False

    def _in_lines(self, data: bytes) -> bytes:
        """The tty holds 4,095 bytes of a line and drops the rest; Ctrl-D in its middle hands on what there is."""
        if not self._command.reads_lines:
            return data
        parts: list[bytes] = []
        for line in data.splitlines(keepends=True):
            while self._line + len(line) > LONGEST_LINE:
                cut = LONGEST_LINE - self._line
                parts += (line[:cut], END)
                line, self._line = line[cut:], 0
            parts.append(line)
            self._line = 0 if line.endswith(b"\n") else self._line + len(line)
        return b"".join(parts)

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
