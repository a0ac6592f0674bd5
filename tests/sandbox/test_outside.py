"""A command that must leave the sandbox runs in another terminal, and a person is asked each time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE
from truetty import functions
from truetty.policy import Decision, Policy, Rule
from truetty.service.permissions import OUTSIDE
from truetty.service.registry import Registry
from truetty.service.service import Service


class Person:
    def __init__(self) -> None:
        self.asked: list[Decision] = []
        self.says_yes = True

    async def __call__(self, decision: Decision) -> bool:
        self.asked.append(decision)
        return self.says_yes


@pytest.fixture
def person() -> Person:
    return Person()


@pytest.fixture
async def service(workspace: Path, home: Path, person: Person) -> AsyncIterator[Service]:
    registry = Registry(shell="bash", rc=False, cwd=workspace, env={"HOME": str(home)}, sandbox="workspace")
    async with Service(registry, asker=person) as made:
        yield made


async def test_outside_a_person_is_asked_and_the_command_runs(service: Service, place: Path, person: Person) -> None:
    inside = await service.run(f"touch {place}/made; x=1", wait=PATIENCE)
    assert not (place / "made").exists() and person.asked == []
    outside = await service.run(f"touch {place}/made", outside=True, wait=PATIENCE)
    assert outside.outcome.exit_code == 0 and (place / "made").exists()
    assert [decision.reason for decision in person.asked] == [OUTSIDE]
    assert outside.outcome.terminal_id != inside.outcome.terminal_id
    again = await service.run("echo $x", wait=PATIENCE)
    assert (again.outcome.terminal_id, again.outcome.output) == (inside.outcome.terminal_id, "1\n")


async def test_it_runs_in_the_directory_of_the_terminal_inside(service: Service, place: Path) -> None:
    await service.run("mkdir -p below && cd below", task="a", wait=PATIENCE)
    outside = await service.run("pwd", task="a", outside=True, wait=PATIENCE)
    assert outside.outcome.output == f"{place}/work/below\n"
    await service.run("cd ..", task="a", wait=PATIENCE)
    outside = await service.run("pwd", task="a", outside=True, wait=PATIENCE)
    assert outside.outcome.output == f"{place}/work\n"
    await service.run("mkdir /tmp/private-to-it && cd /tmp/private-to-it", task="a", wait=PATIENCE)
    with pytest.raises(truetty.SpawnFailed, match="no such directory"):
        await service.run("pwd", task="a", outside=True, wait=PATIENCE)


async def test_a_no_is_a_no(service: Service, place: Path, person: Person) -> None:
    person.says_yes = False
    with pytest.raises(truetty.Denied, match="outside of the sandbox"):
        await service.run(f"touch {place}/made", outside=True, wait=PATIENCE)
    assert not (place / "made").exists() and service.registry.list() == []


async def test_where_nobody_can_be_asked_nothing_runs_outside(place: Path, workspace: Path, home: Path) -> None:
    registry = Registry(shell="bash", rc=False, cwd=workspace, env={"HOME": str(home)}, sandbox="workspace")
    async with Service(registry) as service:
        with pytest.raises(truetty.Denied):
            await service.run(f"touch {place}/made", outside=True, wait=PATIENCE)
    assert not (place / "made").exists()


async def test_every_command_and_key_in_a_terminal_outside_is_asked_for(service: Service, person: Person) -> None:
    outside = await service.run("cat", outside=True, wait=PATIENCE)
    id, terminal = outside.outcome.command_id, outside.outcome.terminal_id
    assert len(person.asked) == 1
    await service.send(id, "text\n", wait=0)
    assert len(person.asked) == 2 and OUTSIDE in person.asked[1].reason
    person.says_yes = False
    with pytest.raises(truetty.Denied):
        await service.send(id, "more\n", wait=0)
    await service.stop(id)
    with pytest.raises(truetty.Denied):
        await service.run("true", terminal=terminal, wait=PATIENCE)
    assert len(person.asked) == 4


async def test_what_a_rule_denies_is_denied_outside_too(
    place: Path, workspace: Path, home: Path, person: Person
) -> None:
    registry = Registry(shell="bash", rc=False, cwd=workspace, env={"HOME": str(home)}, sandbox="workspace")
    policy = Policy([Rule("deny", prefix="touch")], default="allow")
    async with Service(registry, asker=person, policy=policy) as service:
        with pytest.raises(truetty.Denied):
            await service.run(f"touch {place}/made", outside=True, wait=PATIENCE)
        assert person.asked == []
        assert (await service.run("echo hi", wait=PATIENCE)).outcome.output == "hi\n" and person.asked == []
        assert (await service.run("echo hi", outside=True, wait=PATIENCE)).outcome.output == "hi\n"
        assert len(person.asked) == 1


async def test_without_a_sandbox_there_is_no_outside(home: Path, person: Person) -> None:
    async with Service(Registry(shell="bash", rc=False, cwd=home, env={"HOME": str(home)}), asker=person) as service:
        first = await service.run("true", wait=PATIENCE)
        second = await service.run("true", outside=True, wait=PATIENCE)
        assert first.outcome.terminal_id == second.outcome.terminal_id and person.asked == []
        with pytest.raises(truetty.Misuse, match="name either"):
            await service.run("true", terminal=first.outcome.terminal_id, outside=True)


async def test_an_agent_learns_of_it(service: Service, place: Path, person: Person) -> None:
    refused = await functions.call(service, "run", {"command": f"touch {place}/made", "wait": PATIENCE})
    assert "outside=true" in refused.text and not (place / "made").exists()
    ran = await functions.call(service, "run", {"command": f"touch {place}/made", "outside": True, "wait": PATIENCE})
    assert ran.data["exit_code"] == 0 and (place / "made").exists() and len(person.asked) == 1
