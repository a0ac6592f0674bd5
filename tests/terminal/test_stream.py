"""The stream of what happens to a command: in order, nothing lost, nothing after the end, no wait for a listener."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import SHELLS, opened
from tests.stage import LINE, PATIENCE, Stage, until
from truetty import events
from truetty.terminal import stream
from truetty.terminal.options import Arguments
from truetty.until import Match


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    yield stage
    await stage.terminal.close()


def names(seen: list[events.Event]) -> list[str]:
    return [type(event).__name__ for event in seen]


def text(seen: list[events.Event]) -> str:
    return "".join(event.text for event in seen if isinstance(event, events.Output))


async def everything(command: truetty.Command, coalesce: float = 0.1) -> list[events.Event]:
    return [event async for event in command.events(coalesce)]


async def test_in_order_and_nothing_after_the_end(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    listening = asyncio.ensure_future(everything(command, 0))
    await asyncio.sleep(0)
    stage.say(stage.typed(), ("C",), b"one\r\n")
    stage.observer.observation = LINE
    await until(lambda: command.state == "waiting")
    stage.say(b"two\r\n", ("D", 3, "im"), ("P", 3, "im"), b"$ ")
    seen = await asyncio.wait_for(listening, PATIENCE)
    assert names(seen) == ["Started", "Output", "Waiting", "Resumed", "Output", "Finished"] or names(seen) == [
        "Started", "Output", "Waiting", "Output", "Finished",
    ]  # fmt: skip
    assert text(seen) == "one\ntwo\n"
    assert seen[0] == events.Started(command.id, "x")
    assert isinstance(seen[-1], events.Finished) and seen[-1].outcome == command.outcome
    assert await everything(command) == [seen[0], events.Output("one\ntwo\n"), seen[-1]]  # a listener that comes late


async def test_output_is_coalesced_and_the_end_is_told_at_once(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    listening = asyncio.ensure_future(everything(command, 3600))
    stage.say(stage.typed(), ("C",), b"1\r\n")
    for number in range(2, 50):
        stage.say(b"%d\r\n" % number)
        await asyncio.sleep(0)
    stage.say(("D", 0, "im"), ("P", 0, "im"), b"$ ")
    seen = await asyncio.wait_for(listening, PATIENCE)  # not an hour
    assert names(seen) == ["Started", "Output", "Output", "Finished"]
    assert text(seen) == "".join(f"{number}\n" for number in range(1, 50))


async def test_a_listener_that_does_not_listen_holds_nobody_up(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MOST_BEHIND", 10_000)
    monkeypatch.setattr(stream, "KEPT_BEHIND", 1_000)
    terminal = await stage.open()
    command = await terminal.start("x")
    listener = command.events()
    stage.say(stage.typed(), ("C",))
    for number in range(10_000):
        stage.say(b"line %d\r\n" % number)
    stage.say(("D", 4, "im"), ("P", 4, "im"), b"$ ")
    outcome = await command.wait(PATIENCE)  # it has ended, whether a listener reads or not
    assert outcome.exit_code == 4
    seen = [event async for event in listener]
    assert names(seen) == ["Started", "Gap", "Output", "Finished"]
    gap, shown = seen[1], text(seen)
    assert isinstance(gap, events.Gap)
    assert shown.endswith("line 9999\n") and shown.startswith("line 9")
    assert gap.bytes + len(shown.replace("\n", "\r\n")) == command.output.bytes
    assert command.output.read(0, gap.bytes) + shown.replace("\n", "\r\n").encode() == command.output.raw()


async def test_a_lost_terminal_is_an_end(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    listening = asyncio.ensure_future(everything(command))
    await asyncio.sleep(0)
    stage.say(stage.typed(), ("C",), b"half")
    stage.channel.end()
    seen = await asyncio.wait_for(listening, PATIENCE)
    assert names(seen) == ["Started", "Output", "Finished"]
    assert isinstance(seen[-1], events.Finished) and seen[-1].outcome.state == "lost"


async def test_a_listener_may_leave(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(stage.typed(), ("C",), b"a")
    subscribers = terminal.changes.subscribers
    listener = command.events()
    assert isinstance(await anext(listener), events.Started)
    await listener.aclose()
    assert [event async for event in listener] == [] and terminal.changes.subscribers == subscribers


@pytest.mark.parametrize("shell", SHELLS)
async def test_on_real_shells(shell: str, home: Path) -> None:
    ask = "read -P 'name? ' x" if shell == "fish" else "printf 'name? '; read x"
    async with opened(shell, home) as terminal:
        command = await terminal.start(f"echo first; {ask}; echo hello $x; sh -c 'exit 7'")
        seen: list[events.Event] = []
        async for event in command.events():
            seen.append(event)
            if isinstance(event, events.Waiting):
                assert event.waiting.kind == "line" and event.waiting.prompt == "name? "
                await command.send("Ada\n")
        assert names(seen)[0] == "Started" and names(seen)[-1] == "Finished"
        assert [name for name in names(seen) if name in ("Waiting", "Resumed")][:2] == ["Waiting", "Resumed"]
        assert text(seen).startswith("first\n") and text(seen).endswith("hello Ada\n")
        last = seen[-1]
        assert isinstance(last, events.Finished) and last.outcome.exit_code == 7
        healing = await everything(await terminal.start(f"exec {shell}"))
        assert names(healing)[-3:] == ["Downgraded", "Healed", "Finished"]
        assert names(await everything(await terminal.start("true"))) == ["Started", "Finished"]


@pytest.mark.parametrize("shell", SHELLS)
async def test_every_line_of_a_flood_reaches_a_listener_that_listens(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        seen = await everything(await terminal.start("seq 1 300000"))
        assert "Gap" not in names(seen)
        assert text(seen) == "".join(f"{number}\n" for number in range(1, 300_001))


async def test_work_and_standstill_can_be_told_apart(home: Path) -> None:
    async with opened("bash", home) as terminal:
        busy = await terminal.start("sh -c 'echo go; while :; do :; done'")
        await busy.wait(PATIENCE, Match("go"))
        first = busy.activity
        await until(lambda: (busy.activity.cpu_seconds or 0) > (first.cpu_seconds or 0) + 0.05)
        assert busy.activity.processes == ("sh",) and busy.activity.output_bytes == 4
        await busy.kill()
        assert not busy.activity.processes
        still = await terminal.start("sh -c 'echo go; exec sleep 600'")
        await still.wait(PATIENCE, Match("go"))
        await until(lambda: still.activity.processes == ("sleep",))
        before = still.activity

        def is_still() -> bool:
            """Whether no CPU time was used between two looks that are 0.2 s apart."""
            nonlocal before
            now = still.activity
            if now.quiet_seconds < before.quiet_seconds + 0.2:
                return False
            earlier, before = before, now
            return now.cpu_seconds == earlier.cpu_seconds

        await until(is_still)
        await still.kill()


async def test_what_was_dropped_is_said_and_the_start_is_kept(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MOST_QUEUED", 6)
    terminal = await stage.open()
    command = await terminal.start("x")
    listener = command.events()
    stage.say(stage.typed(), ("C",), b"one\r\n")
    stage.observer.observation = LINE
    for number in range(10):
        await until(lambda: command.state == "waiting")
        stage.say(b"%d\r\n" % number)
    stage.say(("D", 0, "im"), ("P", 0, "im"), b"$ ")
    await command.wait(PATIENCE, "finished")
    seen = [event async for event in listener]
    assert names(seen)[0] == "Started" and names(seen)[-1] == "Finished"
    (gap,) = [event for event in seen if isinstance(event, events.Gap)]
    told = sum(isinstance(event, events.Waiting | events.Resumed) for event in seen)
    assert gap.bytes == 0 and gap.events + told in (19, 20)
    assert text(seen) == "one\n" + "".join(f"{number}\n" for number in range(10))


async def test_leaving_wakes_whoever_listens(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(stage.typed(), ("C",))
    listener = command.events()
    assert isinstance(await anext(listener), events.Started)
    listening = asyncio.ensure_future(anext(listener, None))
    await asyncio.sleep(0)
    await listener.aclose()
    assert await asyncio.wait_for(listening, PATIENCE) is None


@pytest.mark.usefixtures("home")
async def test_a_waiting_that_is_answered_here_is_told_to_nobody() -> None:
    """A rule answers at once, and a callback thinks first: no listener is told of what is none of its business."""

    async def think(waiting: truetty.Waiting) -> str:
        await asyncio.sleep(0.2)
        return "yes\n"

    ways: list[Arguments] = [{"on_waiting": think}, {"replies": [truetty.Reply("Sure", "yes")]}]
    for way in ways:
        async with truetty.Terminal("bash", **way) as terminal:
            seen = await everything(await terminal.start("read -p 'Sure? ' x; echo got $x"))
            assert "Waiting" not in names(seen) and "Resumed" not in names(seen)
            assert text(seen).endswith("got yes\n")


async def test_a_waiting_that_the_callback_leaves_is_told(home: Path) -> None:
    async def decline(waiting: truetty.Waiting) -> None:
        await asyncio.sleep(0.1)

    async with truetty.Terminal("bash", env={"HOME": str(home)}, on_waiting=decline) as terminal:
        command = await terminal.start("read -p 'Sure? ' x")
        seen: list[events.Event] = []
        async for event in command.events():
            seen.append(event)
            if isinstance(event, events.Waiting):
                await command.send("no\n")
        assert names(seen).count("Waiting") == 1 and command.exit_code == 0
