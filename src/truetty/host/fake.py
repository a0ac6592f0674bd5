"""A host and a channel that do what a test says: the product's own stand-in for a shell, for tests here and elsewhere.

`say` is what the shell prints, `written` what was typed to it, `observer.observation` what a look would show, and
`end` its exit. Nothing happens by itself, so a test decides the order of everything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping

from truetty.core import marks
from truetty.core.observation import Observation
from truetty.host.base import (
    USUAL,
    Ended,
    Family,
    Found,
    Modes,
    Order,
    Process,
    ShellName,
    ShellProcess,
    Sink,
    Tty,
    Work,
)
from truetty.host.single import SingleChannel, found_by_name

USERS_OWN = "/bin/bash"  # what a name of None means on a fake host
SANE = USUAL  # the modes that a fake tty has at first


class FakeObserver(Tty, ShellProcess, Family):
    """Sees what a test says: a look, the tty, the shell's process and its family in one."""

    def __init__(self, pid: int | None) -> None:
        self.sees = True
        self.observation = Observation("running")
        self.in_front: bool | None = True
        self.looks = 0
        self.read_so_far = 0
        self.tty: Modes | None = SANE
        self.living: list[Process] | None = []  # None: processes cannot be seen
        self.working: Work | None = None  # what the shell and its descendants do; None: it cannot be seen
        self.listings = 0  # how often they were asked for
        self.front: int | None = pid  # the foreground group
        self._pid = pid
        self.place: str | None = "/"
        self.running: str | None = USERS_OWN
        self.listening: frozenset[int] | None = frozenset()  # TCP ports
        self.mended = 0
        self.knows_prompt = True

    def vanish(self) -> None:
        """The shell is gone, and its terminal."""
        self.tty = self.front = self.place = self.running = self.living = None

    def observe(self) -> Observation:
        self.looks += 1
        return self.observation

    def learn(self) -> bool:
        self.knows_prompt = True
        return True

    def consumed(self) -> int | None:
        return self.read_so_far

    def shell_in_front(self) -> bool | None:
        return self.in_front

    def foreground(self) -> int | None:
        return self.front

    def modes(self) -> Modes | None:
        return self.tty

    def mend(self) -> None:
        self.mended += 1
        self.tty = SANE

    def unread(self) -> int | None:
        return 0

    def mentions(self, text: str) -> bool | None:
        return False

    def reaped(self) -> int | None:
        return 0

    def is_there(self) -> bool:
        return self.running is not None

    def image(self) -> object:
        return self.running

    def cwd(self) -> str | None:
        return self.place

    def program(self) -> str | None:
        return self.running

    def argv(self) -> tuple[str, ...] | None:
        return (self.running,) if self.running is not None else None

    def children(self) -> list[Process] | None:
        self.listings += 1
        return None if self.living is None else list(self.living)

    def work(self, besides: Collection[int] = ()) -> Work | None:
        return self.working

    def everyone(self) -> list[Process] | None:
        children = self.children()
        if children is None or self._pid is None:
            return None
        return [Process(self._pid, "shell", 1, self._pid, self._pid, "S", 0.0), *children]

    def ports(self) -> frozenset[int] | None:
        return self.listening

    def port_is_open(self, number: int) -> bool | None:
        return None if self.listening is None else number in self.listening


class FakeFiles:
    """Private files in memory."""

    def __init__(self, path: str = "/fake") -> None:
        self.path = path
        self.content: dict[str, bytes] = {}

    def write(self, files: Mapping[str, bytes], *, lasting: bool = False) -> None:
        self.content.update(files)

    def drop(self, name: str) -> None:
        self.content.pop(name, None)

    def has(self, name: str) -> bool | None:
        return name in self.content


class FakeChannel:
    def __init__(self, pid: int | None = 4242) -> None:
        self.pid = pid
        self.files = FakeFiles()
        self.observer = FakeObserver(pid)
        self.written = bytearray()
        self.size: tuple[int, int] | None = None
        self.signals: list[tuple[int, int]] = []
        self.hooks: list[object] = []  # the places that were learnt as those of the prompt's programs
        self.closed = False
        self.on_write: Callable[[bytes], None] | None = None  # the script: called with everything typed
        self._sink: Sink | None = None
        self._ended = False
        self._unread: list[bytes] = []
        self._typing = False  # `on_write` runs: what it says comes later, as from a real shell
        self._delivered = 0
        self._looking: asyncio.Handle | None = None

    # -- what a test does

    def say(self, data: bytes) -> None:
        """The shell prints."""
        self._unread.append(data)
        if self._typing:
            asyncio.get_running_loop().call_soon(self._deliver)
        else:
            self._deliver()

    def hold(self, data: bytes) -> None:
        """The shell has printed this, and it was not read yet: it is delivered with the next look."""
        self._unread.append(data)

    def end(self, code: int | None = None, signal: int | None = None) -> None:
        """The shell exits; without either, the channel has lost it."""
        assert self._sink is not None
        self._deliver()
        if not self._ended:
            self._ended = True
            self._sink.on_end(Ended(code, signal))

    def _deliver(self) -> None:
        while self._unread and self._sink is not None and not self._ended:
            data = self._unread.pop(0)
            self._delivered += len(data)
            self._sink.on_data(data)

    # -- the contract

    @property
    def tty(self) -> FakeObserver:
        return self.observer

    process = family = tty

    @property
    def sees(self) -> bool:
        return self.observer.sees

    @property
    def knows_prompt(self) -> bool:
        return self.observer.knows_prompt

    def learn(self) -> bool:
        return self.observer.learn()

    def learn_hook(self, place: object) -> None:
        self.hooks.append(place)

    def attach(self, sink: Sink) -> None:
        self._sink = sink
        asyncio.get_running_loop().call_soon(self._deliver)

    def look(self) -> None:
        if not self.closed and self._looking is None:
            self._looking = asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        self._looking = None
        if self.closed or self._ended or self._sink is None:
            return
        seen, at = self.observer.observe(), self._delivered
        self._deliver()
        self._sink.on_look(seen, at)

    def write(self, data: bytes) -> None:
        if self._ended or self.closed:
            return
        self.written += data
        if self.on_write is not None:
            self._typing = True
            self.on_write(data)
            self._typing = False

    async def drained(self) -> None:
        return

    def resize(self, columns: int, rows: int) -> None:
        self.size = (columns, rows)

    def signal(self, target: int, number: int) -> bool:
        self.signals.append((target, number))
        return not (self._ended or self.closed)

    async def close(self, *, keep_jobs: bool = False) -> None:
        if not self.closed:
            self.closed = True
            self.files.content.clear()
            self.observer.vanish()
            if self._sink is not None and not self._ended:
                self.end(signal=1)


class FakeHost:
    """Starts fake channels: those it was made with, then new ones. A shell's files are written; no program runs."""

    name = "fake"

    def __init__(self, *channels: FakeChannel) -> None:
        self.channels: list[FakeChannel] = []  # that were started, in that order
        self.orders: list[Order] = []  # what each was started with
        self._ready = list(channels)

    async def find(self, shell: ShellName, env: Mapping[str, str | None]) -> Found:
        return found_by_name(USERS_OWN if shell is None else shell)

    async def start(self, order: Order) -> FakeChannel:
        channel = self._ready.pop(0) if self._ready else FakeChannel()
        await SingleChannel(channel).start(order)
        self.channels.append(channel)
        self.orders.append(order)
        return channel

    async def close(self) -> None:
        return


def mark(letter: str, secret: str, *rest: object) -> bytes:
    """A mark as a shell prints it."""
    return marks.encode(letter, secret, *map(str, rest))
