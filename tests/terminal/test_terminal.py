"""The terminal on a scripted channel: opening, ending, closing, and callers that go away."""

from __future__ import annotations

import asyncio
import errno
import gc
import weakref
from collections.abc import AsyncIterator

import pytest

import truetty
from tests.stage import LINE, PATIENCE, Stage, until
from truetty.terminal import stop
from truetty.until import Exit, Match, Settled, Until


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    yield stage
    await stage.terminal.close()


# -- opening


async def test_open_at_the_first_prompt(stage: Stage) -> None:
    terminal = await stage.open()
    assert (terminal.strategy, terminal.busy, terminal.closed, terminal.shell, terminal.pid) == (
        "rich",
        False,
        False,
        "bash",
        4242,
    )
    assert terminal.command is None and stage.typed() == b""
    with pytest.raises(truetty.Misuse):
        await terminal.__aenter__()


async def test_it_is_opened_once(stage: Stage) -> None:
    first = asyncio.ensure_future(stage.terminal.__aenter__())
    second = asyncio.ensure_future(stage.terminal.__aenter__())
    with pytest.raises(truetty.Misuse, match="opened already"):
        await second
    await stage.looked(1)
    stage.say(("P", 0, ""))
    assert await asyncio.wait_for(first, PATIENCE) is stage.terminal and not stage.terminal.closed


async def test_one_that_was_closed_is_not_opened(stage: Stage) -> None:
    await stage.terminal.close()
    assert stage.terminal.closed
    with pytest.raises(truetty.Misuse):
        await stage.terminal.__aenter__()


async def test_a_prompt_that_comes_late(stage: Stage) -> None:
    opening = asyncio.ensure_future(stage.terminal.__aenter__())
    await stage.looked()
    assert not opening.done()
    stage.say(b"motd\r\n", ("P", 0, ""), b"$ ")
    await asyncio.wait_for(opening, PATIENCE)
    assert stage.terminal.strategy == "rich"


async def test_a_prompt_that_does_not_come() -> None:
    stage = Stage()
    stage.terminal = truetty.Terminal("bash", channel=stage.channel, startup=0.05)
    async with stage.terminal as terminal:
        assert not terminal.closed and terminal.strategy == "none"
        command = await terminal.start("echo hello")
        await stage.looked()
        assert command.state == "running" and stage.typed() == b""  # something runs: nothing is typed into it
        stage.observer.observation = LINE
        assert (await command.wait(PATIENCE)).state == "waiting" and stage.typed() == b""
        stage.say(("P", 0, ""))
        assert stage.typed().endswith(b"\n")
        stage.say(("C",), b"hello\r\n", ("D", 0, ""))
        assert (await command.wait(PATIENCE)).output == "hello\n"


@pytest.mark.parametrize(("code", "number", "expected"), [(5, None, 5), (None, 9, 137), (None, None, None)])
async def test_a_shell_that_ends_at_once(
    stage: Stage, code: int | None, number: int | None, expected: int | None
) -> None:
    opening = asyncio.ensure_future(stage.terminal.__aenter__())
    await stage.looked(1)
    stage.channel.end(code, number)
    terminal = await asyncio.wait_for(opening, PATIENCE)
    assert terminal.closed and terminal.exit_code == expected
    with pytest.raises(truetty.Closed) as refused:
        await terminal.run("echo x")
    assert refused.value.exit_code == expected


# -- ending


