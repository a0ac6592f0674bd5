"""Notices of ends that come in the same step of the event loop as the answer before them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.stage import LINE, PATIENCE, READY, Stage
from truetty.service.notices import Notice, Notices
from truetty.terminal.changes import Rank
from truetty.terminal.command import Command

END = (("D", 3, "himBHs"), ("P", 3, "himBHs"), b"$ ")


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    await stage.open()
    yield stage
    await stage.terminal.close()


@pytest.fixture
def notices() -> Notices:
    return Notices()


async def running(stage: Stage) -> Command:
    command = await stage.terminal.start("make")
    stage.say(("C",), b"compiling\n")
    assert not command.finished
    return command


@pytest.mark.parametrize("is_cut", [False, True])
async def test_an_end_that_comes_before_the_command_is_followed(stage: Stage, notices: Notices, is_cut: bool) -> None:
    heard: asyncio.Queue[Notice] = asyncio.Queue()
    notices.listen(heard.put)
    command = await running(stage)
    if is_cut:
        notices.leave(command, "a")
    else:
        notices.answer(command, "a", "a")
    stage.say(*END)
    assert command.finished
    told = await asyncio.wait_for(heard.get(), PATIENCE)
    assert (told.command_id, told.what, told.exit_code) == (command.id, "finished", 3)
    assert told.command == ("make" if is_cut else None)
    assert notices.news("a") == (told,)
    assert notices.news("a") == ()


async def test_an_end_that_no_task_has_followed_yet(stage: Stage, notices: Notices) -> None:
    """The agent has no other command, and the answer is made in the instant of the end."""
    command = await running(stage)
    notices.answer(command, "a", "a")
    told: list[Notice] = []

    def ask() -> None:
        if command.finished:
            told.extend(notices.news("a"))

    command.changes.subscribe(ask, Rank.OWNERS)
    await asyncio.sleep(0)  # now it is followed
    stage.say(*END)
    assert [notice.command_id for notice in told] == [command.id]


async def test_an_end_that_comes_while_a_listener_is_told_of_a_question(stage: Stage, notices: Notices) -> None:
    heard: asyncio.Queue[Notice] = asyncio.Queue()
    goes_on = asyncio.Event()

    async def hear(notice: Notice) -> None:
        await heard.put(notice)
        await goes_on.wait()

    notices.listen(hear)
    command = await running(stage)
    notices.answer(command, "a", "a")
    await asyncio.sleep(0)  # now it is followed
    stage.observer.observation = LINE
    assert (await asyncio.wait_for(heard.get(), PATIENCE)).what == "waiting"
    stage.observer.observation = READY
    stage.say(*END)
    assert command.finished
    goes_on.set()
    assert (await asyncio.wait_for(heard.get(), PATIENCE)).what == "finished"


async def test_an_end_that_an_answer_has_told_is_no_news(stage: Stage, notices: Notices) -> None:
    heard: list[Notice] = []

    async def hear(notice: Notice) -> None:
        heard.append(notice)

    notices.listen(hear)
    command = await running(stage)
    notices.answer(command, "a", "a")
    stage.say(*END)
    notices.answer(command, "a", "a")
    assert notices.news("a") == ()
    await notices.close()
    assert heard == []
