"""A refused call has done nothing: each verb is refused for everything it can be, and then what it did is looked at."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import eventually
from truetty import functions
from truetty.core.errors import Denied
from truetty.functions import Result
from truetty.policy import Audit, Decision, Policy
from truetty.service.handoffs import Handoff
from truetty.service.registry import Registry
from truetty.service.service import Service
from truetty.until import Match

PATIENCE = 60.0


@pytest.fixture
async def service(home: Path) -> AsyncIterator[Service]:
    async with Service(registry(home)) as made:
        yield made


def registry(home: Path) -> Registry:
    return Registry(shell="bash", rc=False, cwd=home, env={"HOME": str(home)})


async def refused(service: Service, name: str, **sent: object) -> Result:
    result = await functions.call(service, name, sent)
    assert result.error is not None and result.data["error"] is not None, result.text
    return result


async def started(service: Service, command: str) -> str:
    ran = await functions.call(service, "run", {"command": command, "wait": PATIENCE})
    assert ran.error is None, ran.text
    return str(ran.data["command_id"])


@pytest.mark.parametrize(
    "wrong",
    [
        *({"until": words} for words in ("setled", "match:(", r"match:(a)\1", "port:x", "port:0", "idle:x", "idle:-1")),
        *({"wait": value} for value in (-1, "soon", True)),
        {"kill_after": -1},
        {"kill_after": "later"},
        {"max_output_tokens": 1.5},
        {"background": "perhaps"},
        {"comand": "x"},
        {"terminal_id": "t0"},
        {"terminal_id": "t0", "cwd": "/"},
        {"cwd": "/nowhere/at/all"},
        {"shell": "/no/such/shell"},
        {"command": "touch made\0"},
        {"command": " "},
    ],
    ids=str,
)
async def test_run(service: Service, home: Path, wrong: dict[str, object]) -> None:
    await refused(service, "run", **{"command": "touch made", **wrong})
    assert service.terminals() == [] and not (home / "made").exists()


async def test_run_in_a_terminal_that_is_busy(service: Service, home: Path) -> None:
    id = await started(service, "cat")
    terminal = service.command(id).terminal_id
    await refused(service, "run", command="touch made", terminal_id=terminal)
    assert [one.id for one in service.terminals()] == [terminal] and service.command(terminal).id == id
    assert not (home / "made").exists()


@pytest.mark.parametrize(
    ("verb", "sent", "name"),
    [("run", "command", "cwd"), ("run", "command", "shell"), ("send", "id", "keys")],
)
async def test_a_long_value_is_not_sent_back_whole(service: Service, verb: str, sent: str, name: str) -> None:
    id = await started(service, "true")
    result = await refused(service, verb, **{sent: id, name: "x" * 100_000})
    assert len(result.text) < 2000 and len(json.dumps(result.data)) < 10_000 and "xxx … xxx" in result.text


async def test_run_with_the_key_of_another_request(service: Service, home: Path) -> None:
    await functions.call(service, "run", {"command": "true", "key": "k", "wait": PATIENCE})
    await refused(service, "run", command="touch made", key="k", task="other")
    assert len(service.terminals()) == 1 and not (home / "made").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"keys": ["NoSuchKey"]},
        {"keys": ["Enter", "C-C-c"]},
        {"keys": [""]},
        {"keys": [1]},
        {"wait": -1},
        {"enter": "perhaps"},
        {"max_output_tokens": "many"},
        {"txt": "x"},
    ],
    ids=str,
)
async def test_send(service: Service, wrong: dict[str, object]) -> None:
    id = await started(service, "cat")
    transcript = service.registry.get(service.command(id).terminal_id).transcript
    before = transcript.size
    await refused(service, "send", **{"id": id, "text": "half", **wrong})
    await functions.call(service, "send", {"id": id, "text": "whole", "enter": True, "wait": 0})
    await eventually(lambda: transcript.read(before).count(b"\n") == 2, "what was typed, and what cat made of it")
    assert transcript.read(before) == b"whole\r\nwhole\r\n"


@pytest.mark.parametrize(
    "wrong",
    [
        {"grep": "("},
        {"grep": r"(a)\1"},
        {"limit": -1},
        {"tail": 1.5},
        {"offset": -1},
        {"context": "all"},
        {"limits": 3},
    ],
    ids=str,
)
async def test_read(service: Service, wrong: dict[str, object]) -> None:
    """What was refused counts as read nowhere."""
    id = (await service.start("echo one")).id
    await service.command(id).wait(PATIENCE, "finished")
    await refused(service, "read", **{"id": id, **wrong})
    assert (await functions.call(service, "read", {"id": id})).data["output"] == "one\n"


@pytest.mark.parametrize(
    "wrong", [{"for": "ever"}, {"match": "("}, {"port": 99999}, {"idle": -1}, {"wait": "x"}, {"untill": "exit"}]
)
async def test_wait(service: Service, home: Path, wrong: dict[str, object]) -> None:
    """Output that a refused wait would have returned is still new to the next pattern."""
    id = await started(service, "echo ready; cat")
    command = service.command(id)
    await command.send("go\n")
    await command.changes.until(lambda: command.output.raw().endswith(b"go\r\ngo\r\n"), PATIENCE)
    await refused(service, "wait", **{"id": id, **wrong})
    await command.wait(PATIENCE, Match("go\ngo"))
    assert command.reached == "match" and not command.finished


@pytest.mark.parametrize(
    ("verb", "wrong"),
    [
        *(("stop", wrong) for wrong in ({"close": "perhaps"}, {"max_output_tokens": -1}, {"clsoe": True})),
        *(("handoff", wrong) for wrong in ({"reason": 3}, {"wait": -1}, {"reson": "x"})),
    ],
    ids=str,
)
async def test_the_rest(service: Service, verb: str, wrong: dict[str, object]) -> None:
    """The command goes on, its terminal is open, and the agent may still type there."""
    id = await started(service, "cat")
    await refused(service, verb, id=id, **wrong)
    assert service.command(id).state == "waiting" and len(service.terminals()) == 1
    typed = await functions.call(service, "send", {"id": id, "text": "on\n", "wait": PATIENCE})
    assert typed.error is None and service.command(id).state == "waiting"


@pytest.mark.parametrize("verb", ["read", "wait", "send", "screen", "stop", "handoff"])
@pytest.mark.parametrize("sent", [{}, {"id": "t0"}], ids=["no id", "unknown id"])
async def test_an_id_that_is_not_there(service: Service, verb: str, sent: dict[str, object]) -> None:
    id = await started(service, "cat")
    assert (await refused(service, verb, **sent)).error == "unknown_terminal"
    assert service.command(id).state == "waiting" and len(service.terminals()) == 1


# -- refused by a policy


async def test_a_denied_command_opens_no_terminal_and_is_in_the_audit(home: Path) -> None:
    log = home / "audit"
    policy = Policy((), default="deny")
    async with Service(registry(home), policy=policy, audit=Audit(log)) as service:
        assert (await refused(service, "run", command="touch made")).error == "denied"
        assert service.terminals() == [] and not (home / "made").exists()
    (line,) = map(json.loads, log.read_text().splitlines())
    assert (line["command"], line["verdict"], line["terminal"]) == ("touch made", "deny", None)


async def test_a_command_that_a_person_declines_opens_no_terminal(home: Path) -> None:
    seen: list[int] = []

    async def no(decision: Decision) -> bool | None:
        seen.append(len(made.list()))
        return False

    made = registry(home)
    async with Service(made, policy=Policy((), default="ask"), asker=no) as service:
        assert (await refused(service, "run", command="touch made")).error == "denied"
        assert (seen, made.list()) == ([0], []) and not (home / "made").exists()


@pytest.mark.parametrize("default", ["deny", "ask", "allow"])
async def test_under_a_policy_a_shell_is_a_name_and_no_path(home: Path, default: str) -> None:
    """A program of any kind would start, with no line of its own in the audit."""
    program, log = home / "bash", home / "audit"
    program.write_text(f"#!/bin/sh\ntouch {home}/made\nexec /bin/bash\n")
    program.chmod(0o755)
    policy = Policy.from_lists({"deny": ["rm"]}, default=default, typing="allow")  # type: ignore[arg-type]
    async with Service(registry(home), policy=policy, audit=Audit(log)) as service:
        result = await refused(service, "run", command="ls", shell=str(program))
        assert result.error == "denied" and service.terminals() == [] and not (home / "made").exists()
    (line,) = map(json.loads, log.read_text().splitlines())
    assert line["verdict"] == "deny" and str(program) in line["reason"]


@pytest.mark.parametrize("shell", ["make", "env", "python3", "bash ", "bash\n", "", "bash5", "/bin/bash", "./bash"])
async def test_under_a_policy_a_shell_is_one_of_the_known_names(home: Path, shell: str) -> None:
    """`make` obeys the Makefile of the directory; a name with blanks or a version is no name of the table."""
    (home / "Makefile").write_text(f"all:\n\ttouch {home}/made\n")
    log = home / "audit"
    policy = Policy.from_lists({"deny": ["rm"]}, default="allow", typing="allow")
    async with Service(registry(home), policy=policy, audit=Audit(log)) as service:
        with pytest.raises(Denied, match="no shell is named"):
            await service.start("ls", shell=shell, cwd=home)
        assert service.terminals() == [] and service.registry.places == 0
    assert not (home / "made").exists()
    (line,) = map(json.loads, log.read_text().splitlines())
    assert (line["verdict"], line["command"]) == ("deny", "ls")


async def test_under_a_policy_the_known_shells_start(home: Path) -> None:
    policy = Policy.from_lists({"allow": ["echo"]}, default="deny")
    async with Service(registry(home), policy=policy) as service:
        for shell in ("sh", "dash", "busybox", "bash"):
            assert (await service.run("echo there", shell=shell, wait=PATIENCE)).outcome.output == "there\n"


async def test_refused_typing_is_in_the_audit_and_so_is_a_handoff(home: Path) -> None:
    log = home / "audit"
    async with Service(registry(home), audit=Audit(log), clock=lambda: 7.0) as service:
        id = await started(service, "read -s -p 'Password: ' x")
        await refused(service, "send", id=id, text="hunter2\n")
        handoffs: list[Handoff] = []
        offer = {"id": id, "reason": "the password"}
        assert (await functions.call(service, "handoff", offer, on_handoff=handoffs.append)).error is None
        await refused(service, "send", id=id, text="hunter3\n")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["verdict"] for line in lines] == ["allow", "deny", "allow", "deny", "allow"]
    assert [line["event"] for line in lines] == ["command", "typing", "handoff", "typing", "given back"]
    assert "secret" in lines[1]["reason"] and "the password" in lines[2]["reason"] and "a person" in lines[3]["reason"]
    assert "hunter" not in log.read_text() and {line["task"] for line in lines} == {"agent"}
    assert {line["terminal"] for line in lines} == {id.partition("-")[0]}


async def test_a_handoff_whose_person_cannot_be_reached_leaves_the_agent_its_terminal(service: Service) -> None:
    def fail(handoff: Handoff) -> None:
        raise OSError("no page can be opened")

    id = await started(service, "read x; echo $x")
    handed = await functions.call(service, "handoff", {"id": id}, on_handoff=fail)
    assert handed.error is not None
    sent = await functions.call(service, "send", {"id": id, "text": "mine", "enter": True, "wait": PATIENCE})
    assert sent.error is None and sent.data["state"] == "finished"


async def test_a_handoff_to_nobody_leaves_the_agent_its_terminal(service: Service) -> None:
    id = await started(service, "read x; echo $x")
    assert (await refused(service, "handoff", id=id)).error == "denied"
    sent = await functions.call(service, "send", {"id": id, "text": "mine", "enter": True, "wait": PATIENCE})
    assert sent.error is None and sent.data["state"] == "finished"


@pytest.mark.parametrize("name", [["x"], {}, None, 3, "x"], ids=str)
async def test_what_is_no_name_of_a_function_is_refused(service: Service, name: object) -> None:
    result = await functions.call(service, name, {})  # type: ignore[arg-type]
    assert result.error == "misuse" and "there are run, read" in result.text


async def test_a_restart_with_a_text_that_no_shell_takes_ends_no_bash(service: Service) -> None:
    bash = functions.Bash(service, wait=PATIENCE)
    await bash.call({"command": "x=kept"})
    assert (await bash.call({"restart": True, "command": "a\0b"})).error is not None
    assert (await bash.call({"command": "echo $x"})).data["output"] == "kept\n"


async def test_keys_with_one_that_is_not_there_are_no_signal_of_ours(service: Service) -> None:
    command = service.command((await service.start("sleep 1000", task="a")).id)
    with pytest.raises(truetty.BadKey):
        await command.press("C-c", "NoSuchKey")
    assert command.state == "running"