async def test_a_lost_channel(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",), b"half")
    wait = asyncio.ensure_future(command.wait())
    await asyncio.sleep(0)
    stage.channel.end()
    outcome = await asyncio.wait_for(wait, PATIENCE)
    facts = (outcome.state, outcome.exit_code, outcome.evidence, outcome.closed, outcome.output)
    assert facts == ("lost", None, None, True, "half")
    assert terminal.closed and terminal.exit_code is None and not terminal.busy


@pytest.mark.parametrize(("code", "number", "told"), [(3, None, (3, None)), (None, 9, (137, "SIGKILL"))])
async def test_the_shell_ends(stage: Stage, code: int | None, number: int | None, told: tuple[int, str | None]) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",), b"bye")
    stage.channel.end(code, number)
    outcome = await command.wait(PATIENCE)
    assert (outcome.state, outcome.evidence, outcome.closed, outcome.output) == ("finished", "exit", True, "bye")
    assert (outcome.exit_code, outcome.signal) == told and terminal.exit_code == told[0]


# -- closing and cancelling


async def test_close_twice_and_at_once(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",), b"half")
    wait = asyncio.ensure_future(command.wait())
    await asyncio.gather(terminal.close(), terminal.close())
    await terminal.close()
    outcome = await asyncio.wait_for(wait, PATIENCE)
    assert (outcome.state, outcome.closed, outcome.output) == ("finished", True, "half")
    assert terminal.closed and stage.channel.closed and terminal.cwd == "/"
    for call in (terminal.run("y"), terminal.send("y"), terminal.press("Enter"), terminal.resize(80, 24)):
        with pytest.raises(truetty.Closed):
            await call


@pytest.mark.parametrize("verb", ["run", "wait", "finished", "pattern"])
async def test_a_cancelled_wait_leaves_everything_as_it_was(stage: Stage, verb: str) -> None:
    terminal = await stage.open()
    if verb == "run":
        task = asyncio.ensure_future(terminal.run("x"))
    else:
        command = await terminal.start("x")
        waits: dict[str, Until] = {"wait": Settled(), "finished": Exit(), "pattern": Match("never")}
        task = asyncio.ensure_future(command.wait(None, waits[verb]))
    await asyncio.sleep(0)
    stage.say(("C",), b"half")
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert terminal.busy and terminal.command is not None and terminal.command.state == "running"
    stage.say(("D", 5, ""), ("P", 5, ""))
    assert (await terminal.command.wait(PATIENCE)).exit_code == 5
    assert terminal.changes.waiters == 0  # the cancelled one is not kept
    command = await terminal.start("y")
    stage.say(("C",), ("D", 6, ""))
    assert (await command.wait(PATIENCE)).exit_code == 6


async def test_a_cancelled_opening_closes(stage: Stage) -> None:
    opening = asyncio.ensure_future(stage.terminal.__aenter__())
    await stage.looked(1)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert stage.terminal.closed and stage.channel.closed


async def test_a_cancelled_close_closes_all_the_same(stage: Stage) -> None:
    terminal = await stage.open()
    closing = asyncio.ensure_future(terminal.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    await terminal.close()
    assert stage.channel.closed and terminal.closed


async def test_a_cancelled_kill_can_be_made_again(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",))
    killing = asyncio.ensure_future(command.kill())
    await until(lambda: b"\x03" in stage.channel.written)
    killing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await killing
    killing = asyncio.ensure_future(command.kill())
    await until(lambda: stage.channel.written.count(b"\x03") == 2)
    stage.say(("D", 130, ""))
    assert (await asyncio.wait_for(killing, PATIENCE)).exit_code == 130


async def test_a_command_that_cannot_be_sent_leaves_everything_as_it_was(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = await stage.open()
    first = await terminal.start("x")
    stage.say(stage.typed(), ("C",), ("D", 0, ""), ("P", 0, ""), b"$ ")
    await first.wait(PATIENCE)
    subscribers = terminal.changes.subscribers

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full, pytest.raises(truetty.HostError, match="not sent: No space left"):
        full.setattr(stage.channel.files, "write", refuse)
        await terminal.start("y")
    assert terminal.command is first and not terminal.busy and terminal.changes.subscribers == subscribers
    assert stage.typed() == b""
    stage.say(b"from a job\r\n")
    assert terminal.shown()[1].endswith(b"from a job\r\n")  # nothing of ours is being hidden
    second = await terminal.start("z")
    stage.say(stage.typed(), ("C",), b"out", ("D", 4, ""))
    assert (await second.wait(PATIENCE)).exit_code == 4


# -- what is left of a command


async def test_a_command_that_nobody_holds_is_freed_at_once_without_the_garbage_collector(stage: Stage) -> None:
    terminal = await stage.open()
    gc.disable()
    try:
        first = weakref.ref(await terminal.start("one"))
        stage.say(stage.typed(), ("C",), b"1\r\n", ("D", 0, ""), ("P", 0, ""), b"$ ")
        await asyncio.wait_for(terminal.command.wait(), PATIENCE)  # type: ignore[union-attr]
        assert first() is terminal.command
        await terminal.start("two")
        await asyncio.sleep(0)
        assert first() is None
    finally:
        gc.enable()


# -- refusals, and what was not sent


@pytest.mark.parametrize("timeout", [float("nan"), -1, "5", True])
async def test_a_timeout_that_is_no_time_is_refused_before_anything_is_typed(stage: Stage, timeout: float) -> None:
    terminal = await stage.open()
    with pytest.raises(truetty.Misuse, match="timeout must be "):
        await terminal.start("x", timeout=timeout)
    assert stage.typed() == b"" and terminal.command is None


async def test_a_signal_that_reached_no_process_was_not_sent(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop, "GRACE", 0.01)
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(stage.typed(), ("C",))
    assert (await command.kill()).state == "running" and stage.channel.signals == []
    stage.say(("D", 143, ""), ("P", 143, ""), b"$ ")
    outcome = await command.wait(PATIENCE)
    assert (outcome.exit_code, outcome.signal) == (143, None) and "may stand for SIGTERM" in outcome.notes[-1]
