"""The registry on scripted shells, where the test decides the order of things, and on real ones that come and go."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from pathlib import Path

import pytest

import truetty
from tests.service.house import Actor, House, TurnedClock
from tests.stage import PATIENCE, READY, until
from truetty.host.base import Found, Process, ShellName
from truetty.service import past, seat
from truetty.service.registry import Registry
from truetty.terminal.terminal import Terminal
from truetty.testing import FakeHost

Builder = Callable[..., House]


@pytest.fixture
async def house() -> AsyncIterator[Builder]:
    built: list[House] = []

    def build(**arguments: object) -> House:
        built.append(House(**arguments))
        return built[-1]

    yield build
    for one in built:
        await one.registry.close()
        assert one.registry.list() == [] and one.registry.places == 0
        assert all(actor.terminal.closed and actor.channel.closed for actor in one.actors if actor.opened)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return _made(tmp_path / "here")


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return _made(tmp_path / "there")


def _made(path: Path) -> Path:
    path.mkdir()
    return path


async def run(actor: Actor, text: str = "x", output: bytes = b"", code: int = 0) -> truetty.Command:
    """A command that no caller waits for."""
    command = await actor.terminal.start(text)
    await actor.answer(output, code)
    return command


async def test_two_at_once_get_two(house: Builder, here: Path) -> None:
    one = house()
    first, second = one.taking(here), one.taking(here)
    await until(lambda: len(one.actors) == 2)
    assert one.registry.list() == []
    for actor in reversed(one.actors):
        await actor.prompt()
    terminals = await asyncio.gather(first, second)
    assert terminals[0] is not terminals[1] and one.registry.list() == [*terminals]


async def test_two_at_once_never_share_an_idle_one(house: Builder, here: Path) -> None:
    one = house()
    idle = await one.acquire(here, task="a")
    await run(idle)
    first, second = one.taking(here, task="a"), one.taking(here, task="a")
    await until(lambda: len(one.actors) == 2)
    await one.actors[1].prompt()
    assert [await first, await second] == [actor.terminal for actor in one.actors]


async def test_a_task_keeps_its_terminal_until_it_is_released(house: Builder, here: Path) -> None:
    one = house()
    mine = await one.acquire(here, task="a")
    assert mine.terminal.task == "a" and await one.acquire(here, task="a") is mine  # not used yet: asked for again
    await run(mine)
    other = await one.acquire(here, task="b")
    assert other is not mine and await one.acquire(here, task="a") is mine
    assert one.registry.release("a") == [mine.terminal] and mine.terminal.task is None
    await run(other)
    assert await one.acquire(here, task="c") is mine and mine.terminal.task == "c"
    assert one.registry.release("nobody") == []


async def test_another_caller_of_the_task_waits_for_its_first_command(house: Builder, here: Path) -> None:
    one = house()
    got: list[Terminal] = []

    async def holder(used: asyncio.Event) -> None:
        got.append(await one.registry.acquire(here, task="a"))
        await used.wait()

    used = asyncio.Event()
    holding = asyncio.ensure_future(holder(used))
    await until(lambda: len(one.actors) == 1)
    await one.actors[0].prompt()
    await until(lambda: bool(got))
    second = await one.acquire(here, task="a")
    assert second.terminal is not got[0]
    used.set()
    await holding
    await asyncio.sleep(0)
    assert (await one.acquire(here, task="a")).terminal is got[0]  # the caller is gone and never used it


async def test_a_caller_is_a_token(house: Builder, here: Path) -> None:
    """Whatever it is; two tokens never get the same terminal, and a thread or a task is over at its end."""
    one = house()
    mine, thread = await one.acquire(here, task="a", caller="me"), threading.Thread(target=str)
    assert await one.acquire(here, task="a", caller="me") is mine
    other = await one.acquire(here, task="a", caller=thread)
    assert other is not mine
    assert one.registry.release(mine.terminal, caller="another") == []
    assert one.registry.release(mine.terminal, caller="me") == [mine.terminal] and mine.terminal.task == "a"
    assert await one.acquire(here, task="a", caller="another") is mine
    assert await one.acquire(here, task="a", caller="a third") is other  # the thread does not run: it is over


async def test_release_of_a_terminal_leaves_it_to_its_task(house: Builder, here: Path) -> None:
    one = house()
    mine = await one.acquire(here, task="a")
    assert one.registry.release(mine.terminal) == [mine.terminal] and one.registry.release(mine.terminal) == []
    assert mine.terminal.task == "a" and await one.acquire(here, task="b") is not mine
    assert await one.acquire(here, task="a") is mine


async def test_without_a_task_it_is_free_after_its_next_command(house: Builder, here: Path) -> None:
    one = house()
    mine = await one.acquire(here)
    other = await one.acquire(here)
    assert other is not mine
    command = await mine.terminal.start("x")
    third = await one.acquire(here)
    assert third not in (mine, other)
    await mine.answer()
    assert command.finished and await one.acquire(here) is mine
    assert one.registry.release(mine.terminal) == [mine.terminal]
    assert await one.acquire(here) is mine


async def test_release_closes_nothing_that_runs(house: Builder, here: Path) -> None:
    one = house()
    mine = await one.acquire(here, task="a")
    command = await mine.terminal.start("x")
    mine.say(("C",))
    one.registry.release("a")
    assert command.state == "running" and not mine.terminal.closed
    assert await one.acquire(here) is not mine
    mine.say(("D", 0, ""), ("P", 0, ""))
    assert await one.acquire(here) is mine


async def test_release_while_it_is_being_opened(house: Builder, here: Path) -> None:
    one = house()
    taking = one.taking(here, task="a")
    await until(lambda: len(one.actors) == 1)
    one.registry.release("a")
    await one.actors[0].prompt()
    assert (await taking).task is None
    assert await one.acquire(here, task="b") is not one.actors[0]  # it was handed out, and is kept until it was used


async def test_an_idle_one_is_taken_there(house: Builder, here: Path, there: Path) -> None:
    one = house()
    mine = await one.acquire(here, task="a")
    await run(mine)
    taking = one.taking(there, task="a")
    await until(lambda: mine.terminal.busy)
    assert mine.terminal.command is not None and mine.terminal.command.text == f"\\builtin cd -- '{there}'"
    other = await one.acquire(there)  # it is on its way, and no other caller's
    assert other is not mine
    mine.observer.place = str(there)
    await mine.answer(b"somebody's hook talks\r\n")
    assert await taking is mine.terminal and mine.terminal.cwd == str(there)
    assert one.registry.completed == ()  # it was the registry's own command


@pytest.mark.parametrize("how", ["fails", "goes elsewhere", "ends the shell", "hangs"])
async def test_one_that_cannot_be_taken_there(
    house: Builder, here: Path, there: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = house()
    mine = await one.acquire(here)
    await run(mine)
    if how == "hangs":
        monkeypatch.setattr(seat, "LONGEST_MOVE", 0.01)
    taking = one.taking(there)
    await until(lambda: mine.terminal.busy)
    match how:
        case "fails":
            await mine.answer(b"Permission denied\r\n", 1)
        case "goes elsewhere":
            await mine.answer()
        case "ends the shell":
            mine.say(("C",))
            mine.channel.end(1)
        case "hangs":
            mine.say(("C",))
            await until(lambda: b"\x03" in mine.channel.written)
    await until(lambda: len(one.actors) == 2)
    await one.actors[1].prompt()
    assert await taking is one.actors[1].terminal
    if how in ("fails", "goes elsewhere"):
        assert await one.acquire(here) is mine
    else:
        assert await one.acquire(here) is not mine


async def test_a_program_that_cannot_be_sent_anywhere(house: Builder, here: Path, there: Path) -> None:
    one = house()
    mine = await one.acquire(here, shell=["cat"])
    assert mine.terminal.shell == "plain"
    one.registry.release(mine.terminal)
    other = await one.acquire(there, shell=["cat"])
    assert other is not mine and await one.acquire(here, shell=["cat"]) is mine


async def test_cancelled_while_it_is_being_opened(house: Builder, here: Path) -> None:
    one = house(limit=1)
    taking = one.taking(here, task="a")
    await until(lambda: len(one.actors) == 1 and one.actors[0].opened)
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert one.actors[0].channel.closed and one.registry.list() == []
    assert await one.acquire(here) is one.actors[1]  # its place was given back


async def test_cancelled_while_it_is_taken_there(house: Builder, here: Path, there: Path) -> None:
    one = house(limit=1)
    mine = await one.acquire(here)
    await run(mine)
    taking = one.taking(there, task="a")
    await until(lambda: mine.terminal.busy)
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert mine.terminal.task is None
    mine.observer.place = str(there)
    await mine.answer(b"told\r\n")
    assert one.registry.completed == ()
    assert await one.acquire(there) is mine


async def test_cancelled_while_another_makes_room(house: Builder, here: Path) -> None:
    one = house(limit=1)
    old = await one.acquire(here, rc=False)
    await run(old)
    closing = asyncio.Event()
    old.channel.close = _after(closing, old.channel.close)  # type: ignore[method-assign]
    taking = one.taking(here)
    await until(lambda: old.terminal.closed)
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    closing.set()
    await until(lambda: old.channel.closed and one.registry.places == 0)
    assert (await one.acquire(here)).terminal.closed is False


def _after(event: asyncio.Event, work: Callable[..., Coroutine[None, None, None]]) -> Callable[..., Coroutine]:
    async def later(**arguments: bool) -> None:
        await event.wait()
        await work(**arguments)

    return later


async def test_a_shell_that_cannot_start_leaves_no_trace(house: Builder, here: Path) -> None:
    one = house(limit=1)
    for cwd, arguments, error in (
        (here / "missing", {}, truetty.SpawnFailed),
        (here, {"shell": "no-such-shell"}, truetty.SpawnFailed),
        (here, {"size": (0, 0)}, truetty.Misuse),
        (here, {"env": {"A=B": "x"}}, truetty.Misuse),
        (here, {"colour": "red"}, truetty.Misuse),
    ):
        with pytest.raises(error):
            await one.taking(cwd, **arguments)
    assert one.registry.places == 0 and one.actors == []


async def test_a_refused_request_closes_nobody(house: Builder, here: Path) -> None:
    one = house(limit=1)
    old = await one.acquire(here)
    await run(old)
    with pytest.raises(truetty.Misuse):
        await one.taking(here, size=(0, 0))
    assert await one.acquire(here) is old


async def test_a_shell_that_ends_before_its_prompt(house: Builder, here: Path) -> None:
    one = house()
    taking = one.taking(here)
    await until(lambda: len(one.actors) == 1 and one.actors[0].opened)
    one.actors[0].channel.say(b"go away\r\n")
    one.actors[0].channel.end(3)
    with pytest.raises(truetty.SpawnFailed) as refused:
        await taking
    assert refused.value.exit_code == 3 and one.registry.list() == []


async def test_other_arguments_another_terminal(house: Builder, here: Path, program: Callable[[str], str]) -> None:
    one = house(env={"A": "1"})
    mine = await one.acquire(here)
    assert await one.acquire(here, task="t") is not mine
    one.registry.release(mine.terminal)
    others: tuple[dict[str, object], ...] = (
        {"shell": "dash"},
        {"env": {"B": "2"}},
        {"rc": False},
        {"size": (80, 24)},
        {"budget": 100},
    )
    for arguments in others:
        other = await one.acquire(here, **arguments)
        assert other is not mine
        one.registry.release(other.terminal)
        assert await one.acquire(here, **arguments) is other
        one.registry.release(other.terminal)
    same = {"shell": program("bash"), "env": {"A": "1"}, "rc": True, "size": [120, 30], "budget": 30_000, "name": "n"}
    assert await one.acquire(here, **same) is mine and mine.terminal.name == "n"
    one.registry.release(mine.terminal)
    assert await one.acquire(here) is mine and mine.terminal.name is None  # it was another's name


async def test_a_resized_one_gets_its_size_back(house: Builder, here: Path) -> None:
    one = house()
    mine = await one.acquire(here)
    await mine.terminal.resize(40, 10)
    one.registry.release(mine.terminal)
    assert await one.acquire(here) is mine and mine.terminal.size == mine.channel.size == (120, 30)


async def test_one_whose_shell_was_replaced(house: Builder, here: Path) -> None:
    one = house()
    mine = await one.acquire(here)
    one.registry.release(mine.terminal)
    mine.observer.running = "/usr/bin/fish"
    await mine.terminal.start("exec fish")
    mine.say(("C",))
    mine.observer.observation = READY
    await until(lambda: mine.terminal.shell == "fish" and not mine.terminal.busy)
    assert await one.acquire(here) is not mine


# -- ids


async def test_an_id_outlives_its_shell(house: Builder, here: Path) -> None:
    one = house()
    mine, other = await one.acquire(here), await one.acquire(here)
    await mine.terminal.start("exit 3")
    mine.say(("C",))
    mine.channel.say(b"bye\r\n")
    mine.channel.end(3)
    assert one.registry.list() == [other.terminal]
    await until(lambda: mine.channel.closed)  # nothing of it is left behind
    found = one.registry.get(mine.terminal.id)
    assert found is mine.terminal and found.exit_code == 3 and b"bye" in found.transcript.read()
    assert one.registry.get(other.terminal.id) is other.terminal
    assert await one.acquire(here) not in (mine, other)


async def test_an_unknown_id_is_told_the_open_ones_ten_at_most(house: Builder, here: Path) -> None:
    one = house()
    with pytest.raises(truetty.UnknownTerminal, match="no terminal 't0'; none is open"):
        one.registry.get("t0")
    closed, *ids = [(await one.acquire(here)).terminal.id for _ in range(13)]
    await one.registry.get(closed).close()
    with pytest.raises(truetty.UnknownTerminal) as refused:
        one.registry.get("t0")
    assert refused.value.known == ids[:10]
    assert str(refused.value) == f"no terminal 't0'; open: {', '.join(ids[:10])} and 2 more"


async def test_so_many_are_remembered(house: Builder, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "MOST_TERMINALS", 2)
    one = house()
    terminals = [(await one.acquire(here)).terminal for _ in range(3)]
    for terminal in terminals:
        await terminal.close()
    await until(lambda: not is_known(one, terminals[0]))
    assert [one.registry.get(terminal.id) for terminal in terminals[1:]] == terminals[1:]


def is_known(house: House, terminal: Terminal) -> bool:
    try:
        return house.registry.get(terminal.id) is terminal
    except truetty.UnknownTerminal:
        return False


async def test_two_registries_know_nothing_of_each_other(house: Builder, here: Path) -> None:
    one, two = house(), house()
    mine = await one.acquire(here, task="a")
    two.registry.release("a")
    assert mine.terminal.task == "a" and two.registry.list() == []
    with pytest.raises(truetty.UnknownTerminal):
        two.registry.get(mine.terminal.id)


# -- completed


async def test_completed_until_it_is_read(house: Builder, here: Path) -> None:
    one = house()
    mine = await one.acquire(here, task="a")
    first = await run(mine, "first", b"1\r\n")
    await run(mine, "silent")
    second = await run(mine, "second", b"2\r\n")
    assert [*one.registry.completed] == [first, second]
    third = await run(mine, "third", b"3\r\n")
    assert first.output.unread() == "1\n" and [*one.registry.completed] == [second, third]
    assert (await second.wait()).output == "2\n" and [*one.registry.completed] == [third]
    await mine.terminal.close()
    assert [*one.registry.completed] == [third] and third.output.unread() == "3\n"
    assert not one.registry.completed


async def test_what_a_caller_waits_for_is_no_news(house: Builder, here: Path) -> None:
    one = house()
    mine = await one.acquire(here)
    running = asyncio.ensure_future(mine.terminal.run("x"))
    await mine.answer(b"told\r\n")
    assert (await running).output == "told\n" and one.registry.completed == ()


async def test_read_in_part_is_not_read(house: Builder, here: Path) -> None:
    one = house()
    mine = await one.acquire(here)
    command = await mine.terminal.start("x")
    mine.say(("C",))
    mine.channel.say(b"first\r\n")
    assert (await command.wait(0)).state == "running"
    mine.channel.say(b"last\r\n")
    mine.say(("D", 0, ""), ("P", 0, ""))
    assert one.registry.completed == (command,)


async def test_so_many_completed_are_kept(house: Builder, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "MOST_UNREAD", 2)
    one = house()
    mine = await one.acquire(here)
    commands = [await run(mine, f"c{number}", b"x\r\n") for number in range(3)]
    assert one.registry.completed == tuple(commands[1:])


# -- limits


async def test_at_the_limit_the_longest_unused_makes_room(house: Builder, here: Path, there: Path) -> None:
    one = house(limit=3)
    held = await one.acquire(here, task="a")
    older, newer = await one.acquire(here, rc=False), await one.acquire(here, rc=False)
    await run(older)
    await run(newer)
    await run(older)
    fresh = await one.acquire(there, rc=True)
    assert newer.channel.closed and not older.terminal.closed and not held.terminal.closed
    await older.terminal.start("x")
    with pytest.raises(truetty.LimitReached) as refused:
        await one.taking(there)
    assert (refused.value.limit, refused.value.value) == ("terminals", 3)
    ids = [actor.terminal.id for actor in (held, older, fresh)]
    assert refused.value.terminals == ids and ids[0] in str(refused.value)


async def test_two_at_once_at_the_limit(house: Builder, here: Path) -> None:
    one = house(limit=2)
    old = [await one.acquire(here, rc=False) for _ in range(2)]
    for actor in old:
        await run(actor)
    first, second = one.taking(here), one.taking(here)
    with pytest.raises(truetty.LimitReached):
        await one.taking(here)
    await until(lambda: len(one.actors) == 4)
    for actor in one.actors[2:]:
        await actor.prompt()
    got = await asyncio.gather(first, second)
    assert one.registry.list() == [*got] and all(actor.channel.closed for actor in old)


async def test_nobody_is_closed_in_whom_something_runs(house: Builder, here: Path) -> None:
    one = house(limit=1)
    mine = await one.acquire(here)
    await run(mine)
    mine.observer.living = [Process(77, "server", 4242, 77, 4242, "S", 0.0)]
    with pytest.raises(truetty.LimitReached):
        await one.taking(here)
    mine.observer.living = []
    assert await one.acquire(here) is mine


async def test_nobody_is_closed_in_whom_something_may_run(house: Builder, here: Path) -> None:
    """Where processes cannot be seen, nothing says that the shell is alone."""
    one = house(limit=1, idle=0.05)
    mine = await one.acquire(here)
    mine.observer.living = None
    assert mine.terminal.jobs is None
    await run(mine)
    with pytest.raises(truetty.LimitReached):
        await one.taking(here)
    looks = mine.observer.listings
    await until(lambda: mine.observer.listings > looks)  # its time is over: the registry asks again
    assert not mine.terminal.closed
    mine.observer.living = []
    await until(lambda: mine.channel.closed)


async def test_what_start_up_files_started_is_part_of_the_shell(house: Builder, here: Path) -> None:
    one = house(limit=1)
    taking = one.taking(here)
    await until(lambda: len(one.actors) == 1)
    mine = one.actors[0]
    mine.observer.living = [Process(77, "gitstatusd", 4242, 77, 4242, "S", 0.0)]
    await mine.prompt()
    await taking
    await run(mine)
    assert await one.acquire(here) is mine


async def test_so_many_for_one_task(house: Builder, here: Path) -> None:
    one = house(per_task=2)
    for _ in range(2):
        await (await one.acquire(here, task="a")).terminal.start("x")
    with pytest.raises(truetty.LimitReached, match="'a'") as refused:
        await one.taking(here, task="a")
    assert (refused.value.limit, refused.value.value, refused.value.task) == ("per_task", 2, "a")
    await one.acquire(here, task="b")
    one.registry.release("a")
    await one.acquire(here, task="a")


async def test_places_count_before_they_are_filled(house: Builder, here: Path) -> None:
    one = house(limit=1)
    taking = one.taking(here)
    await until(lambda: len(one.actors) == 1)
    with pytest.raises(truetty.LimitReached):
        await one.taking(here)
    await one.actors[0].prompt()
    await taking


async def test_the_unused_are_closed(house: Builder, here: Path) -> None:
    clock = TurnedClock()
    one = house(idle=60, clock=clock)
    busy = await one.acquire(here, task="a")
    await busy.terminal.start("x")
    working = await one.acquire(here)
    working.observer.living = [Process(77, "server", 4242, 77, 4242, "S", 0.0)]
    held, free = await one.acquire(here, task="b"), await one.acquire(here)
    await run(free)
    clock.turn(59)
    assert len(one.registry.list()) == 4
    clock.turn(2)
    assert one.registry.list() == [busy.terminal, working.terminal]
    await until(lambda: held.channel.closed and free.channel.closed)
    assert one.registry.get(held.terminal.id) is held.terminal
    working.observer.living = []
    await busy.answer()
    clock.turn(120)
    await until(lambda: busy.channel.closed and working.channel.closed)


async def test_nobody_gets_one_whose_time_is_over(house: Builder, here: Path) -> None:
    clock = TurnedClock()
    one = house(idle=1000, clock=clock)
    mine = await one.acquire(here)
    await run(mine)
    clock.turn(1001)
    assert not mine.channel.closed and one.registry.list() == []  # it is closed by and by, and no caller's from now on
    assert await one.acquire(here) is not mine
    await until(lambda: mine.channel.closed)


async def test_the_time_of_one_begins_when_it_is_handed_out(house: Builder, here: Path) -> None:
    clock = TurnedClock()
    one = house(idle=60, clock=clock)
    mine = await one.acquire(here, task="a")
    clock.turn(50)
    assert await one.acquire(here, task="a") is mine
    clock.turn(50)
    assert one.registry.list() == [mine.terminal]
    clock.turn(10)
    await until(lambda: mine.channel.closed)


async def test_the_time_of_one_begins_again_when_its_command_ends(house: Builder, here: Path) -> None:
    clock = TurnedClock()
    one = house(idle=60, clock=clock)
    mine = await one.acquire(here)
    await mine.terminal.start("x")
    clock.turn(600)
    assert clock.timers == [] and one.registry.list() == [mine.terminal]  # nothing to wait for while a command runs
    await mine.answer()
    clock.turn(59)
    assert one.registry.list() == [mine.terminal]
    clock.turn(1)
    await until(lambda: mine.channel.closed)


async def test_without_a_clock_of_its_own_the_loop_tells_the_time(house: Builder, here: Path) -> None:
    mine = await house(idle=0.01).acquire(here)
    await until(lambda: mine.channel.closed)


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"per_task": 0}, {"idle": -1}, {"limit": -5}, {"warm": -1}])
def test_limits_that_cannot_be_meant(arguments: dict[str, int]) -> None:
    with pytest.raises(truetty.Misuse, match=next(iter(arguments))):
        Registry(**arguments)  # type: ignore[arg-type]


# -- the warm pool


async def test_a_warm_shell_is_handed_out_and_replaced(house: Builder, here: Path) -> None:
    one = house(warm=1, cwd=here)
    async with one.registry as registry:
        await until(lambda: len(one.actors) == 1)
        await one.actors[0].prompt()
        await until(lambda: registry.warm == 1)
        assert registry.list() == []
        with pytest.raises(truetty.UnknownTerminal):
            registry.get(one.actors[0].terminal.id)
        assert await one.taking(here, task="a") is one.actors[0].terminal
        assert one.actors[0].terminal.task == "a" and registry.list() == [one.actors[0].terminal]
        await until(lambda: len(one.actors) == 2)
        await one.actors[1].prompt()
        await until(lambda: registry.warm == 1)


async def test_one_that_is_still_warming_up_is_waited_for(house: Builder, here: Path, there: Path) -> None:
    one = house(warm=1, limit=1, cwd=here)
    async with one.registry as registry:
        await until(lambda: len(one.actors) == 1)
        cancelled, taking = one.taking(there), None
        await asyncio.sleep(0)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        taking = one.taking(there)
        await asyncio.sleep(0)
        await one.actors[0].prompt()
        await until(lambda: one.actors[0].terminal.busy)
        one.actors[0].observer.place = str(there)
        await one.actors[0].answer()
        assert await taking is one.actors[0].terminal and registry.warm == 0 and len(one.actors) == 1


async def test_a_warm_one_makes_room_for_another_kind(house: Builder, here: Path) -> None:
    one = house(warm=1, limit=1)
    async with one.registry:
        await until(lambda: len(one.actors) == 1)
        mine = await one.acquire(here, rc=False)
        assert mine is one.actors[1] and one.actors[0].channel.closed


async def test_a_pool_that_cannot_be_filled_is_no_error_of_its_own(here: Path) -> None:
    async with Registry(warm=2, shell="no-such-shell") as registry:
        with pytest.raises(truetty.SpawnFailed, match="no-such-shell"):
            await registry.acquire(here)


# -- closing


async def test_closing_ends_everything(house: Builder, here: Path) -> None:
    one = house(warm=1)
    async with one.registry as registry:
        await until(lambda: len(one.actors) == 1)  # being warmed up
        idle, busy = await one.acquire(here, rc=False), await one.acquire(here, rc=False)
        await busy.terminal.start("x")
        opening = one.taking(here, rc=False)
        await until(lambda: len(one.actors) == 4)
    with pytest.raises(truetty.Closed, match="registry"):
        await opening
    assert registry.get(idle.terminal.id).closed and registry.get(busy.terminal.id).closed
    with pytest.raises(truetty.Closed):
        await registry.acquire(here)
    await registry.close()


async def test_closing_while_another_makes_room(house: Builder, here: Path) -> None:
    one = house(limit=1)
    old = await one.acquire(here, rc=False)
    await run(old)
    closing = asyncio.Event()
    old.channel.close = _after(closing, old.channel.close)  # type: ignore[method-assign]
    taking = one.taking(here)
    await until(lambda: old.terminal.closed)
    ending = asyncio.ensure_future(one.registry.close())
    await asyncio.sleep(0)
    closing.set()
    with pytest.raises(truetty.Closed, match="registry"):
        await taking
    await ending
    assert not one.actors[1].opened


# -- real shells


async def test_no_one_is_lost_when_callers_go_away(home: Path) -> None:
    """Cancelled at any moment, and the limit holds: nothing is left open or kept for a caller that is gone."""
    dice = random.Random(7717)
    places = [_made(home / str(number)) for number in range(3)]
    loop, gone = asyncio.get_running_loop(), 0
    async with Registry(shell="bash", rc=False, limit=3, warm=1) as registry:
        for turn in range(40):
            names = [f"{turn}-{number}" for number in range(3)]
            takers = [asyncio.ensure_future(registry.acquire(dice.choice(places), task=name)) for name in names]
            for taker in takers:
                loop.call_later(dice.choice((0, 0.001, 0.003, 0.006)), taker.cancel)
            for got in await asyncio.gather(*takers, return_exceptions=True):
                assert isinstance(got, Terminal | asyncio.CancelledError | truetty.LimitReached), got
                gone += isinstance(got, asyncio.CancelledError)
            for name in names:
                registry.release(name)
            assert registry.places <= 3
        assert gone
        await until(lambda: not any(terminal.busy for terminal in registry.list()))
        last = [await registry.acquire(home, task=f"last {number}") for number in range(3)]
        assert len(set(last)) == 3
        for terminal in last:
            assert (await terminal.run("echo $$")).output == f"{terminal.pid}\n"


async def test_a_stale_release_frees_nobody_elses(home: Path) -> None:
    async with Registry(shell="bash", rc=False, env={"HOME": str(home)}) as registry:

        async def first() -> Terminal:
            mine = await registry.acquire()
            await mine.run("true", wait=PATIENCE)
            return mine

        stale = await asyncio.create_task(first())
        held = asyncio.Event()
        done = asyncio.Event()

        async def second() -> Terminal:
            mine = await registry.acquire()
            held.set()
            await done.wait()
            return mine

        holding = asyncio.create_task(second())
        await held.wait()
        registry.release(stale)  # it is another caller's now
        third = await registry.acquire()
        done.set()
        assert (await holding) is stale and third is not stale


# -- on another host than this machine


class FarHost(FakeHost):
    """Has one shell, and no directory of this machine."""

    async def find(self, shell: ShellName, env: Mapping[str, str | None]) -> Found:
        if shell != "/far/bin/bash":
            raise truetty.SpawnFailed(f"no {shell} there", shell=shell, cwd=None, reason="missing")
        return await super().find(shell, env)


async def test_a_far_host_is_asked_for_the_shell_and_the_directory() -> None:
    host = FarHost()
    async with Registry(shell="/far/bin/bash", cwd="/far/away", host=host, startup=0, warm=1) as registry:
        terminal = await registry.acquire(task="a")
        assert (host.orders[0].cwd, host.orders[0].found.program) == ("/far/away", "/far/bin/bash")
        assert await registry.acquire(task="a") is terminal
        await registry.acquire("elsewhere", task="b")
        assert host.orders[-1].cwd == "elsewhere"  # as the host understands it


async def test_what_a_far_host_does_not_have_is_refused_before_anything_is_closed_for_it() -> None:
    host = FarHost()
    async with Registry(shell="/far/bin/bash", host=host, startup=0, limit=1) as registry:
        terminal = await registry.acquire()
        registry.release(terminal)
        with pytest.raises(truetty.SpawnFailed, match="no /bin/sh there"):
            await registry.acquire(shell="/bin/sh")
        assert registry.list() == [terminal] and len(host.orders) == 1
        assert await registry.expected(None, task=None, shell=None) == (None, "bash")
