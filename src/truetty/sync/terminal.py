"""Terminal, Command and Output, blocking."""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Iterator
from types import TracebackType
from typing import Self, Unpack

import truetty
from truetty.core.outcome import Outcome, State, Strategy
from truetty.core.until import Until
from truetty.events import Event
from truetty.host.kernel.observation import Process
from truetty.store import transcript
from truetty.store.reads import Match
from truetty.sync.loop import loop
from truetty.terminal.command import Activity
from truetty.terminal.options import Arguments, ShellName
from truetty.terminal.recording import Wanted
from truetty.terminal.stream import Stream
from truetty.text.digest import Budget
from truetty.text.screen import Screen


class Output:
    """A command's output; see `truetty.Output`."""

    def __init__(self, inner: truetty.Output) -> None:
        self._inner = inner

    @property
    def bytes(self) -> int:
        return loop.ask(lambda: self._inner.bytes)

    @property
    def lines(self) -> int:
        return loop.ask(lambda: self._inner.lines)

    @property
    def missing(self) -> int:
        return loop.ask(lambda: self._inner.missing)

    @property
    def complete(self) -> bool:
        return loop.ask(lambda: self._inner.complete)

    @property
    def path(self) -> str | None:
        return loop.ask(lambda: self._inner.path)

    def raw(self) -> builtins.bytes:
        return loop.ask(self._inner.raw)

    def read(self, offset: int = 0, limit: int | None = None) -> builtins.bytes:
        return loop.ask(lambda: self._inner.read(offset, limit))

    def text(self, budget: int | Budget | None = None, head: int | None = None, tail: int | None = None) -> str:
        return loop.ask(lambda: self._inner.text(budget, head, tail))

    def page(self, offset: int = 0, limit: int = 1 << 16) -> str:
        return loop.ask(lambda: self._inner.page(offset, limit))

    def unread(self, budget: int | Budget | None = None) -> str:
        return loop.ask(lambda: self._inner.unread(budget))

    def grep(self, pattern: str | re.Pattern[str], context: int = 0, limit: int | None = None) -> list[Match]:
        return loop.ask(lambda: self._inner.grep(pattern, context, limit))


class Transcript:
    """All bytes of a terminal; see `truetty.Terminal.transcript`."""

    def __init__(self, inner: transcript.Transcript) -> None:
        self._inner = inner

    @property
    def size(self) -> int:
        return loop.ask(lambda: self._inner.size)

    @property
    def path(self) -> str | None:
        return loop.ask(lambda: self._inner.path)

    def read(self, offset: int = 0, limit: int | None = None) -> bytes:
        return loop.ask(lambda: self._inner.read(offset, limit))


class Command:
    """One run of one command; see `truetty.Command`."""

    def __init__(self, inner: truetty.Command) -> None:
        self._inner = inner

    def __repr__(self) -> str:
        return repr(self._inner)

    @property
    def id(self) -> str:
        return self._inner.id

    @property
    def text(self) -> str:
        return self._inner.text

    @property
    def state(self) -> State:
        return self._inner.state

    @property
    def exit_code(self) -> int | None:
        return self._inner.exit_code

    @property
    def output(self) -> Output:
        return Output(self._inner.output)

    @property
    def waiting(self) -> truetty.Waiting | None:
        return loop.ask(lambda: self._inner.waiting)

    @property
    def outcome(self) -> Outcome | None:
        return self._inner.outcome

    @property
    def terminal_id(self) -> str:
        return self._inner.terminal_id

    @property
    def reached(self) -> str | None:
        return self._inner.reached

    @property
    def unread(self) -> bool:
        return loop.ask(lambda: self._inner.unread)

    @property
    def activity(self) -> Activity:
        return loop.ask(lambda: self._inner.activity)

    def events(self, coalesce: float | None = None) -> Iterator[Event]:
        stream = loop.ask(lambda: self._inner.events(coalesce))
        return _events(stream)

    def wait(self, timeout: float | None = None, until: str | re.Pattern[str] | Until = "settled") -> Outcome:
        return loop.call(self._inner.wait(timeout, until))

    def send(self, text: str | bytes) -> None:
        loop.call(self._inner.send(text))

    def press(self, *names: str) -> None:
        loop.call(self._inner.press(*names))

    def interrupt(self) -> bool:
        return loop.call(self._inner.interrupt())

    def kill(self) -> Outcome:
        return loop.call(self._inner.kill())


