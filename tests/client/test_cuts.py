"""A connection that is cut: nothing runs twice, waits go on, and callers hear what is not known."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import truetty
from tests.client.proxy import Proxy, proxy
from tests.patience import PATIENCE
from tests.server.live import Live
from truetty import events
from truetty.client.wire import Wire

LONG = PATIENCE


@pytest.fixture
async def direct(where: str) -> AsyncIterator[Any]:
    """A connection that is not cut."""
    async with truetty.connect(where) as registry:
        yield registry


@pytest.fixture
async def cable(where: str, tmp_path: Path) -> AsyncIterator[Proxy]:
    async with proxy(tmp_path, where) as made:
        yield made


@pytest.fixture
async def registry(cable: Proxy) -> AsyncIterator[Any]:
    async with truetty.connect(cable.where) as registry:
        yield registry


async def until(holds: Any) -> None:
    async with asyncio.timeout(LONG):
        while not holds():
            await asyncio.sleep(0.01)


async def known(direct: Any, terminal_id: str) -> Any:
    """The command that waits there, when the other connection has heard of it."""
    await until(lambda: (command := direct.get(terminal_id).command) is not None and command.state == "waiting")
    return direct.get(terminal_id).command


async def test_another_connection_finds_everything(registry: Any, direct: Any) -> None:
    mine = await registry.open("bash", rc=False, name="build", task="a")
    await mine.run("seq 1 1000", wait=LONG)
    command = await mine.start("echo on; read x; echo got $x")
    await command.wait(LONG)
    await known(direct, mine.id)
    for found in (direct.get("build"), direct.get(mine.id)):
        assert (found.id, found.name, found.task, found.pid) == (mine.id, "build", "a", mine.pid)
        assert (found.busy, found.command.id, found.command.state) == (True, command.id, "waiting")
        assert found.command.waiting == command.waiting and found.command.output.text() == "on\n"
    assert [terminal.id for terminal in direct.list()] == [mine.id]
    await found.command.send("it\n")
    assert (await command.wait(LONG, "finished")).output == "on\nit\ngot it\n"
    assert (await found.command.wait(LONG, "finished")).output == "on\nit\ngot it\n"
    assert "1\n2\n" in (await found.run("seq 1 3", wait=LONG)).output
    await until(lambda: mine.command.id == found.command.id)
    assert await mine.command.output.slices.text() == "1\n2\n3\n"


async def test_each_connection_hears_of_a_question_once(registry: Any, direct: Any) -> None:
    terminal = await registry.open("bash", rc=False)
    command = await terminal.start("read -p 'Go? ' x")
    assert (await command.wait(LONG)).reached == "input"
    seen = await known(direct, terminal.id)
    assert (await seen.wait(LONG)).reached == "input"
    assert seen.unread is False
    assert [(await one.wait(0)).reached for one in (command, seen)] == [None, None]
    await command.send("y\n")
    assert [(await one.wait(LONG)).reached for one in (command, seen)] == ["exit", "exit"]


async def test_a_start_that_was_cut_runs_once(registry: Any, direct: Any, cable: Proxy, tmp_path: Path) -> None:
    terminal = await registry.open("bash", rc=False)
    seen = direct.get(terminal.id)
    cable.hold()
    starting = asyncio.ensure_future(terminal.start(f"echo x >> {tmp_path}/ran; read x"))
    await until(lambda: seen.busy)
    cable.cut()
    command = await starting
    assert command.id == f"{terminal.id}-1" and terminal.command is command
    assert (await command.wait(LONG)).state == "waiting"
    assert (tmp_path / "ran").read_text() == "x\n"
    assert cable.connections == 2


async def test_an_opening_that_was_cut_opens_one(registry: Any, direct: Any, cable: Proxy) -> None:
    cable.hold()
    opening = asyncio.ensure_future(registry.open("bash", rc=False))
    await until(lambda: len(direct.list()) == 1)
    cable.cut()
    terminal = await opening
    assert [one.id for one in direct.list()] == [terminal.id] == [one.id for one in registry.list()]


async def test_a_start_that_is_cut_twice_is_lost(registry: Any, direct: Any, cable: Proxy) -> None:
    terminal = await registry.open("bash", rc=False)
    seen = direct.get(terminal.id)
    cable.hold()
    starting = asyncio.ensure_future(terminal.start("read x"))
    await until(lambda: seen.busy)
    cable.cut(refuse=True)
    with pytest.raises(truetty.ChannelLost) as caught:
        await starting
    assert caught.value.facts["terminal_id"] == terminal.id
    assert seen.busy


async def test_what_was_typed_is_not_typed_again(registry: Any, direct: Any, cable: Proxy) -> None:
    terminal = await registry.open("bash", rc=False)
    command = await terminal.start("read x; read y; echo $x$y")
    await command.wait(LONG)
    seen = await known(direct, terminal.id)
    before = seen.form.episode
    cable.hold()
    sending = asyncio.ensure_future(command.send("once\n"))
    await until(lambda: seen.form.episode not in (None, before))
    cable.cut()
    with pytest.raises(truetty.ChannelLost) as caught:
        await sending
    assert caught.value.facts["command_id"] == command.id
    await command.send("more\n")
    assert (await command.wait(LONG, "finished")).output.endswith("oncemore\n")


async def test_a_wait_goes_on(registry: Any, direct: Any, cable: Proxy) -> None:
    terminal = await registry.open("bash", rc=False)
    command = await terminal.start("read x; cd /; echo $x")
    await command.wait(LONG)
    wait = asyncio.ensure_future(command.wait(LONG, "finished"))
    await command.output.slices.text()  # the wait was sent before this
    cable.cut()
    await until(lambda: cable.connections == 2)
    await direct.get(terminal.id).send("on\n")
    assert (await wait).output == "on\non\n"
    assert (terminal.busy, terminal.cwd, command.state) == (False, "/", "finished")


async def test_a_question_that_was_lost_with_its_answer_is_told_again(registry: Any, direct: Any, cable: Proxy) -> None:
    terminal = await registry.open("bash", rc=False)
    command = await terminal.start("read -p 'One? ' x; read -p 'Two? ' x")
    await command.wait(LONG)
    seen = await known(direct, terminal.id)
    await command.send("1\n")
    cable.hold()
    wait = asyncio.ensure_future(command.wait(LONG))
    await until(lambda: seen.waiting is not None and seen.waiting.prompt == "Two? ")
    cable.cut()
    outcome = await wait
    assert (outcome.reached, outcome.waiting.prompt) == ("input", "Two? ")


async def test_what_happened_meanwhile_is_known_after_the_next_call(registry: Any, direct: Any, cable: Proxy) -> None:
    terminal = await registry.open("bash", rc=False)
    command = await terminal.start("read x; exit 3")
    await command.wait(LONG)
    cable.cut()
    seen = await known(direct, terminal.id)
    await seen.send("\n")
    await seen.wait(LONG, "finished")
    other = await direct.open("bash", rc=False, name="other")
    found = await asyncio.to_thread(registry.get, "other")  # the proxy is in this loop, and the call would block it
    assert found.id == other.id
    assert (await command.report()).exit_code == 3
    assert (terminal.closed, terminal.exit_code, command.exit_code) == (True, 3, 3)
    assert [one.id for one in registry.list()] == [other.id]


async def test_events_go_on(registry: Any, direct: Any, cable: Proxy) -> None:
    stream = registry.events()
    following = asyncio.ensure_future(anext(stream))
    first = await direct.open("bash", rc=False)
    assert (await following)["terminal"]["id"] == first.id
    following = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    cable.cut()
    second = await direct.open("bash", rc=False)
    event = await following
    assert (event["event"], event["terminal"]["id"]) == ("opened", second.id)
    await stream.aclose()


async def test_a_stream_of_a_command_goes_on_behind_what_it_has_given(registry: Any, direct: Any, cable: Proxy) -> None:
    terminal = await registry.open("bash", rc=False)
    command = await terminal.start("echo one; read x; echo two")
    stream = command.events()
    found: list[events.Event] = []
    while not isinstance(found[-1] if found else None, events.Waiting):
        found.append(await anext(stream))
    following = asyncio.ensure_future(anext(stream))
    await command.output.slices.text()
    cable.cut()
    await until(lambda: cable.connections == 2)
    await direct.get(terminal.id).send("x\n")
    found.append(await following)
    found += [event async for event in stream]
    assert "".join(event.text for event in found if isinstance(event, events.Output)) == "one\nx\ntwo\n"
    kinds = [type(event) for event in found if not isinstance(event, events.Output | events.Resumed)]
    assert kinds == [events.Started, events.Waiting, events.Finished]


async def test_a_server_that_was_killed(server: Live, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one has the terminals of the one before, and a wait goes on there."""
    monkeypatch.setenv("TRUETTY_STATE", server.place.folder)
    async with truetty.connect() as registry:
        terminal = await registry.open("bash", rc=False, name="build")
        command = await terminal.start("echo one; read x; echo got $x; cd /")
        await command.wait(LONG)
        wait = asyncio.ensure_future(command.wait(LONG, "finished"))
        await command.output.slices.text()
        os.kill(server.pid(), signal.SIGKILL)
        assert await command.output.slices.text() == "one\n"
        assert registry.list() == [terminal] and terminal.busy and terminal.command is command
        await terminal.send("it\n")
        outcome = await wait
        assert (outcome.output, outcome.exit_code) == ("one\nit\ngot it\n", 0)
        assert (terminal.busy, terminal.cwd, command.state) == (False, "/", "finished")
        assert command.output.text() == outcome.output


