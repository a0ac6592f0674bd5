"""The event loop never stands still while a command's output is made readable, however much was printed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest

from tests.stage import LINE, PATIENCE, Stage, until
from truetty import events
from truetty.core.until import Match
from truetty.service.notices import Notice, Notices
from truetty.store import slices
from truetty.text.clean import Cleaner

FLOOD = b"the quick brown fox jumps over the lazy dog\r\n" * 100_000  # 4.5 MB
MOST = 1 << 20  # bytes made readable in one turn of the loop: some milliseconds


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    yield stage
    await stage.terminal.close()


class Meter:
    """How many bytes were made readable in one turn of the loop, at most."""

    def __init__(self) -> None:
        self.most = self.now = self.total = 0

    def count(self, size: int) -> None:
        self.now += size
        self.total += size
        self.most = max(self.most, self.now)


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> Meter:
    meter = Meter()
    feed = Cleaner.feed

    def counted(self: Cleaner, data: bytes) -> str:
        meter.count(len(data))
        return feed(self, data)

    monkeypatch.setattr(Cleaner, "feed", counted)
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0)
    return meter


@contextmanager
def turning(meter: Meter) -> Iterator[None]:
    loop, over = asyncio.get_running_loop(), False

    def turn() -> None:
        meter.now = 0
        if not over:
            loop.call_soon(turn)

    turn()
    yield
    over = True


async def test_a_command_ends_that_somebody_listens_to(stage: Stage, meter: Meter) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    listener = command.events()
    with turning(meter):
        stage.say(stage.typed(), ("C",), FLOOD)
        stage.say(("D", 0, "im"), ("P", 0, "im"), b"$ ")
        assert meter.total == 0  # nothing is made readable where bytes arrive
        seen = [event async for event in listener]
    assert isinstance(seen[-1], events.Finished) and seen[-1].outcome.output_lines == 100_000
    assert meter.most <= MOST


async def test_a_command_waits_that_nobody_waits_for(stage: Stage, meter: Meter) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    notices, heard = Notices(), list[Notice]()

    async def hear(notice: Notice) -> None:
        heard.append(notice)

    notices.listen(hear)
    notices.leave(command, None)
    with turning(meter):
        stage.say(stage.typed(), ("C",), FLOOD, b"Sure? ")
        stage.observer.observation = LINE
        await until(lambda: bool(heard))
    assert (heard[0].what, heard[0].prompt) == ("waiting", "Sure? ")
    assert command.waiting is not None and command.waiting.prompt == "Sure? "
    assert meter.most <= MOST
    await notices.close()


async def test_an_outcome_of_much_output(stage: Stage, meter: Meter) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    with turning(meter):
        stage.say(stage.typed(), ("C",), FLOOD)
        running = await command.wait(0)
        stage.say(("D", 0, "im"), ("P", 0, "im"), b"$ ")
        outcome = await command.wait(PATIENCE)
    assert running.output_lines == outcome.output_lines == 100_000
    assert meter.most <= MOST


@pytest.mark.parametrize("patience", [0, PATIENCE])
async def test_a_pattern_in_early_output_is_found(stage: Stage, meter: Meter, patience: float) -> None:
    """No wait had returned it, and much was printed since."""
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(stage.typed(), ("C",), b"SERVER READY\r\n", FLOOD)
    with turning(meter):
        await command.wait(patience, Match("SERVER READY"))
    assert command.reached == "match" and meter.most <= MOST
    await command.wait(0, Match("SERVER READY"))
    assert command.reached is None  # the wait before has returned it


async def test_a_pattern_in_what_a_finished_command_printed(stage: Stage, meter: Meter) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    with turning(meter):
        stage.say(stage.typed(), ("C",), b"SERVER READY\r\n", FLOOD, ("D", 0, "im"), ("P", 0, "im"), b"$ ")
        assert (await command.wait(PATIENCE, Match("SERVER READY"))).reached == "match"
        assert (await command.wait(PATIENCE, Match("SERVER READY"))).reached == "exit"
    assert meter.most <= MOST


async def test_a_pattern_across_two_slices(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(stage.typed(), ("C",))
    waiting = asyncio.ensure_future(command.wait(PATIENCE, Match("BEGIN[^!]*END")))
    await asyncio.sleep(0)
    for piece in (b"BEGIN", b"." * 60_000, b"END"):
        stage.say(piece)
        await asyncio.sleep(0)
    await asyncio.wait_for(waiting, PATIENCE)
    assert command.reached == "match"
