"""What may happen to a seat, in any order; and how real shells are sent elsewhere, whatever a directory is called."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import truetty
from truetty.service.registry import Registry
from truetty.service.seat import Seat
from truetty.service.seat_request import complete
from truetty.service.states import FOLLOWS, Claim, Closing, Free, Given, Moving, Opening, State
from truetty.shells.table import recognise
from truetty.terminal.options import Options
from truetty.terminal.terminal import Terminal

EVENTS = {
    "claim": lambda seat: seat.claim(Claim("a", "me")),
    "claim without a task": lambda seat: seat.claim(Claim(None, "me")),
    "open": lambda seat: seat.on_open(1.0),
    "hand over": lambda seat: seat.hand_over("name"),
    "keep": lambda seat: seat.keep(),
    "give back": lambda seat: seat.give_back(),
    "leave task": lambda seat: seat.leave_task(),
    "leave caller": lambda seat: seat.leave_caller(),
    "close": lambda seat: seat.close(),
}


async def follow(events: list[str], claim: Claim | None) -> set[tuple[type[State], type[State]]]:
    """The changes of state."""
    request = complete(Options("bash"))
    seat = Seat(request, Terminal("bash"), claim)
    seat.opening = asyncio.ensure_future(asyncio.sleep(0)) if claim is None else None
    changes = set()
    for event in events:
        before = seat.state
        EVENTS[event](seat)  # a change that is not in the table is an AssertionError
        changes.add((type(before), type(seat.state)))
        assert isinstance(seat.state, Closing) or not isinstance(before, Closing)
        assert seat.terminal.task == seat.task or isinstance(seat.state, Opening | Moving | Closing)
    return {(old, new) for old, new in changes if old is not new}


@given(
    st.lists(st.sampled_from(sorted(EVENTS)), max_size=12), st.sampled_from([None, Claim("a", "me"), Claim(None, 1)])
)
def test_whatever_happens_is_in_the_table(events: list[str], claim: Claim | None) -> None:
    asyncio.run(follow(events, claim))


async def test_every_change_of_the_table_can_happen() -> None:
    mine, free = Claim("a", "me"), Claim(None, "me")
    handed = ["open", "hand over"]
    histories = [
        (["open", "claim", "give back", "close"], None),
        (["claim", "open", "hand over", "leave caller", "claim", "give back", "leave task", "close"], None),
        (["close"], None),
        (["claim", "open", "close"], None),
        (["open", "close"], None),
        ([*handed, "claim", "hand over", "close"], mine),
        ([*handed, "leave caller", "close"], mine),
        (["open", "keep", "leave task", "close"], mine),
        (["open", "keep", "close"], mine),
        ([*handed, "leave task", "claim", "give back", "close"], mine),
    ]
    seen = set().union(*[await follow(events, claim) for events, claim in histories])
    assert await follow([*handed, "leave caller"], free) == {(Opening, Given), (Given, Free)}
    table = {(old, new) for old, follows in FOLLOWS.items() for new in follows if old is not new}
    assert seen == table, table ^ seen


NAMES = (
    "with space",
    "quo'te\"s",
    "$HOME `id` $(id)",
    "wow!",
    "back\\slash",
    "line\nbreak",
    "-dash",
    "tab\there",
    "ünï",
)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash", "ksh93", "mksh", "busybox", "tcsh"])
async def test_every_shell_can_be_sent_everywhere(shell: str, home: Path, program: Callable[[str], str]) -> None:
    async with Registry(shell=program(shell), limit=1) as registry:
        start = await registry.acquire(home, task="a")
        for name in (*NAMES, os.fsdecode(b"raw\xff")):
            await start.run("true")
            place = made(home / name)
            terminal = await registry.acquire(place, task="a")
            assert terminal is start and terminal.cwd == str(place), name
        link = home / "link"
        link.symlink_to(made(home / "target"))
        await start.run("true")
        assert await registry.acquire(link, task="a") is start and start.cwd == str(home / "target")
        assert (await start.run("echo $PWD" if shell != "tcsh" else "echo $cwd")).output == f"{link}\n"


def test_what_cannot_be_sent_anywhere() -> None:
    assert recognise("rbash").cd is None and recognise("vi").cd is None


async def test_a_shell_without_the_right_to_go_there(home: Path, program: Callable[[str], str]) -> None:
    """A person's own `cd` does not matter; a restricted shell stays where it is, and another is opened."""
    (home / ".bashrc").write_text("cd() { echo never; return 7; }\nalias builtin=false\n")
    place = made(home / "place")
    async with Registry(shell=program("bash")) as registry:
        mine = await registry.acquire(home, task="a")
        await mine.run("true")
        assert await registry.acquire(place, task="a") is mine and mine.cwd == str(place)
        await mine.run("set -r")
        other = await registry.acquire(home, task="a")
        assert other is not mine and other.cwd == str(home)


async def test_when_there_is_no_working_directory(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = made(home / "gone")
    monkeypatch.chdir(gone)
    gone.rmdir()
    async with Registry(shell="bash", rc=False) as registry:
        for cwd in ("relative", ""):
            with pytest.raises(truetty.SpawnFailed):
                await registry.acquire(cwd)
        mine = await registry.acquire(home, task="a")
        await mine.run("true")
        other = await registry.acquire(task="b")  # as a new terminal would: wherever that is
        assert other is not mine and await registry.acquire(task="a") is mine
    monkeypatch.chdir(home)


def made(path: Path) -> Path:
    path.mkdir()
    return path
