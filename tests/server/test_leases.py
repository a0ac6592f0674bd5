"""A person has a terminal of the server: over HTTP, and in the live view."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.server.live import Live, Talk
from tests.server.test_view import Viewer, view

LONG = PATIENCE


async def opened(talk: Talk) -> None:
    await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
    await talk.call("run", command="true", terminal="one", wait=LONG)


async def lease_frame(viewer: Viewer) -> dict[str, Any]:
    while (frame := await viewer.take())["t"] != "lease":
        pass
    return frame


async def event(talk: Talk, kind: str) -> dict[str, Any]:
    while not (found := [one for one in talk.events if one["event"] == kind]):
        await talk.take()
    return found[-1]


async def test_over_http(server: Live) -> None:
    server.post("/v1/terminals", shell="bash", rc=False, name="one")
    made = server.post("/v1/terminals/one/lease", reason="to look", holder="ana")
    assert set(made) == {"lease", "holder", "until"} and made["holder"] == "ana"
    held = {"holder": "ana", "reason": "to look", "until": made["until"], "wanted_by": None}
    assert server.get("/v1/terminals/one")["lease"] == held
    refused = server.ask("POST", "/v1/terminals/one/lease", {"holder": "bob"})
    assert (refused.status, refused.code) == (409, "held")
    assert refused.json["error"]["facts"]["holder"] == "ana" and made["lease"] not in refused.body.decode()
    for path, body in (
        ("/v1/run", {"command": "true", "terminal": "one"}),
        ("/v1/commands", {"command": "true", "terminal": "one"}),
        ("/v1/terminals/one/type", {"text": "x"}),
        ("/v1/terminals/one/type", {"text": "x", "lease": "Lx"}),
        ("/v1/terminals/one/size", {"size": [70, 20]}),
    ):
        assert server.ask("POST", path, body).code == "held", path
    assert server.post("/v1/terminals/one/size", size=[70, 20], lease=made["lease"])["size"] == [70, 20]
    server.post("/v1/terminals/one/type", text="exit 3\n", lease=made["lease"])
    while not server.get("/v1/terminals?all=true")["terminals"][0]["closed"]:
        pass
    assert server.get("/v1/terminals/t1")["lease"] is None
    assert server.ask("DELETE", f"/v1/terminals/t1/lease/{made['lease']}", {}).code == "held"


async def test_the_events_and_the_next_command_say_what_was_run(server: Live) -> None:
    async with server.connect() as talk, server.connect() as other:
        await opened(talk)
        await other.call("listen")
        lease = (await talk.call("lease", terminal_id="one", holder="ana", reason="a look"))["lease"]
        begun = await event(other, "lease")
        assert (begun["terminal_id"], begun["holder"], begun["reason"]) == ("t1", "ana", "a look")
        assert lease not in str(other.frames)
        async with view(server, "one") as viewer:
            await viewer.say(t="keys", lease=lease, text="sh -c 'echo d''one; exit 4'\r")
            await viewer.until("\ndone")
            await viewer.until("done\nbash")
        did = (await talk.call("give_back", terminal_id="one", lease=lease))["did"]
        assert [(one["text"][-26:], one["exit_code"]) for one in did] == [("sh -c 'echo d''one; exit 4'"[-26:], 4)]
        while (ended := await event(other, "lease"))["holder"] is not None:
            await other.take()
        assert (ended["did"], ended["reason"]) == (did, "It was given back.")
        report = await talk.call("run", command="true", terminal="one", wait=LONG)
        assert "A person (ana) had this terminal and ran: " in report["notes"][0]


async def test_the_view_types_and_resizes_with_the_lease(server: Live) -> None:
    async with server.connect() as talk:
        await opened(talk)
        lease = (await talk.call("lease", terminal_id="one", holder="ana"))["lease"]
        async with view(server, "one") as viewer, view(server, "one") as other:
            assert viewer.frames[0]["lease"]["holder"] == "ana" and lease not in str(viewer.frames)
            for words in ({"t": "keys", "text": "x"}, {"t": "size", "size": [50, 10]}, {"t": "lease", "lease": "Lx"}):
                await other.say(**words)
                while (frame := await other.take())["t"] != "error":
                    pass
                assert frame["code"] == "held"
            await viewer.say(t="lease", lease=lease)
            assert (await lease_frame(viewer))["mine"] is True
            await viewer.websocket.send(b"echo ty'ped'\r")
            await viewer.until("\ntyped")
            await viewer.say(t="size", size=[60, 12])
            while (frame := await other.take())["t"] != "picture" or frame["size"] != [60, 12]:
                pass
            await talk.call("give_back", terminal_id="one", lease=lease)
            for one in (viewer, other):
                frame = await lease_frame(one)
                assert (frame["holder"], frame["mine"]) == (None, False)
            while [frame for frame in other.frames if frame["t"] == "picture"][-1]["size"] != [80, 24]:
                await other.take()
            assert (await talk.call("show", terminal_id="one"))["size"] == [80, 24]
            await viewer.say(t="keys", text="x")
            while (frame := await viewer.take())["t"] != "error":
                pass
            assert frame["message"].startswith("this lease of t1 is over")


CUT = "The server was ended meanwhile: what was run after that is not known."


@pytest.mark.parametrize("gives_back", [False, True])
def test_what_was_run_is_told_by_the_next_server(server: Live, gives_back: bool) -> None:
    server.post("/v1/terminals", shell="bash", rc=False, name="one")
    lease = server.post("/v1/terminals/one/lease", holder="ana")["lease"]
    server.post("/v1/terminals/one/type", text="(exit 3)\n", lease=lease)
    journal = Path(server.place.folder) / "journal"
    while '"did":[["(exit 3)",3]]' not in journal.read_text():
        pass
    if gives_back:
        server.ask("DELETE", f"/v1/terminals/one/lease/{lease}", {})
    for _ in range(2):  # the first of them tells no caller
        os.kill(server.pid(), signal.SIGKILL)
    told = server.post("/v1/run", command="true", terminal="one", wait=60)["notes"]
    sentence = "A person (ana) had this terminal and ran: (exit 3) (exit code 3)."
    warned = sentence.replace(" and", f". {CUT} Before that they")
    assert [note for note in told if "ana" in note] == [sentence if gives_back else warned]
    assert server.post("/v1/run", command="true", terminal="one", wait=60)["notes"] == []
    os.kill(server.pid(), signal.SIGKILL)
    assert server.post("/v1/run", command="true", terminal="one", wait=60)["notes"] == []


@pytest.mark.parametrize("resizes", [False, True])
@pytest.mark.parametrize("shell", ["bash", "dash", "fish", "zsh"])
async def test_text_that_a_program_has_left_at_the_prompt(server: Live, shell: str, resizes: bool) -> None:
    """It is a part of the line that the person runs. fish draws its prompt again when the window changes."""
    async with server.connect() as talk:
        await talk.call("open", shell=shell, rc=False, name="one", size=[80, 24], environ=dict(os.environ))
        await talk.call("run", command="true", terminal="one", wait=LONG)
        async with view(server, "one") as viewer:
            while viewer.model.cursor[0] == 0:  # the prompt is not drawn yet
                await viewer.take()
            await talk.call("type_in", terminal_id="one", text="echo le''ft ")
            await viewer.until("echo le''ft")
            lease = (await talk.call("lease", terminal_id="one", holder="ana"))["lease"]
            if resizes:
                await viewer.say(t="size", lease=lease, size=[100, 30])
            await viewer.say(t="keys", lease=lease, text="mo''re\r")
            await viewer.until("left more")
            await viewer.say(t="keys", lease=lease, text="echo ne''xt\r")
            await viewer.until("\nnext")  # so the line before has ended
        did = (await talk.call("give_back", terminal_id="one", lease=lease))["did"]
        report = await talk.call("run", command="true", terminal="one", wait=LONG)
        assert (did[0]["text"], did[0]["exit_code"]) == ("echo le''ft mo''re", 0)
        assert report["notes"][0].startswith(
            "A person (ana) had this terminal and ran: echo le''ft mo''re (exit code 0)"
        )


def test_a_person_who_has_typed_nothing_is_not_told_of(server: Live) -> None:
    server.post("/v1/terminals", shell="bash", rc=False, name="one")
    server.post("/v1/terminals/one/lease", holder="ana")
    os.kill(server.pid(), signal.SIGKILL)
    assert server.post("/v1/run", command="true", terminal="one", wait=60)["notes"] == []
