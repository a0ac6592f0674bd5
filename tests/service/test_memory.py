"""What a service keeps of terminals that are closed, and whose notices it gives to whom."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, eventually
from truetty import functions
from truetty.core.errors import UnknownTerminal
from truetty.service import past
from truetty.service.registry import Registry
from truetty.service.service import Service
from truetty.store.transcript import Transcript

REMEMBERED = 2


@pytest.fixture
async def service(home: Path) -> AsyncIterator[Service]:
    async with Service(Registry(shell="bash", rc=False, cwd=home, env={"HOME": str(home)})) as made:
        yield made


def transcripts() -> list[Transcript]:
    gc.collect()
    return [one for one in gc.get_objects() if isinstance(one, Transcript)]


async def test_closed_terminals_do_not_stay_in_memory(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "MOST_TERMINALS", REMEMBERED)
    before = len(transcripts())
    ids = []
    for number in range(6):
        answer = await service.run("seq 1000", task=f"t{number}", key=f"k{number}", wait=0)
        ids.append(answer.outcome.command_id)
        await service.wait(ids[-1], timeout=PATIENCE)
        await service.stop(ids[-1], close=True)
    await service.run("true", task="last", wait=PATIENCE)
    assert len(transcripts()) - before <= REMEMBERED + 1
    with pytest.raises(UnknownTerminal):
        service.command(ids[0])
    with pytest.raises(UnknownTerminal):  # it was run, so it is not run again
        await service.run("seq 1000", task="t0", key="k0")
    assert service.command(ids[-1]).output.lines == 1000
    assert len(service.terminals()) == 1


async def test_a_notice_goes_to_the_agent_whose_command_it_was(service: Service, home: Path) -> None:
    async def call(agent: str, name: str, **sent: object) -> functions.Result:
        result = await functions.call(service, name, sent, task=agent)
        assert result.error is None, result.text
        return result

    once = "until [ -e go ]; do sleep 0.02; done"
    begun = await call("A", "run", command=once, wait=0)
    (home / "go").touch()
    id = str(begun.data["command_id"])
    await eventually(lambda: service.command(id).finished, "it ends")
    assert (await call("B", "run", command="true", wait=PATIENCE)).data["notices"] == []
    assert (await call("B", "read", id=id)).data["state"] == "finished"  # B was told, and A was not
    notices = (await call("A", "terminals")).data["notices"]
    assert isinstance(notices, list) and [notice["command_id"] for notice in notices] == [id]
    assert (await call("A", "terminals")).data["notices"] == []


async def test_a_question_is_a_notice_for_its_agent_too(service: Service, home: Path) -> None:
    first, second = service.for_agent("A"), service.for_agent("B")
    id = (await first.run("until [ -e go ]; do sleep 0.02; done; read -p 'name? ' x", wait=0)).outcome.command_id
    (home / "go").touch()
    await eventually(lambda: service.command(id).state == "waiting", "it asks")
    assert second.news() == ()
    assert [(notice.what, notice.prompt) for notice in first.news()] == [("waiting", "name? ")]
    assert first.news() == ()
