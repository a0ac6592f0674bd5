"""Leases: who may type, when a lease is over, and what is told of what a person has run."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import truetty
from tests.rows import each_row
from tests.service.house import TurnedClock
from tests.stage import PATIENCE, until
from truetty.policy import Audit
from truetty.service.leases import IDLE_SECONDS, LOST_SECONDS, Lease, LeaseEnd, LeaseRecord, Leases
from truetty.service.registry import Registry
from truetty.service.service import Service
from truetty.service.typing import Typist


@pytest.fixture
async def service(home: Path) -> AsyncIterator[Service]:
    async with Service(Registry(shell="bash", rc=False, cwd=home, env={"HOME": str(home)})) as made:
        yield made


def at_prompt(terminal: truetty.Terminal) -> bool:
    return terminal.screen().text.splitlines()[-1:] != [] and terminal.screen().text.rstrip()[-1:] in "$#%>"


async def typed(service: Service, lease: Lease, text: str, shown: str) -> None:
    terminal = service.registry.get(lease.terminal_id)
    await service.type(lease.terminal_id, text, by=Typist(lease.id))
    await until(lambda: shown in terminal.screen().text)


async def ran(service: Service, lease: Lease, text: str, shown: str) -> None:
    """A person waits for the prompt."""
    terminal = service.registry.get(lease.terminal_id)
    await until(lambda: at_prompt(terminal))
    await typed(service, lease, text, shown)
    await until(lambda: at_prompt(terminal))


async def test_while_a_person_has_it_nothing_else_happens_there(service: Service) -> None:
    id = (await service.run("true", task="a", wait=PATIENCE)).outcome.terminal_id
    lease = service.lease(id, "ana", "to look")
    with pytest.raises(truetty.Held, match=rf"terminal {id} is held by ana \(to look\). Nothing was run.") as held:
        await service.run("echo no", terminal=id)
    assert (held.value.code, held.value.holder, held.value.terminal_id) == ("held", "ana", id)
    for refused in (service.type(id, "x"), service.type(id, "x", by=Typist("L" + "x" * 24))):
        with pytest.raises(truetty.Held, match="Nothing was typed"):
            await refused
    with pytest.raises(truetty.Held):
        service.lease(id, "bob", "")
    elsewhere = await service.run("echo yes", task="a", wait=PATIENCE)
    assert elsewhere.outcome.output == "yes\n" and elsewhere.outcome.terminal_id != id
    end = service.leases.give_back(id, lease.id)
    assert end.did == ()
    with pytest.raises(truetty.Held, match=f"this lease of {id} is over"):
        await service.type(id, "x", by=Typist(lease.id))
    assert (await service.run("echo yes", terminal=id, wait=PATIENCE)).outcome.notes == ()


async def test_an_agent_types_nothing_into_a_command_that_a_person_has(service: Service) -> None:
    asked = await service.run("read -p 'Sure? ' x; echo \"<$x>\"", wait=PATIENCE)
    lease = service.lease(asked.outcome.terminal_id, "ana", "")
    with pytest.raises(truetty.Held):
        await service.send(asked.outcome.command_id, "no\n")
    with pytest.raises(truetty.Held):
        service.handoff(asked.outcome.command_id, "a password")
    await service.type(asked.outcome.terminal_id, "yes\r", by=Typist(lease.id))
    outcome = (await service.wait(asked.outcome.command_id, timeout=PATIENCE, until="finished")).outcome
    assert outcome.output == "Sure? yes\n<yes>\n"
    end = service.leases.give_back(lease.terminal_id, lease.id)
    assert [tuple(one) for one in end.did] == [("read -p 'Sure? ' x; echo \"<$x>\"", 0)]


@each_row("shell", ["bash", "zsh", "fish", "dash"])
async def test_what_a_person_has_run_is_told(home: Path, shell: str) -> None:
    async with Service(Registry(shell=shell, rc=False, cwd=home, env={"HOME": str(home)})) as service:
        told: list[Lease | LeaseEnd] = []
        service.leases.listen(told.append)
        id = (await service.run("true", wait=PATIENCE)).outcome.terminal_id
        lease = service.lease(id, "ana", "")
        await ran(service, lease, "\x15", "")
        await typed(service, lease, "fal", "fal")
        await typed(service, lease, "sx\x7fe\r", "false\n")
        await ran(service, lease, "sh -c 'echo o''ne; exit 7'\r", "\none")
        await ran(service, lease, "echo t''wo\r", "\ntwo")
        end = service.leases.give_back(id, lease.id)
        assert [tuple(one) for one in end.did] == [
            ("false", 1),
            ("sh -c 'echo o''ne; exit 7'", 7),
            ("echo t''wo", 0),
        ]
        assert told == [lease, end]
        after = (await service.run("echo three", terminal=id, wait=PATIENCE)).outcome
        assert after.output == "three\n"
        lines = "false (exit code 1); sh -c 'echo o''ne; exit 7' (exit code 7); echo t''wo (exit code 0)"
        assert after.notes == (f"A person (ana) had this terminal and ran: {lines}.",)
        assert (await service.run("true", terminal=id, wait=PATIENCE)).outcome.notes == ()


async def test_lines_that_are_pasted_together(service: Service) -> None:
    id = (await service.run("true", wait=PATIENCE)).outcome.terminal_id
    lease = service.lease(id, "ana", "")
    await ran(service, lease, "(exit 3)\rfalse\recho e''nd\r", "\nend")
    end = service.leases.give_back(id, lease.id)
    assert [tuple(one) for one in end.did] == [("(exit 3)", 3), ("false", 1), ("echo e''nd", 0)]


async def test_what_still_runs_has_no_exit_code(service: Service) -> None:
    id = (await service.run("true", wait=PATIENCE)).outcome.terminal_id
    lease = service.lease(id, "ana", "")
    await until(lambda: at_prompt(service.registry.get(id)))
    await typed(service, lease, "echo b''egun; cat\r", "\nbegun")
    end = service.leases.give_back(id, lease.id)
    assert [tuple(one) for one in end.did] == [("echo b''egun; cat", None)]


async def test_a_lease_ends_by_itself(service: Service) -> None:
    clock, told = TurnedClock(), list[Lease | LeaseEnd]()
    leases = Leases(clock, clock.time)
    leases.listen(told.append)
    terminal = await service.registry.open()
    leases.take(terminal, "ana", "")
    clock.turn(IDLE_SECONDS - 1)
    leases.use(terminal.id, "x")
    clock.turn(IDLE_SECONDS - 1)
    assert leases.of(terminal.id) is not None
    clock.turn(1)
    assert leases.of(terminal.id) is None
    assert isinstance(told[-1], LeaseEnd) and told[-1].why == "No key was pressed for 10 minutes."

    leases.take(terminal, "ana", "")
    first, second = leases.join(terminal.id), leases.join(terminal.id)
    first()
    clock.turn(LOST_SECONDS + 1)
    assert leases.of(terminal.id) is not None
    second()
    clock.turn(LOST_SECONDS - 1)
    third = leases.join(terminal.id)
    clock.turn(LOST_SECONDS + 1)
    assert leases.of(terminal.id) is not None
    third()
    clock.turn(LOST_SECONDS)
    assert leases.of(terminal.id) is None
    assert isinstance(told[-1], LeaseEnd) and told[-1].why == "The connection was lost."

    leases.take(terminal, "ana", "")
    await terminal.close()
    assert leases.of(terminal.id) is None
    with pytest.raises(truetty.Closed):
        leases.take(terminal, "ana", "")


async def test_the_size_is_as_it_was_before(service: Service) -> None:
    terminal = await service.registry.open(size=(80, 24))
    lease = service.lease(terminal.id, "ana", "")
    await terminal.resize(60, 10)
    service.leases.give_back(terminal.id, lease.id)
    await until(lambda: terminal.size == (80, 24))


async def test_what_is_recorded(home: Path, tmp_path: Path) -> None:
    audit = tmp_path / "audit"
    async with Service(Registry(shell="bash", rc=False, cwd=home), audit=Audit(audit)) as service:
        terminal = await service.registry.open()
        lease = service.lease(terminal.id, "ana", "")
        await typed(service, lease, "hunter2", "hunter2")
        service.leases.give_back(terminal.id, lease.id)
    lines = [json.loads(line) for line in audit.read_text().splitlines()]
    assert [(line["event"], line["answered_by"]) for line in lines] == [("handoff", "person"), ("given back", "person")]
    assert lines[1]["characters"] == 7 and "hunter2" not in audit.read_text() and lease.id not in audit.read_text()


async def test_the_size_of_the_window_stays_for_a_person_who_comes_again(service: Service) -> None:
    clock = TurnedClock()
    terminal = await service.registry.open()
    usual, record = terminal.size, LeaseRecord("ana", "", 0.0, size=terminal.size)
    for comes_again in (True, False):
        leases = Leases(clock, clock.time)
        await terminal.resize(90, 30)
        leases.adopt(terminal, record)  # of a process that was killed
        assert terminal.size == (90, 30)
        if comes_again:
            lease = leases.take(terminal, "ana", "")
            clock.turn(LOST_SECONDS)
            assert terminal.size == (90, 30)
            leases.give_back(terminal.id, lease.id)
        else:
            clock.turn(LOST_SECONDS)
        await leases.close()
        assert terminal.size == usual
