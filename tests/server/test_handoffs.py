"""A program asks a person to take a terminal over: the verb `handoff`."""

from __future__ import annotations

from typing import Any

from tests.patience import PATIENCE
from tests.server.live import Live, Talk

ASKS = "read -p 'code? ' x; (exit $x)"


async def asking(talk: Talk, command: str = ASKS) -> str:
    """The id of a command that waits."""
    await talk.call("listen")
    await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
    report = await talk.call("run", command=command, terminal="one", wait=PATIENCE)
    assert report["state"] == "waiting"
    return str(report["command_id"])


async def events(talk: Talk, kind: str, count: int = 1) -> list[dict[str, Any]]:
    while len(found := [one for one in talk.events if one["event"] == kind]) < count:
        await talk.take()
    return found


async def test_what_the_person_did(server: Live) -> None:
    async with server.connect() as talk, server.connect() as person:
        id = await asking(talk)
        handing = await talk.begin("handoff", terminal_id="one", reason="only you know the code")
        (told,) = await events(talk, "handoff")
        assert (told["handoff"]["command_id"], told["handoff"]["reason"]) == (id, "only you know the code")
        assert "bash reads what you type" in told["handoff"]["reader"]
        lease = (await person.call("lease", terminal_id="one", holder="ana"))["lease"]
        again = await talk.call("handoff", terminal_id="one", reason="another", wait=0)
        assert (again["how"], again["by"], again["did"], again["command"]["id"]) == (None, None, [], id)
        await person.call("type_in", terminal_id="one", lease=lease, text="3\r")
        await person.call("wait", command_id=id, until="finished")
        await person.call("give_back", terminal_id="one", lease=lease)
        done = (await talk.end(handing))["ok"]
        assert (done["how"], done["by"], done["word"]) == ("given back", "ana", None)
        assert done["did"] == [{"text": ASKS, "exit_code": 3}]
        assert (done["command"]["id"], done["command"]["exit_code"]) == (id, 3)
        (over,) = await events(talk, "handoff_over")
        assert (over["command_id"], over["how"]) == (id, "given back")
        report = await talk.call("run", command="true", terminal="one", wait=PATIENCE)
        assert report["notes"] == []  # it was told already


async def test_not_now(server: Live) -> None:
    async with server.connect() as talk, server.connect(**{"Truetty-Client": "ben"}) as person:
        id = await asking(talk)
        handing = await talk.begin("handoff", terminal_id="one", reason="the code")
        await events(talk, "handoff")
        await person.call("decline", command_id=id, word="ask me tomorrow")
        done = (await talk.end(handing))["ok"]
        assert (done["how"], done["by"], done["word"], done["did"]) == ("declined", "ben", "ask me tomorrow", [])
        assert done["command"]["state"] == "waiting"


async def test_the_command_goes_on_without_the_person(server: Live) -> None:
    async with server.connect() as talk, server.connect() as other:
        id = await asking(talk, "read -p 'one? ' x; read -p 'two? ' x")
        handing = await talk.begin("handoff", terminal_id="one", reason="an answer")
        await events(talk, "handoff")
        await other.call("type", command_id=id, text="1\n")
        assert (await talk.end(handing))["ok"]["how"] == "went on"


async def test_the_command_ends_without_the_person(server: Live) -> None:
    async with server.connect() as talk, server.connect() as other:
        await talk.call("listen")
        await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
        id = (await talk.call("start", command="sleep 1000", terminal="one"))["id"]  # it asks nothing
        handing = await talk.begin("handoff", terminal_id="one", reason="a look")
        await events(talk, "handoff")
        await other.call("stop", command_id=id)
        done = (await talk.end(handing))["ok"]
        assert (done["how"], done["command"]["state"]) == ("finished", "finished")


async def test_the_newest_reason_counts_until_the_person_comes(server: Live) -> None:
    async with server.connect() as talk:
        await asking(talk)
        for reason in ("first", "second"):
            assert (await talk.call("handoff", terminal_id="one", reason=reason, wait=0))["how"] is None
        first, second = await events(talk, "handoff", 2)
        assert (first["handoff"]["reason"], second["handoff"]["reason"]) == ("first", "second")


async def test_where_there_is_nothing_to_take_over(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one")
        assert (await talk.refused("handoff", terminal_id="one", reason="a look"))["code"] == "misuse"
        await talk.call("run", command="true", terminal="one", wait=PATIENCE)
        assert "has finished" in (await talk.refused("handoff", terminal_id="one", reason="a look"))["message"]
        await talk.call("lease", terminal_id="one", holder="ana")
        await talk.refused("handoff", terminal_id="one", reason="a look")
        assert (await talk.refused("handoff", terminal_id="one"))["facts"]["name"] == "reason"


async def test_a_person_who_has_it_already_is_not_asked(server: Live) -> None:
    async with server.connect() as talk:
        await asking(talk)
        await talk.call("lease", terminal_id="one", holder="ana")
        refused = await talk.refused("handoff", terminal_id="one", reason="a look")
        assert (refused["code"], refused["facts"]["holder"]) == ("held", "ana")
