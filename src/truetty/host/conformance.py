"""What every channel must do, as cases that take a way to start one; public through `truetty.testing`.

A case calls `make` with a `Script`. A host that runs programs makes its channel of it with `host.start(order(script))`.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from truetty.core.observation import Observation
from truetty.host.base import Channel, Ended, Found, Order
from truetty.shells import table

PATIENCE = 30.0  # of a case: far more than any needs, so that a hang is a failure and not for ever


@dataclass(frozen=True, slots=True)
class Script:
    """What the program of a channel under test does: print, then what it was asked to, then end.

    Its tty changes and echoes nothing from before it prints: bytes are bytes.
    """

    output: bytes = b""
    code: int | None = 0
    signal: int | None = None
    echo: bool = False  # give back every byte it reads, until an end of file
    cat: bool = False  # print the file that each line it reads is the path of, until an end of file


Make = Callable[[Script], Awaitable[Channel]]


def order(script: Script) -> Order:
    """To start a program of this machine's kind (`/bin/sh`, `stty`, `cat`) that does what the script says."""
    lines = ["stty raw -echo"]
    if script.output:
        # Long outputs repeat themselves: an argument has no room for more than 128 kB.
        period = (script.output + script.output).find(script.output, 1)
        times, piece = len(script.output) // period, shlex.quote(script.output[:period].decode())
        lines.append(f"i=0; while [ $i -lt {times} ]; do printf %s {piece}; i=$((i + 1)); done")
    if script.echo:
        lines.append("exec cat")
    elif script.cat:
        lines.append('while IFS= read -r path; do cat "$path"; done')
    else:
        lines.append(f"kill -{script.signal} $$" if script.signal is not None else f"exit {script.code}")
    return Order(Found(table.recognise("program"), "/bin/sh", ("-c", "\n".join(lines))), key="key")


class Recorder:
    """A sink that keeps everything and can be waited on."""

    def __init__(self) -> None:
        self.calls = 0
        self.data = bytearray()
        self.looks: list[tuple[Observation, int, int]] = []  # with the offset of each, and what had come when it came
        self.ends: list[Ended] = []
        self.late = 0  # bytes and looks that came after the end
        self._changed = asyncio.Event()

    def on_data(self, data: bytes) -> None:
        self.late += len(data) if self.ends else 0
        self.data += data
        self._note()

    def on_look(self, seen: Observation, at: int) -> None:
        self.late += bool(self.ends)
        self.looks.append((seen, at, len(self.data)))
        self._note()

    def on_end(self, ended: Ended) -> None:
        self.ends.append(ended)
        self._note()

    def _note(self) -> None:
        self.calls += 1
        self._changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._changed.clear()
                await self._changed.wait()


async def everything_then_one_end(make: Make) -> None:
    output = bytes(range(32, 127)) * 3000
    channel, recorder = await _started(make, Script(output=output, code=3))
    await recorder.until(lambda: bool(recorder.ends))
    assert bytes(recorder.data) == output
    assert recorder.ends == [Ended(code=3)] and recorder.late == 0
    await channel.close()
    assert recorder.ends == [Ended(code=3)]


async def a_signal_is_told_as_one(make: Make) -> None:
    channel, recorder = await _started(make, Script(output=b"x", code=None, signal=9))
    await recorder.until(lambda: bool(recorder.ends))
    assert recorder.ends == [Ended(signal=9)]
    await channel.close()


async def everything_written_arrives_in_order(make: Make) -> None:
    channel, recorder = await _echoing(make)
    del recorder.data[:]
    sent = b"".join(b"%07d " % number for number in range(40_000))
    for at in range(0, len(sent), 10_000):
        channel.write(sent[at : at + 10_000])
    await channel.drained()
    await recorder.until(lambda: len(recorder.data) >= len(sent))
    assert bytes(recorder.data) == sent
    await channel.close()


async def files_come_before_bytes(make: Make) -> None:
    channel, recorder = await _started(make, Script(output=b"ready", cat=True))
    await recorder.until(lambda: bytes(recorder.data) == b"ready")
    expected = b"ready"
    for number in range(20):
        content = b"<%d>" % number * 100
        channel.files.write({f"f{number}": content})
        channel.write(f"{channel.files.path}/f{number}\n".encode())
        expected += content
    channel.files.write({"folder/inner": b"end", "lasting": b"."}, lasting=True)
    channel.write(f"{channel.files.path}/folder/inner\n".encode())
    expected += b"end"
    await recorder.until(lambda: len(recorder.data) >= len(expected))
    assert bytes(recorder.data) == expected
    assert channel.files.has("lasting") is not False
    channel.files.drop("lasting")
    channel.files.drop("never there")
    assert channel.files.has("lasting") is not True
    await channel.close()


