"""The blocking face: the same names, for plain scripts and threads.

Rule 1: one event loop in one background thread serves every terminal of the process; it starts with the first.
Rule 2: every call may come from any thread, several at once; each blocks its own caller only.
Rule 3: Ctrl-C in a waiting caller ends the wait, not the command.
"""

from __future__ import annotations

import asyncio
import atexit
import builtins
import os
import re
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from types import TracebackType
from typing import Final, Self, TypeVar, Unpack

import truetty
from truetty import transcript
from truetty.arguments import Arguments
from truetty.command import Activity as Activity
from truetty.core.errors import BadCommand as BadCommand
from truetty.core.errors import BadKey as BadKey
from truetty.core.errors import Busy as Busy
from truetty.core.errors import ChannelLost as ChannelLost
from truetty.core.errors import Closed as Closed
from truetty.core.errors import Denied as Denied
from truetty.core.errors import HostError as HostError
from truetty.core.errors import LimitReached as LimitReached
from truetty.core.errors import Misuse as Misuse
from truetty.core.errors import SpawnFailed as SpawnFailed
from truetty.core.errors import TruettyError as TruettyError
from truetty.core.errors import UnknownTerminal as UnknownTerminal
from truetty.core.outcome import Outcome as Outcome
from truetty.core.outcome import State, Strategy
from truetty.core.outcome import Waiting as Waiting
from truetty.core.until import Until
from truetty.events import Event
from truetty.output.digest import Budget as Budget
from truetty.output.screen import Screen as Screen
from truetty.stream import COALESCE, Stream
from truetty.window import Match

T = TypeVar("T")


class _Loop:
    """The background thread. A forked child makes its own: threads do not survive a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._owner = 0
        self._open: set[truetty.Terminal] = set()

    def call(self, work: Coroutine[object, object, T]) -> T:
        loop = self._running()
        if threading.current_thread().name == THREAD:
            work.close()
            raise Misuse("truetty.sync cannot be used from its own event loop")
        future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def ask(self, question: Callable[[], T]) -> T:
        """Ask where the bytes arrive, so that nothing moves while it is answered."""

        async def answered() -> T:
            return question()

        return self.call(answered())

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._owner != os.getpid():
                self._owner = os.getpid()
                self._open = set()
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name=THREAD, daemon=True).start()
            return self._loop

    def keep(self, terminal: truetty.Terminal) -> None:
        self._open.add(terminal)

    def forget(self, terminal: truetty.Terminal) -> None:
        self._open.discard(terminal)

    def close_all(self) -> None:
        """At exit: terminals nobody closed are closed, so that no process or file stays."""
        if self._loop is not None and self._owner == os.getpid():
            for terminal in list(self._open):
                self.call(terminal.close())


THREAD: Final = "truetty.sync"
_loop = _Loop()
atexit.register(_loop.close_all)


class Output:
    """A command's output; see `truetty.Output`."""

    def __init__(self, inner: truetty.Output) -> None:
        self._inner = inner

    @property
    def bytes(self) -> int:
        return _loop.ask(lambda: self._inner.bytes)

    @property
    def lines(self) -> int:
        return _loop.ask(lambda: self._inner.lines)

    @property
    def complete(self) -> bool:
        return _loop.ask(lambda: self._inner.complete)

    @property
    def path(self) -> str | None:
        return _loop.ask(lambda: self._inner.path)

    def raw(self) -> builtins.bytes:
        return _loop.ask(self._inner.raw)

    def read(self, offset: int = 0, limit: int | None = None) -> builtins.bytes:
        return _loop.ask(lambda: self._inner.read(offset, limit))

    def text(self, budget: int | Budget | None = None, head: int | None = None, tail: int | None = None) -> str:
        return _loop.ask(lambda: self._inner.text(budget, head, tail))

    def page(self, offset: int = 0, limit: int = 1 << 16) -> str:
        return _loop.ask(lambda: self._inner.page(offset, limit))

    def unread(self, budget: int | Budget | None = None) -> str:
        return _loop.ask(lambda: self._inner.unread(budget))

    def grep(self, pattern: str | re.Pattern[str], context: int = 0, limit: int | None = None) -> list[Match]:
        return _loop.ask(lambda: self._inner.grep(pattern, context, limit))


class Transcript:
    """All bytes of a terminal; see `truetty.Terminal.transcript`."""

    def __init__(self, inner: transcript.Transcript) -> None:
        self._inner = inner

    @property
    def size(self) -> int:
        return _loop.ask(lambda: self._inner.size)

    @property
    def path(self) -> str | None:
        return _loop.ask(lambda: self._inner.path)

    def read(self, offset: int = 0, limit: int | None = None) -> bytes:
        return _loop.ask(lambda: self._inner.read(offset, limit))


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
    def outcome(self) -> Outcome | None:
        return self._inner.outcome

    @property
    def terminal_id(self) -> str:
        return self._inner.terminal_id

    @property
    def reached(self) -> str | None:
        return self._inner.reached

    @property
    def activity(self) -> Activity:
        return _loop.ask(lambda: self._inner.activity)

    def events(self, coalesce: float = COALESCE) -> Iterator[Event]:
        stream = _loop.ask(lambda: self._inner.events(coalesce))
        return _events(stream)

    def wait(self, timeout: float | None = None, until: str | re.Pattern[str] | Until = "settled") -> Outcome:
        return _loop.call(self._inner.wait(timeout, until))

    def send(self, text: str | bytes) -> None:
        _loop.call(self._inner.send(text))

    def press(self, *names: str) -> None:
        _loop.call(self._inner.press(*names))

    def interrupt(self) -> bool:
        return _loop.call(self._inner.interrupt())

    def kill(self) -> Outcome:
        return _loop.call(self._inner.kill())


def _events(stream: Stream) -> Iterator[Event]:
    try:
        while True:
            try:
                event = _loop.call(stream.__anext__())
            except StopAsyncIteration:
                return
            yield event
    finally:
        _loop.call(stream.aclose())


class Terminal:
    """One shell on one pty; see `truetty.Terminal`. It is open as soon as it is made."""

    def __init__(self, shell: str | Sequence[str] | None = None, **arguments: Unpack[Arguments]) -> None:
        self._inner = truetty.Terminal(shell, **arguments)
        _loop.call(self._inner.__aenter__())
        _loop.keep(self._inner)
        self._command: Command | None = None

    @classmethod
    def open(cls, shell: str | Sequence[str] | None = None, **arguments: Unpack[Arguments]) -> Self:
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
        return _loop.call(self._inner.run(command, wait=wait, timeout=timeout))

    def start(self, command: str, *, timeout: float | None = None) -> Command:
        self._command = Command(_loop.call(self._inner.start(command, timeout=timeout)))
        return self._command

    def send(self, text: str | bytes) -> None:
        _loop.call(self._inner.send(text))

    def press(self, *names: str) -> None:
        _loop.call(self._inner.press(*names))

    def resize(self, columns: int, rows: int) -> None:
        _loop.call(self._inner.resize(columns, rows))

    def screen(self) -> Screen:
        return _loop.ask(self._inner.screen)

    def close(self) -> None:
        _loop.call(self._inner.close())
        _loop.forget(self._inner)