async def test_a_server_that_was_ended_is_not_started_again_by_a_wait(server: Live, registry: Any) -> None:
    terminal = await registry.open("bash", rc=False)
    command = await terminal.start("read x")
    await command.wait(LONG)
    wait = asyncio.ensure_future(command.wait(LONG, "finished"))
    await command.output.slices.text()
    await asyncio.to_thread(server.end)
    try:
        outcome = await wait  # it ends with its terminal, or was cut
        assert outcome.closed
    except truetty.ChannelLost as error:
        assert error.facts["command_id"] == command.id
    assert not server.is_running()


async def test_a_server_that_was_ended_has_ended_what_ran_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUETTY_STATE", str(home / "state"))
    server = Live(home / "state")
    async with truetty.connect() as registry:
        terminal = await registry.open("bash", rc=False)
        waiting = asyncio.ensure_future((await terminal.start("sleep 1000")).wait(LONG))
        await asyncio.to_thread(server.end)
        try:
            assert (await waiting).closed  # it ends with its terminal, or was cut
        except truetty.ChannelLost as error:
            assert "no server runs" in str(error) and "What ran there has ended with the server" in str(error)


async def test_a_wait_that_comes_when_the_server_ends(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is sent when the server has said that it ends: it is refused, or cut."""
    monkeypatch.setenv("TRUETTY_STATE", str(home / "state"))
    server = Live(home / "state")
    call = Wire.call
    async with truetty.connect() as registry:
        terminal = await registry.open("bash", rc=False)
        command = await terminal.start("sleep 1000")

        async def late(self: Wire, verb: str, *more: Any) -> Any:
            if verb == "wait":
                await until(lambda: command._link.stopping)
            return await call(self, verb, *more)

        monkeypatch.setattr(Wire, "call", late)
        waiting = asyncio.ensure_future(command.wait(LONG))
        await asyncio.to_thread(server.end)
        with pytest.raises(truetty.ChannelLost, match="What ran there has ended with the server"):
            await waiting


async def test_a_connection_that_was_closed(registry: Any) -> None:
    terminal = await registry.open("bash", rc=False)
    await registry.close()
    await registry.close()
    for call in (terminal.run("true"), registry.open()):
        with pytest.raises(truetty.Misuse, match="was closed"):
            await call
    with pytest.raises(truetty.Misuse, match="was closed"):
        terminal.screen()


@pytest.fixture
def verbs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of the calls that were made on any connection of this program."""
    made: list[str] = []
    call = Wire.call

    async def counted(self: Wire, verb: str, *more: Any) -> Any:
        made.append(verb)
        return await call(self, verb, *more)

    monkeypatch.setattr(Wire, "call", counted)
    return made


async def test_a_run_that_is_cut_runs_once_and_is_waited_for(
    registry: Any, direct: Any, cable: Proxy, tmp_path: Path, verbs: list[str]
) -> None:
    terminal = await registry.open("bash", rc=False)
    text = f"echo once >> {tmp_path}/runs; while [ ! -e {tmp_path}/gate ]; do sleep 0.02; done; echo end"
    running = asyncio.ensure_future(terminal.run(text, wait=LONG))
    await until(lambda: direct.get(terminal.id).busy)
    for waits in (1, 2, 3):
        cable.cut()
        await until(lambda made=waits: verbs.count("wait") == made)  # on the next connection
    (tmp_path / "gate").touch()
    outcome = await running
    assert (outcome.state, outcome.output, outcome.reached) == ("finished", "end\n", "exit")
    assert (tmp_path / "runs").read_text() == "once\n"
    assert (verbs.count("run"), verbs.count("start")) == (1, 1)
    assert terminal.command.id == outcome.command_id and terminal.command.outcome.output == "end\n"


async def test_a_run_whose_answer_was_lost_runs_once(registry: Any, direct: Any, cable: Proxy, tmp_path: Path) -> None:
    terminal = await registry.open("bash", rc=False)
    cable.hold()
    running = asyncio.ensure_future(terminal.run(f"echo once >> {tmp_path}/runs; echo end", wait=LONG))
    await until(lambda: (command := direct.get(terminal.id).command) is not None and command.finished)
    cable.cut()
    assert (await running).output == "end\n"
    assert (tmp_path / "runs").read_text() == "once\n"


async def test_a_run_is_one_call(direct: Any, verbs: list[str]) -> None:
    terminal = await direct.open("bash", rc=False)
    verbs.clear()
    assert (await terminal.run("echo hi", wait=LONG)).output == "hi\n"
    assert verbs == ["run"]


@pytest.mark.parametrize("questions", [1, 2])
async def test_a_question_that_a_callback_has_answered_is_no_result_of_a_wait(
    registry: Any, direct: Any, cable: Proxy, questions: int
) -> None:
    """What the server says of the first question, and of what followed its answer, comes at the same time."""

    async def answer(waiting: truetty.Waiting) -> str | None:
        return "red\n" if "Colour" in waiting.prompt else None

    terminal = await registry.open("bash", rc=False, on_waiting=answer)
    cable.hold_behind(b'"Colour? "')
    text = "read -p 'Colour? ' x; " + "read -p 'Size? ' y; " * (questions - 1) + "echo got $x"
    running = asyncio.ensure_future(terminal.run(text, wait=LONG))

    def is_over() -> bool:
        command = direct.get(terminal.id).command
        return command is not None and (command.finished or "Size" in getattr(command.waiting, "prompt", ""))

    await until(is_over)
    cable.release()
    outcome = await running
    if questions == 1:
        assert (outcome.state, outcome.exit_code, outcome.reached) == ("finished", 0, "exit")
    else:
        assert (outcome.state, outcome.waiting.prompt) == ("waiting", "Size? ")