async def a_look_comes_behind_the_bytes(make: Make) -> None:
    channel, recorder = await _echoing(make)
    calls = recorder.calls
    read = channel.process.consumed()
    channel.look()
    channel.look()
    channel.write(b"more")
    assert recorder.calls == calls  # the sink is not called from inside
    await recorder.until(lambda: bool(recorder.looks))
    async with asyncio.timeout(PATIENCE):
        while bytes(recorder.data) != b"readymore":
            seen, at, come = await _next_look(channel, recorder)
            assert at <= come
            if seen.seen == "waiting" and seen.consumed is not None and read is not None:
                # It reads again, so it has printed what it had read before.
                assert seen.consumed < read + len(b"more") or come == len(b"readymore")
    channel.look()
    await recorder.until(lambda: recorder.looks[-1][1] == len(b"readymore"))
    await channel.close()


async def closing_ends_it_once(make: Make) -> None:
    channel, recorder = await _echoing(make)
    await channel.close()
    await channel.close()
    assert len(recorder.ends) == 1
    calls = recorder.calls
    channel.write(b"nobody reads this")
    await channel.drained()
    channel.look()
    channel.resize(80, 24)
    await _one_turn()
    assert recorder.calls == calls


async def a_second_close_waits_for_the_first(make: Make) -> None:
    channel, recorder = await _echoing(make)
    first = asyncio.ensure_future(channel.close())
    await _one_turn()
    await channel.close()
    assert len(recorder.ends) == 1
    await first


async def nothing_is_left_after_closing(make: Make) -> None:
    channel, _ = await _echoing(make)
    channel.files.write({"text": b"secret", "lasting": b"secret"}, lasting=True)
    pid = channel.pid
    assert pid is None or channel.signal(pid, 0)
    await channel.close()
    assert channel.files.has("text") is not True and channel.files.has("lasting") is not True
    assert pid is None or not channel.signal(pid, 0)


async def what_cannot_be_told_is_none(make: Make) -> None:
    """What lives has a directory, a program and a group in front, and is one of its own terminal's processes."""
    channel, _ = await _echoing(make)
    process, tty, family, pid = channel.process, channel.tty, channel.family, channel.pid
    assert (cwd := process.cwd()) is None or os.path.isabs(cwd)
    assert (program := process.program()) is None or os.path.isabs(program)
    assert (argv := process.argv()) is None or len(argv) > 0
    assert (cpu := process.cpu()) is None or cpu >= 0
    assert (consumed := process.consumed()) is None or consumed >= 0
    assert (front := tty.foreground()) is None or front > 0
    assert (modes := tty.modes()) is None or not (modes.canonical or modes.echo)
    assert (everyone := family.everyone()) is None or pid in {one.pid for one in everyone}
    assert (children := family.children()) is None or pid not in {one.pid for one in children}
    assert (ports := family.ports()) is None or ports == frozenset()
    assert channel.sees or not (channel.knows_prompt or channel.learn())
    await channel.close()
    assert tty.modes() is None and tty.foreground() is None and process.cwd() is None


async def _one_turn() -> None:
    """Of the event loop: what was ready has run."""
    turned = asyncio.Event()
    asyncio.get_running_loop().call_soon(turned.set)
    await turned.wait()


async def _next_look(channel: Channel, recorder: Recorder) -> tuple[Observation, int, int]:
    before = len(recorder.looks)
    channel.look()
    await recorder.until(lambda: len(recorder.looks) > before)
    return recorder.looks[-1]


async def _started(make: Make, script: Script) -> tuple[Channel, Recorder]:
    channel, recorder = await make(script), Recorder()
    channel.attach(recorder)
    return channel, recorder


async def _echoing(make: Make) -> tuple[Channel, Recorder]:
    channel, recorder = await _started(make, Script(output=b"ready", echo=True))
    await recorder.until(lambda: bytes(recorder.data) == b"ready")
    return channel, recorder


CONFORMANCE: list[Callable[[Make], Awaitable[None]]] = [
    everything_then_one_end,
    a_signal_is_told_as_one,
    everything_written_arrives_in_order,
    files_come_before_bytes,
    a_look_comes_behind_the_bytes,
    closing_ends_it_once,
    a_second_close_waits_for_the_first,
    nothing_is_left_after_closing,
    what_cannot_be_told_is_none,
]
