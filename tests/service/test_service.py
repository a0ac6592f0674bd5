"""The verbs every surface offers: what they do, what they refuse, and what they tell."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, eventually
from truetty.core.until import Idle, Input
from truetty.policy import Audit, Decision, Policy
from truetty.service import handoffs
from truetty.service.notices import Delivery, Notice, delivery
from truetty.service.registry import Registry
from truetty.service.service import Service

PASSWORD = "sh -c 'stty -echo; printf \"Password: \"; read a; stty echo; echo; echo ${#a}'"


@pytest.fixture
async def service(home: Path) -> AsyncIterator[Service]:
    async with Service(Registry(shell="bash", rc=False, cwd=home, env={"HOME": str(home)})) as made:
        yield made


async def test_run_keeps_the_state_of_a_task(service: Service, home: Path) -> None:
    first = await service.run("cd / && x=1", task="a", wait=PATIENCE)
    assert (first.outcome.state, first.reached) == ("finished", "exit")
    again = await service.run("echo $x $PWD", task="a", wait=PATIENCE)
    assert again.outcome.output == "1 /\n" and again.outcome.terminal_id == first.outcome.terminal_id
    other = await service.run("echo $x $PWD", task="b", wait=PATIENCE)
    assert other.outcome.output == f"{home}\n" and other.outcome.terminal_id != first.outcome.terminal_id


async def test_the_same_request_runs_once(service: Service, home: Path) -> None:
    reports = await asyncio.gather(
        *(service.run(f"echo x >> {home}/ran; echo ran", task="a", key="k1", wait=PATIENCE) for _ in range(10))
    )
    assert {report.outcome.command_id for report in reports} == {reports[0].outcome.command_id}
    assert (home / "ran").read_text() == "x\n"
    late = await service.run(f"echo x >> {home}/ran; echo ran", task="a", key="k1", wait=PATIENCE)
    assert late.outcome.output == "ran\n" and (home / "ran").read_text() == "x\n"
    with pytest.raises(truetty.Misuse, match="was another one"):
        await service.run("echo other", key="k1")
    with pytest.raises(truetty.BadCommand):
        await service.run(" ", key="k2")
    assert (await service.run("echo now", key="k2", wait=PATIENCE)).outcome.output == "now\n"  # nothing had run


async def test_unknown_ids_are_answered_with_those_of_open_terminals(service: Service) -> None:
    ended = await service.run("exit 3", task="a", wait=PATIENCE)
    with pytest.raises(truetty.UnknownTerminal, match="no command or terminal 't999'; none is open: run opens one"):
        await service.wait("t999")
    open = await service.run("true", task="a", wait=PATIENCE)
    with pytest.raises(truetty.UnknownTerminal) as refused:
        await service.wait("t999")
    assert str(refused.value) == f"no command or terminal 't999'; open: {open.outcome.terminal_id}"
    assert (await service.read(ended.outcome.command_id)).outcome.exit_code == 3


async def test_waiting_sending_stopping(service: Service) -> None:
    report = await service.run("read -p 'go on? [y/N] ' a; echo got $a; sleep 600", task="a", wait=PATIENCE)
    assert (report.outcome.state, report.reached) == ("waiting", "input")
    id = report.outcome.command_id
    assert "go on?" in service.screen(id).text
    await service.send(id, "y\n", wait=0)
    await eventually(lambda: "got y" in service.command(id).output.text(), "the answer in the output")
    report = await service.wait(id, timeout=PATIENCE, until=Idle(0.1))
    assert report.reached == "idle" and report.outcome.state == "running"
    report = await service.stop(report.outcome.terminal_id)
    assert (report.outcome.state, report.outcome.signal) == ("finished", "SIGINT")
    with pytest.raises(truetty.Misuse, match="has finished"):
        await service.send(id, "more\n")
    await service.stop(id, close=True)
    assert service.terminals() == []


async def test_surviving_children_are_named(service: Service) -> None:
    report = await service.run("sleep 600 & true", task="a", wait=PATIENCE)
    assert report.outcome.notes[0].startswith("still running in the background: ")


async def test_reading_by_pages(service: Service) -> None:
    report = await service.run("seq 1 100000", task="a", wait=PATIENCE)
    id, text, offset = report.outcome.command_id, "", 0
    while True:
        page = await service.read(id, offset=offset, limit=50_000)
        text += page.visible.text
        if page.visible.next_offset is None:
            break
        offset = page.visible.next_offset
    assert text == "".join(f"{number}\n" for number in range(1, 100_001))
    found = await service.read(id, grep="^9999[0-9]$")
    assert found.matches is not None
    assert [match.line for match in found.matches] == [str(number) for number in range(99_990, 100_000)]
    assert (await service.read(id, tail=2)).visible.text == "99999\n100000\n"
    assert (await service.read(id)).visible.text.startswith("1\n") and (await service.read(id)).visible.text == ""


async def test_secrets_are_for_people(service: Service) -> None:
    report = await service.run(PASSWORD, task="a", wait=PATIENCE)
    id = report.outcome.command_id
    assert report.outcome.waiting is not None and report.outcome.waiting.kind == "secret"
    with pytest.raises(truetty.Denied, match="secret"):
        await service.send(id, "guess\n")
    handoff = service.handoff(id, "the password")
    assert handoff.ticket not in repr(handoff)
    with pytest.raises(truetty.Denied, match="a person has terminal"):
        await service.send(id, "guess\n")
    with pytest.raises(truetty.Denied):
        await service.handoffs.type("x" * len(handoff.ticket), "hunter2\n")
    await service.handoffs.type(handoff.ticket, "hunter2\n")
    report = await service.wait(id, timeout=PATIENCE)
    assert (report.outcome.state, report.outcome.output) == ("finished", "Password: \n7\n")
    with pytest.raises(truetty.Misuse, match="has finished"):
        service.handoff(id, "again")


async def test_a_terminal_is_given_back(service: Service) -> None:
    id = (await service.run("read a; echo got $a", task="a", wait=PATIENCE)).outcome.command_id
    handoff = service.handoff(id, "look at this")
    service.handoffs.give_back(handoff.ticket)
    report = await service.send(id, "mine\n", wait=PATIENCE)
    assert report.outcome.output.endswith("got mine\n")


async def test_what_happened_meanwhile_is_told_once(service: Service, home: Path) -> None:
    heard: list[Notice] = []

    async def listen(notice: Notice) -> None:
        heard.append(notice)

    service.notices.listen(listen)
    go_on = f"until [ -e {home}/go ]; do sleep 0.01; done"  # both answers say that it runs, and no more
    silent = await service.run(f"{go_on}; sh -c 'exit 5'", task="a", wait=0)
    asking = await service.run(f"{go_on}; read -p 'name? ' x", task="b", wait=0)
    assert silent.outcome.state == asking.outcome.state == "running"
    (home / "go").touch()
    await eventually(lambda: len(heard) == 2, "both notices")
    told = {notice.command_id: notice for notice in heard}
    assert told[silent.outcome.command_id].what == "finished" and told[silent.outcome.command_id].exit_code == 5
    assert told[asking.outcome.command_id].what == "waiting" and told[asking.outcome.command_id].prompt == "name? "
    report = await service.run("true", task="c", wait=PATIENCE)
    assert {notice.command_id for notice in report.notices} == set(told)
    assert (await service.run("true", task="c", wait=PATIENCE)).notices == ()


async def test_what_was_reported_is_no_news(service: Service) -> None:
    report = await service.run("sleep 0.1", task="a", wait=0)
    assert (await service.wait(report.outcome.command_id, timeout=PATIENCE)).outcome.state == "finished"
    assert (await service.run("true", task="b", wait=PATIENCE)).notices == ()


async def test_what_an_answer_tells_that_is_not_sent_is_in_the_next_one(service: Service, home: Path) -> None:
    written: list[str | None] = []
    agent = service.for_agent("a")
    service.notices.keep = lambda id, record: written.append(record.state)
    waits = await agent.run("read -p 'Sure? ' x", wait=PATIENCE)
    ends = await agent.run(f"until [ -e {home}/go ]; do sleep 0.01; done", task="b", wait=0)
    (home / "go").touch()
    await service.command(ends.outcome.command_id).wait(PATIENCE, "finished")
    await service.command(waits.outcome.command_id).send("yes\n")
    await service.command(waits.outcome.command_id).wait(PATIENCE, "finished")
    told = {waits.outcome.command_id, ends.outcome.command_id}
    for is_sent in (False, True):
        before, answer = written.copy(), Delivery()
        token = delivery.set(answer)
        assert {one.command_id for one in agent.news()} == told
        assert agent.news() == () and written == before
        delivery.reset(token)
        (answer.settle if is_sent else answer.fail)()
        assert written == [*before, *(["told"] * 2 if is_sent else [])]
    assert agent.news() == ()


async def test_asking_and_the_audit_log(home: Path) -> None:
    asked: list[Decision] = []

    async def yes_to_touch(decision: Decision) -> bool | None:
        asked.append(decision)
        return decision.command.startswith("touch")

    registry = Registry(shell="bash", rc=False, cwd=home, env={"HOME": str(home)})
    log = home / "audit.jsonl"
    policy = Policy.read_only(workspace=home)
    async with Service(registry, policy=policy, asker=yes_to_touch, audit=Audit(log), clock=lambda: 7.0) as service:
        await service.run("ls", task="a", wait=PATIENCE)
        await service.run(f"touch {home}/made", task="a", wait=PATIENCE)
        with pytest.raises(truetty.Denied, match="answer was no"):
            await service.run("rm made", task="a", wait=PATIENCE)
        assert (home / "made").exists() and [decision.command[:5] for decision in asked] == ["touch", "rm ma"]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["command"].split()[0], line["verdict"], line["answered_by"]) for line in lines] == [
        ("ls", "allow", "rule"), ("touch", "allow", "asked"), ("rm", "deny", "asked"),
    ]  # fmt: skip
    assert all(line["time"] == 7.0 and line["task"] == "a" for line in lines)


async def test_typing_is_a_permission_of_its_own(home: Path) -> None:
    registry = Registry(shell="bash", rc=False, cwd=home, env={"HOME": str(home)})
    async with Service(registry, policy=Policy((), default="allow", typing="deny")) as service:
        report = await service.run("read x", task="a", wait=PATIENCE)
        with pytest.raises(truetty.Denied, match="Typing into"):
            await service.send(report.outcome.command_id, "y\n")
        assert (await service.wait(report.outcome.command_id, timeout=0, until=Input())).outcome.state == "waiting"


async def test_a_cancelled_first_call_does_not_cancel_the_one_who_asks_again(service: Service, home: Path) -> None:
    text = f"echo x >> {home}/ran; echo ran"
    first = asyncio.ensure_future(service.run(text, task="a", key="k", wait=PATIENCE))
    await asyncio.sleep(0)
    second = asyncio.ensure_future(service.run(text, task="a", key="k", wait=PATIENCE))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).outcome.output == "ran\n" and (home / "ran").read_text() == "x\n"
    with pytest.raises(truetty.Misuse, match="was another one"):
        await service.run(text, task="a", cwd="/", key="k")


async def test_a_terminal_that_moved_while_somebody_thought_is_judged_again(home: Path) -> None:
    inside, outside = home / "in", home / "out"
    inside.mkdir()
    outside.mkdir()
    asked: list[str | None] = []

    async def slow(decision: Decision) -> bool | None:
        asked.append(decision.reason)
        if len(asked) == 1:  # while the person thinks, the terminal goes elsewhere
            await terminal.run(f"cd {outside}", wait=PATIENCE)
            return True
        return False

    registry = Registry(shell="bash", rc=False, cwd=inside, env={"HOME": str(home)})
    policy = Policy.read_only(workspace=inside)
    async with Service(registry, policy=policy, asker=slow) as service:
        terminal = await registry.acquire(task="a")
        with pytest.raises(truetty.Denied):
            await service.run("touch made", terminal=terminal.id, wait=PATIENCE)
        assert len(asked) == 2 and not (outside / "made").exists()


async def test_what_changed_while_somebody_thought_is_not_typed_into(home: Path) -> None:
    registry = Registry(shell="bash", rc=False, cwd=home, env={"HOME": str(home)})
    gate = home / "gate"

    async def slow(decision: Decision) -> bool | None:
        gate.touch()
        await eventually(lambda: command.hides_typing, "the password prompt")
        return True

    async with Service(registry, policy=Policy((), default="allow", typing="ask"), asker=slow) as service:
        ask = f"read -t 2 -p 'name? ' x; until [ -e {gate} ]; do sleep 0.02; done; read -s -p 'Password: ' p; echo $p"
        report = await service.run(f"sh -c 'sleep 0.1'; {ask}", task="a", wait=PATIENCE)
        command = service.command(report.outcome.command_id)
        with pytest.raises(truetty.Denied, match="secret"):
            await service.send(command.id, "typed\n")
        assert b"typed" not in terminal_bytes(service, command.terminal_id)


def terminal_bytes(service: Service, id: str) -> bytes:
    return service.registry.get(id).transcript.read()


async def test_denied_commands_use_up_nothing(home: Path) -> None:
    registry = Registry(shell="bash", rc=False, cwd=home, env={"HOME": str(home)}, limit=3)
    async with Service(registry, policy=Policy((), default="deny")) as service:
        for number in range(8):
            place = home / str(number)
            place.mkdir()
            with pytest.raises(truetty.Denied):
                await service.run("ls", cwd=place, task="a", wait=PATIENCE)


async def test_too_many_handoffs_are_refused(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handoffs, "MOST_HANDOFFS", 1)
    first = (await service.run("read x", task="a", wait=PATIENCE)).outcome.command_id
    second = (await service.run("read x", task="b", wait=PATIENCE)).outcome.command_id
    service.handoff(first, "one")
    with pytest.raises(truetty.LimitReached):
        service.handoff(second, "two")
    with pytest.raises(truetty.Denied, match="a person has"):
        await service.send(first, "x\n")


async def test_stopping_a_stopped_shell(service: Service) -> None:
    report = await service.run("kill -STOP $$; echo back", task="a", wait=1)
    assert report.outcome.state == "running"
    report = await service.stop(report.outcome.command_id)
    assert report.outcome.state == "finished", report


async def test_what_cannot_be_ended_is_said(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truetty.terminal.stop.GRACE", 0.2)
    report = await service.run("trap '' INT TERM; while :; do sleep 0.05; done", task="a", wait=0.3)
    report = await service.stop(report.outcome.command_id)
    assert report.outcome.state == "running" and "only closing its terminal" in report.outcome.notes[-1]
    await service.stop(report.outcome.command_id, close=True)
    assert service.terminals() == []


async def test_no_handoff_follows_a_command_once_they_are_closed(service: Service) -> None:
    id = (await service.run(PASSWORD, task="a", wait=PATIENCE)).outcome.command_id
    ticket = service.handoff(id, "the password").ticket
    before = asyncio.all_tasks()
    await service.handoffs.type(ticket, "x")
    service.handoffs.give_back(ticket)
    await service.handoffs.close()
    assert asyncio.all_tasks() <= before


async def test_a_close_that_is_cancelled_says_so(service: Service, home: Path) -> None:
    called, going = asyncio.Event(), asyncio.Event()

    async def linger(notice: Notice) -> None:
        called.set()
        try:
            await asyncio.Event().wait()
        finally:
            await going.wait()

    service.notices.listen(linger)
    await service.run(f"until [ -e {home}/go ]; do sleep 0.01; done", task="a", wait=0)
    (home / "go").touch()
    await asyncio.wait_for(called.wait(), PATIENCE)
    closing = asyncio.ensure_future(service.notices.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.sleep(0)
    going.set()
    with pytest.raises(asyncio.CancelledError):
        await closing


async def test_a_terminal_that_was_opened_is_its_openers_until_it_is_closed(service: Service) -> None:
    registry = service.registry
    opened = await registry.open(name="build", task="a")
    assert (opened.name, opened.task, registry.list()) == ("build", "a", [opened])
    await (await opened.start("true")).wait(PATIENCE)
    other = await service.run("true", task="a", wait=PATIENCE)
    assert other.outcome.terminal_id != opened.id  # not even its own task gets it by asking for any
    named = await service.run("echo $$", terminal=opened.id, wait=PATIENCE)
    assert named.outcome.output == f"{opened.pid}\n"
    registry.release("a")
    assert opened.task is None
    await opened.close()
    await eventually(lambda: opened not in registry.list(), "the terminal is closed")


async def test_a_new_terminal_inherits_its_callers_variables(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", "server")
    monkeypatch.setenv("API_TOKEN", "server's")
    show = "echo ${OURS-} ${THEIRS-} ${API_TOKEN-} ${LD_PRELOAD-} $TERM"
    given = {"PATH": "/usr/bin:/bin", "THEIRS": "caller", "API_TOKEN": "caller's", "LD_PRELOAD": "/x", "TERM": "dumb"}
    first = await service.run(show, task="a", inherited=given, wait=PATIENCE)
    assert first.outcome.output == "caller xterm-256color\n"
    again = await service.run(show, task="a", inherited={**given, "THEIRS": "later"}, wait=PATIENCE)
    assert again.outcome.output == first.outcome.output  # a task's terminal stays its own
    assert again.outcome.terminal_id == first.outcome.terminal_id


async def test_a_program_of_the_user_types_secrets(service: Service) -> None:
    report = await service.run(PASSWORD, task="a", wait=PATIENCE)
    id = report.outcome.command_id
    await service.type(id, "hunter2", keys=["Enter"])
    assert (await service.wait(id, timeout=PATIENCE)).outcome.output.endswith("7\n")
    terminal = report.outcome.terminal_id
    await service.type(terminal, b"echo at the prompt\n")
    await eventually(lambda: "at the prompt\n" in service.screen(terminal).text + "\n", "what was typed")


async def test_what_a_person_has_is_typed_into_by_no_program(service: Service) -> None:
    report = await service.run(PASSWORD, task="a", wait=PATIENCE)
    service.handoff(report.outcome.command_id, "a password")
    for id in (report.outcome.command_id, report.outcome.terminal_id):
        with pytest.raises(truetty.Denied, match="a person has terminal"):
            await service.type(id, "x\n")


async def test_under_a_policy_nothing_is_typed_at_a_prompt(home: Path) -> None:
    policy = Policy.read_only()
    async with Service(Registry(shell="bash", rc=False, cwd=home), policy=policy) as service:
        report = await service.run("true", task="a", wait=PATIENCE)
        with pytest.raises(truetty.Denied, match="at a shell's prompt"):
            await service.type(report.outcome.terminal_id, "touch x\n")