def _events(stream: Stream) -> Iterator[Event]:
    try:
        while True:
            try:
                event = loop.call(stream.__anext__())
            except StopAsyncIteration:
                return
            yield event
    finally:
        loop.call(stream.aclose())


class Recording:
    """A terminal, written to a file as it goes; see `truetty.Recording`."""

    def __init__(self, inner: truetty.Recording) -> None:
        self._inner = inner

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def path(self) -> str:
        return self._inner.path

    @property
    def trouble(self) -> str | None:
        return self._inner.trouble

    @property
    def stopped(self) -> bool:
        return self._inner.stopped

    def stop(self, exit_code: int | None = None) -> None:
        loop.ask(lambda: self._inner.stop(exit_code))


class Terminal:
    """One shell on one pty; see `truetty.Terminal`. It is open as soon as it is made."""

    def __init__(self, shell: ShellName = None, **arguments: Unpack[Arguments]) -> None:
        self._inner = truetty.Terminal(shell, **arguments)
        loop.call(self._inner.__aenter__())
        loop.keep(self._inner)
        self._command: Command | None = None

    @classmethod
    def of(cls, inner: truetty.Terminal) -> Self:
        """The face of a terminal that is open already."""
        made = cls.__new__(cls)
        made._inner, made._command = inner, None
        return made

    @classmethod
    def open(cls, shell: ShellName = None, **arguments: Unpack[Arguments]) -> Self:
        return cls(shell, **arguments)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return repr(self._inner)

    @property
    def id(self) -> str:
        return self._inner.id

    @property
    def name(self) -> str | None:
        return self._inner.name

    @property
    def task(self) -> str | None:
        return self._inner.task

    @property
    def shell(self) -> str:
        return self._inner.shell

    @property
    def pid(self) -> int | None:
        return self._inner.pid

    @property
    def cwd(self) -> str | None:
        return self._inner.cwd

    @property
    def size(self) -> tuple[int, int]:
        return self._inner.size

    @property
    def busy(self) -> bool:
        return self._inner.busy

    @property
    def closed(self) -> bool:
        return self._inner.closed

    @property
    def exit_code(self) -> int | None:
        return self._inner.exit_code

    @property
    def jobs(self) -> list[Process] | None:
        return loop.ask(lambda: self._inner.jobs)

    @property
    def strategy(self) -> Strategy:
        return self._inner.strategy

    @property
    def transcript(self) -> Transcript:
        return Transcript(self._inner.transcript)

    @property
    def command(self) -> Command | None:
        inner = self._inner.command
        if inner is None:
            return None
        if self._command is None or self._command._inner is not inner:
            self._command = Command(inner)
        return self._command

    def run(self, command: str, *, wait: float | None = None, timeout: float | None = None) -> Outcome:
        return loop.call(self._inner.run(command, wait=wait, timeout=timeout))

    def start(self, command: str, *, timeout: float | None = None) -> Command:
        self._command = Command(loop.call(self._inner.start(command, timeout=timeout)))
        return self._command

    def send(self, text: str | bytes) -> None:
        loop.call(self._inner.send(text))

    def press(self, *names: str) -> None:
        loop.call(self._inner.press(*names))

    def resize(self, columns: int, rows: int) -> None:
        loop.call(self._inner.resize(columns, rows))

    def record(self, path: str | os.PathLike[str], **wanted: Unpack[Wanted]) -> Recording:
        async def made() -> truetty.Recording:
            return await self._inner.record(path, **wanted)

        return Recording(loop.call(made()))

    def screen(self) -> Screen:
        return loop.ask(self._inner.screen)

    def close(self) -> None:
        loop.call(self._inner.close())
        loop.forget(self._inner)
