"""Tools for testing what is built on truetty, and truetty itself. Public: they change as carefully as the rest.

`FakeChannel` is a shell that does what a test says; `Turned` a command and the clock in somebody's hand;
`CONFORMANCE` what every channel must do, as tests that take a way to make one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf

from truetty.core.machine import Machine, Want
from truetty.core.observation import Observation
from truetty.core.signs import Event
from truetty.core.testimony import Secrets
from truetty.host.base import Channel, Ended
from truetty.host.fake import FakeChannel as FakeChannel
from truetty.host.fake import FakeHost as FakeHost
from truetty.host.fake import FakeObserver as FakeObserver
from truetty.host.fake import mark as mark

SECRETS = Secrets(start="begin", end="finish", answer="reply", key="key")
PATIENCE = 30.0  # of a conformance case: far more than any needs, so that a hang is a failure and not for ever


class Turned:
    """A machine and the clock in somebody's hand. A look shows `sight`, whatever it is by then."""

    def __init__(
        self,
        *,
        marked: bool = True,
        limit: float = inf,
        sent: bool = True,
        dirty: bool = False,
        sees: bool = True,
        shell: int = 100,
        secrets: Secrets = SECRETS,
    ) -> None:
        self.now = 0.0
        self.sight = Observation("running")
        self.looks = 0
        self.wanted: list[Want] = []
        self.machine = Machine(secrets, self.now, shell=shell, marked=marked, limit=limit, dirty=dirty, sees=sees)
        if sent:
            self.machine.on_send(self.now, needed=0)

    def event(self, event: Event, in_front: bool | None = True) -> None:
        self.machine.on_bytes(self.now)
        self.machine.on_event(event, self.now, in_front=in_front)
        self._act()

    def bytes(self) -> None:
        self.machine.on_bytes(self.now)
        self._act()

    def turn(self, seconds: float) -> None:
        """Let that much time pass, with every deadline on the way."""
        until = self.now + seconds
        while self.machine.deadline <= until:
            self.now = max(self.now, self.machine.deadline)
            self.machine.on_time(self.now)
            self._act()
        self.now = until

    def _act(self) -> None:
        while self.machine.wants:
            want = self.machine.wants.pop(0)
            if want is Want.LOOK:
                self.looks += 1
                self.machine.on_observation(self.sight, self.now)
            else:
                self.wanted.append(want)


@dataclass(frozen=True, slots=True)
class Script:
    """What the shell of a channel under test does: print, then echo if asked to, then end."""

    output: bytes = b""
    code: int | None = 0
    signal: int | None = None
    echo: bool = False  # give back every byte it reads, until an end of file; it reads when `Make` returns


Make = Callable[[Script], Awaitable[Channel]]


class Recorder:
    """A sink that keeps everything and can be waited on."""

    def __init__(self) -> None:
        self.calls = 0
        self.data = bytearray()
        self.looks: list[tuple[Observation, int]] = []  # each with the offset at which it was made
        self.ends: list[Ended] = []
        self.late = 0  # bytes and looks that came after the end
        self._changed = asyncio.Event()

    def on_data(self, data: bytes) -> None:
        self.calls += 1
        self.late += len(data) if self.ends else 0
        self.data += data
        self._changed.set()

    def on_look(self, seen: Observation, at: int) -> None:
        self.calls += 1
        self.late += bool(self.ends)
        self.looks.append((seen, at))
        self._changed.set()

    def on_end(self, ended: Ended) -> None:
        self.calls += 1
        self.ends.append(ended)
        self._changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._changed.clear()
                await self._changed.wait()


async def everything_then_one_end(make: Make) -> None:
    output = bytes(range(32, 127)) * 3000
    channel = await make(Script(output=output, code=3))
    recorder = Recorder()
    channel.attach(recorder)
    await recorder.until(lambda: bool(recorder.ends))
    assert bytes(recorder.data) == output
    assert recorder.ends == [Ended(code=3)] and recorder.late == 0
    await channel.close()
    assert recorder.ends == [Ended(code=3)]


async def a_signal_is_told_as_one(make: Make) -> None:
    channel = await make(Script(output=b"x", code=None, signal=9))
    recorder = Recorder()
    channel.attach(recorder)
    await recorder.until(lambda: bool(recorder.ends))
    assert recorder.ends == [Ended(signal=9)]
    await channel.close()


async def everything_written_arrives_in_order(make: Make) -> None:
    channel = await make(Script(echo=True))
    recorder = Recorder()
    channel.attach(recorder)
    sent = b"".join(b"%07d " % number for number in range(40_000))
    for at in range(0, len(sent), 10_000):
        channel.write(sent[at : at + 10_000])
    await channel.drained()
    await recorder.until(lambda: len(recorder.data) >= len(sent))
    assert bytes(recorder.data) == sent
    await channel.close()


async def closing_ends_it_once(make: Make) -> None:
    channel = await make(Script(echo=True))
    recorder = Recorder()
    channel.attach(recorder)
    await channel.close()
    await channel.close()
    assert len(recorder.ends) == 1
    channel.write(b"nobody reads this")
    await channel.drained()
    assert recorder.late == 0


async def a_look_comes_behind_the_bytes(make: Make) -> None:
    output = bytes(range(32, 127))
    channel = await make(Script(output=output, echo=True))
    recorder = Recorder()
    channel.attach(recorder)
    channel.look()
    channel.look()
    assert recorder.calls == 0  # the sink is not called from inside
    await recorder.until(lambda: bool(recorder.looks))
    assert bytes(recorder.data) == output  # it was printed before the look was asked for
    channel.look()
    await recorder.until(lambda: recorder.looks[-1][1] == len(output))
    channel.write(b"x")
    channel.look()
    await recorder.until(lambda: len(recorder.data) > len(output))
    await channel.close()
    calls = recorder.calls
    channel.look()
    turned = asyncio.Event()
    asyncio.get_running_loop().call_soon(turned.set)
    await turned.wait()
    assert recorder.calls == calls


CONFORMANCE: list[Callable[[Make], Awaitable[None]]] = [
    everything_then_one_end,
    a_signal_is_told_as_one,
    everything_written_arrives_in_order,
    closing_ends_it_once,
    a_look_comes_behind_the_bytes,
]
