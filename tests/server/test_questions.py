"""What the policy has a person asked, through the server: asked once, answered once, and nothing runs before."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import warm
from tests.server.live import Live, Talk
from tests.server.test_survival import kill
from truetty.server import limits

POLICY = """
[policy]
default = "ask"
allow = ["echo", "true"]
deny = ["rm"]
"""


@pytest.fixture
def asking(home: Path, make_server: Callable[..., Live], monkeypatch: pytest.MonkeyPatch) -> Live:
    folder = home / ".config" / "truetty"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "truetty.toml").write_text(POLICY)
    made = make_server()
    made.post("/v1/terminals", name="one", shell="bash", rc=False, cwd=str(home), environ=dict(os.environ))
    return made


async def opened(talk: Talk, count: int = 1) -> list[dict[str, Any]]:
    while len(found := (await talk.call("questions"))["questions"]) < count:
        pass
    return list(found)


async def events(talk: Talk, kind: str) -> dict[str, Any]:
    while not (found := [one for one in talk.events if one["event"] == kind]):
        await talk.take()
    return found[-1]


async def test_yes_and_no(asking: Live, home: Path) -> None:
    async with (
        asking.connect(**{"Truetty-Client": "agent/1"}) as talk,
        asking.connect(**{"Truetty-Client": "ana"}) as ana,
    ):
        await ana.call("listen")
        assert (await talk.call("run", command="echo allowed", terminal="one", wait=60))["output"] == "allowed\n"
        started = await talk.begin("run", command="touch made", terminal="one")
        (question,) = await opened(ana)
        assert (question["id"], question["command"], question["client"]) == ("q1", "touch made", "agent/1")
        assert (question["terminal_id"], question["suggestions"]) == ("t1", ["touch made"])
        assert (await events(ana, "question"))["question"] == question
        assert not (home / "made").exists()
        settled = await ana.call("settle", question_id="q1", answer="allow")
        assert (settled["answer"], settled["by"], settled["rule"]) == ("allow", "ana", None)
        assert (await talk.end(started))["ok"]["exit_code"] == 0 and (home / "made").exists()
        assert (await events(ana, "settled"))["question_id"] == "q1"
        again = await ana.refused("settle", question_id="q1", answer="deny")
        assert (again["code"], again["facts"]["answer"], again["facts"]["by"]) == ("settled", "allow", "ana")

        refused = await talk.begin("run", command="touch other", terminal="one")
        await opened(ana)
        await ana.call("settle", question_id="q2", answer="deny", word="not now")
        error = (await talk.end(refused))["error"]
        assert error["code"] == "denied" and error["message"].endswith('The answer was no. "not now"')
        assert not (home / "other").exists() and (await ana.call("questions"))["questions"] == []
        assert (await talk.refused("run", command="rm made", terminal="one"))["code"] == "denied"
        assert (await ana.refused("settle", question_id="q9", answer="deny"))["code"] == "unknown"


async def test_always(asking: Live) -> None:
    async with asking.connect() as talk:
        first = await talk.begin("run", command="touch a", terminal="one")
        await opened(talk)
        assert (await talk.refused("settle", question_id="q1", answer="allow", rule="touch"))["code"] == "misuse"
        assert (await talk.call("settle", question_id="q1", answer="always"))["rule"] == "touch a"
        assert (await talk.end(first))["ok"]["exit_code"] == 0
        assert (await talk.call("run", command="touch a", terminal="one", wait=60))["exit_code"] == 0
        second = await talk.begin("run", command="mkdir c", terminal="one")
        await opened(talk)
        await talk.call("settle", question_id="q2", answer="always", rule="mkdir")
        assert (await talk.end(second))["ok"]["exit_code"] == 0
        assert (await talk.call("run", command="mkdir d", terminal="one", wait=60))["exit_code"] == 0


async def test_a_rule_that_would_not_allow_the_command_is_refused(asking: Live, home: Path) -> None:
    async with asking.connect() as talk:
        number = await talk.begin("run", command="touch a && mkdir b", terminal="one")
        await opened(talk)
        for rule in ("git push", "touch"):
            error = await talk.refused("settle", question_id="q1", answer="always", rule=rule)
            assert error["code"] == "misuse" and error["message"].startswith(f"the rule '{rule}' would not allow q1, ")
        assert [one["id"] for one in await opened(talk)] == ["q1"] and not (home / "a").exists()
        await talk.call("settle", question_id="q1", answer="deny")
        assert (await talk.end(number))["error"]["code"] == "denied"
        number = await talk.begin("run", command="touch a", terminal="one")  # by neither rule
        await opened(talk)
        await talk.call("settle", question_id="q2", answer="always", rule="touch")
        assert (await talk.end(number))["ok"]["exit_code"] == 0


async def test_no_rule_allows_typing(asking: Live) -> None:
    async with asking.connect() as talk:
        number = await talk.begin("start", command="cat", terminal="one")
        await opened(talk)
        await talk.call("settle", question_id="q1", answer="allow")
        command = (await talk.end(number))["ok"]["id"]
        number = await talk.begin("send", command_id=command, text="hello", keys=["Enter"], wait=0)
        await opened(talk)
        error = await talk.refused("settle", question_id="q2", answer="always", rule="hello")
        assert "no rule allows typing" in error["message"]
        await talk.call("settle", question_id="q2", answer="allow")
        await talk.end(number)


async def test_numbers_go_on_in_the_next_server(asking: Live) -> None:
    async with asking.connect() as talk:
        await talk.begin("run", command="touch a", terminal="one")
        assert [one["id"] for one in await opened(talk)] == ["q1"]
        kill(asking)
    kill(asking)  # what the journal begins anew with has the number, too
    async with asking.connect() as talk:
        await talk.begin("run", command="touch b", terminal="one")
        assert [one["id"] for one in await opened(talk)] == ["q2"]
        assert (await talk.refused("settle", question_id="q1", answer="allow"))["code"] == "unknown"


async def test_a_caller_whose_patience_is_over_takes_it_back(asking: Live, home: Path) -> None:
    async with asking.connect() as ana:
        await ana.call("listen")
        error = await ana.refused("run", command="touch made", terminal="one", wait=0.01)
        assert error["code"] == "denied" and error["message"].endswith("No person has answered within 0.01 s.")
        async with asking.connect() as talk:
            await talk.begin("start", command="touch made", terminal="one")
            await opened(ana)
        while (await ana.call("questions"))["questions"]:
            pass
        assert (await events(ana, "settled"))["answer"] is None
        assert (await ana.refused("settle", question_id="q2", answer="allow"))["code"] == "settled"
        with asking.reach() as made:  # over plain HTTP
            body = b'{"command": "touch made", "terminal": "one"}'
            head = f"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
            made.sendall(head.encode() + b"\r\n\r\n" + body)
            await opened(ana)
            made.shutdown(socket.SHUT_RDWR)
        while (await ana.call("questions"))["questions"]:
            pass
        assert not (home / "made").exists()


async def test_there_are_not_too_many(asking: Live) -> None:
    async with asking.connect() as talk, asking.connect() as ana:
        for _ in range(limits.MOST_QUESTIONS):
            await talk.begin("start", command="touch made", terminal="one")
        await opened(ana, limits.MOST_QUESTIONS)
        assert (await ana.refused("start", command="touch made", terminal="one"))["code"] == "limit_reached"


async def test_on_the_command_line(asking: Live, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = {**os.environ, "TRUETTY_STATE": asking.place.folder}

    def run(*words: str) -> tuple[int, str, str]:
        done = warm.run(*words, stdin=None, env=env)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    assert run("questions") == (0, "", "no questions are open\n")
    async with asking.connect(**{"Truetty-Client": "agent/1"}) as talk:
        number = await talk.begin("run", command="touch a", terminal="one")
        await opened(talk)
        status, listed, _ = run("questions")
        assert (status, listed) == (
            0,
            "q1  touch a\n    No rule allows `touch a`.\n    in t1, by agent/1\n    always: touch a\n",
        )
        assert run("deny", "q1", "not now") == (0, "", "")
        assert 'no. "not now"' in (await talk.end(number))["error"]["message"]
        number = await talk.begin("run", command="touch a", terminal="one")
        await opened(talk)
        assert run("allow", "q2", "--always") == (0, "allowed from now on: touch a\n", "")
        assert (await talk.end(number))["ok"]["exit_code"] == 0
        status, _, complaint = run("allow", "q2")
        assert status == 125 and re.match(r"truetty: q2 is settled: always, by \S+@\S+ with truetty/", complaint)


# -- typing

READS = "read -p 'Sure? ' x; echo \"got $x\""


async def waiting(talk: Talk, ana: Talk, command: str = READS) -> dict[str, Any]:
    """A command that was allowed, and asks."""
    started = await talk.begin("run", command=command, terminal="one")
    (question,) = await opened(ana)
    await ana.call("settle", question_id=question["id"], answer="allow")
    assert (await talk.end(started))["ok"]["state"] == "waiting"
    return dict(await talk.call("command", command_id="t1-1"))


def typing(verb: str, stands: dict[str, Any]) -> dict[str, Any]:
    match verb:
        case "type":
            return {"command_id": "t1-1", "text": "yes", "keys": ["Enter"]}
        case "type_in":
            return {"terminal_id": "one", "text": "yes", "keys": ["Enter"]}
    return {"command_id": "t1-1", "text": "yes", "episode": stands["episode"]}


VERBS = pytest.mark.parametrize("verb", ["type", "type_in", "answer"])


@VERBS
async def test_a_person_is_asked_about_typing(asking: Live, verb: str) -> None:
    async with asking.connect(**{"Truetty-Client": "agent/1"}) as talk, asking.connect() as ana:
        stands = await waiting(talk, ana)
        typed = await talk.begin(verb, **typing(verb, stands))
        (question,) = await opened(ana)
        assert (question["id"], question["terminal_id"], question["client"]) == ("q2", "t1", "agent/1")
        assert question["command"] == "yes<Enter>"
        assert (await ana.call("command", command_id="t1-1"))["state"] == "waiting"
        await ana.call("settle", question_id="q2", answer="deny", word="not that")
        refused = (await talk.end(typed))["error"]
        assert (refused["code"], refused["facts"]["question_id"]) == ("denied", "q2")
        typed = await talk.begin(verb, **typing(verb, stands))
        await opened(ana)
        await ana.call("settle", question_id="q3", answer="allow")
        assert "ok" in await talk.end(typed)
        outcome = await talk.call("wait", command_id="t1-1", until="exit")
        assert outcome["output"] == "Sure? yes\ngot yes\n"


@VERBS
async def test_after_the_yes_it_goes_where_it_was_to_go(asking: Live, verb: str) -> None:
    async with asking.connect() as talk, asking.connect() as ana:
        stands = await waiting(talk, ana)
        typed = await talk.begin(verb, **typing(verb, stands))
        await opened(ana)
        await ana.call("stop", command_id="t1-1")
        await ana.call("settle", question_id="q2", answer="allow")
        assert (await talk.end(typed))["error"]["code"] == ("stale" if verb == "answer" else "denied")
        outcome = await talk.call("run", command="echo after", terminal="one", wait=60)
        assert outcome["output"] == "after\n" and "yes" not in (await talk.call("screen", terminal_id="one"))["dump"]


async def test_of_a_secret_nothing_is_shown(asking: Live) -> None:
    async with asking.connect() as talk, asking.connect() as ana:
        stands = await waiting(talk, ana, "read -s -p 'Password: ' x; echo \"got $x\"")
        typed = await talk.begin("answer", **{**typing("answer", stands), "text": "hunter2", "secret": True})
        (question,) = await opened(ana)
        assert "hunter2" not in str(question)
        await ana.call("settle", question_id="q2", answer="allow")
        assert "ok" in await talk.end(typed)
        assert "got hunter2" in (await talk.call("wait", command_id="t1-1", until="exit"))["output"]
