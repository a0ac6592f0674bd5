"""A client and a server of different versions: they speak the highest number of the protocol that both know.

The other side is a real one of this version whose range is changed: the client's by its constant, the server's in what
it says of itself first. Protocol 1 is the first, so 0 stands for one before it.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import closing
from pathlib import Path

import pytest

import truetty
from tests import warm
from tests.client.proxy import proxy
from tests.patience import PATIENCE
from tests.server.live import Live
from truetty.client.dial import address
from truetty.client.http import Http
from truetty.client.view import View
from truetty.client.wire import agreed
from truetty.server import forms, protocol
from truetty.server.protocol import HEADER, TIMELESS
from truetty.server.refusals import OtherProtocol
from truetty.server.verbs import VERBS, Verb

VERSION = truetty.__version__
Span = tuple[int, int]


async def meet(where: str, tmp_path: Path, theirs: Span) -> str:
    """What a command prints that is run by this client in a server that speaks these numbers."""
    async with proxy(tmp_path, where) as cable:
        cable.rewrites = (b'"protocol":[1,1]', f'"protocol":[{theirs[0]},{theirs[1]}]'.encode())
        async with truetty.connect(cable.where) as registry:
            terminal = await registry.open("bash", rc=False)
            return (await terminal.run("echo hi", wait=PATIENCE)).output


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ((1, 1), (1, 2)),  # the client is of the previous number
        ((1, 2), (1, 1)),  # the server is
        ((0, 1), (1, 1)),
        ((1, 1), (0, 1)),
        ((0, 1), (1, 2)),
    ],
)
async def test_neighbours_work_together(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: Span, theirs: Span
) -> None:
    monkeypatch.setattr(protocol, "PROTOCOL", ours)
    assert await meet(where, tmp_path, theirs) == "hi\n"


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ((1, 1), (2, 3), "the server is truetty {0} and speaks protocol 2 to 3; this is truetty {0} and speaks 1"),
        ((7, 9), (1, 1), "the server is truetty {0} and speaks protocol 1; this is truetty {0} and speaks 7 to 9"),
    ],
)
async def test_no_number_that_both_speak(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: Span, theirs: Span, said: str
) -> None:
    monkeypatch.setattr(protocol, "PROTOCOL", ours)
    with pytest.raises(truetty.HostError) as caught:
        await meet(where, tmp_path, theirs)
    assert str(caught.value) == f"{said.format(VERSION)}: install the same version"
    assert (caught.value.facts["server"], caught.value.facts["client"]) == (VERSION, VERSION)


@pytest.mark.parametrize(
    ("ours", "theirs", "number"),
    [((1, 3), (2, 5), 3), ((2, 5), (1, 3), 3), ((1, 1), (1, 2), 1), ((4, 4), (1, 9), 4)],
)
def test_the_highest_number_is_taken(monkeypatch: pytest.MonkeyPatch, ours: Span, theirs: Span, number: int) -> None:
    monkeypatch.setattr(protocol, "PROTOCOL", ours)
    assert agreed(forms.Hello("9.9", theirs, (), 1, "e")) == number


@pytest.mark.parametrize(
    ("ours", "theirs", "older"),
    [
        ("1.10.0", "1.9.3", True),
        ("1.0", "1.0", False),
        ("1.0", "1.1", False),
        ("1.0", "0.9.dev1", False),
        ("1.0", "", False),
        ("1.0", "\N{SUPERSCRIPT TWO}", False),
    ],
)
def test_which_version_is_older(monkeypatch: pytest.MonkeyPatch, ours: str, theirs: str, older: bool) -> None:
    monkeypatch.setattr(protocol, "VERSION", ours)
    assert protocol.is_older(theirs) is older


def test_answers_name_the_version(shared_server: Live) -> None:
    for path in ("/v1/hello", "/v1/terminals", "/v1/nothing", "/v1/openapi.json"):
        assert shared_server.ask("GET", path).headers.get_all("Truetty-Version") == [VERSION]


OLDER = f"truetty: the server is truetty 0.0.9, and this is {VERSION}: truetty serve --upgrade keeps every terminal\n"


@pytest.mark.parametrize(("theirs", "said"), [("0.0.9", OLDER), ("9.9.9", ""), ("0.0.9rc1", "")])
async def test_the_command_line_says_once_that_the_server_is_older(
    where: str, tmp_path: Path, theirs: str, said: str
) -> None:
    async with proxy(tmp_path, where) as cable:
        cable.rewrites = (f"truetty-version: {VERSION}".encode(), f"truetty-version: {theirs}".encode())

        async def run(*words: str) -> tuple[str, str]:
            done = await asyncio.to_thread(warm.run, words[0], "--on", cable.where, *words[1:])
            assert done.returncode == 0
            return done.stdout.decode(), done.stderr.decode()

        assert await run("open", "--shell", "bash", "--no-rc", "--name", "one") == ("t1\n", said)
        before = cable.connections
        assert await run("run", "--in", "one", "echo hi") == ("hi\n", said)
        assert cable.connections > before + 1  # more than one asks
        out, errors = await run("list", "--json")
        assert (json.loads(out)["terminals"][0]["name"], errors) == ("one", said)
        assert await run("list", "--names") == ("t1\none\n", "")
        async with truetty.connect(cable.where) as registry:
            await registry.open("bash", rc=False)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb.name not in TIMELESS], ids=lambda verb: verb.name)
def test_every_verb_over_http_refuses_another_protocol(shared_server: Live, verb: Verb) -> None:
    path = re.sub(r"\{\w+\}", "t1", verb.path)
    refused = shared_server.ask(verb.method, path, {}, {HEADER: "2-3"})
    assert (refused.status, refused.code) == (426, "other_protocol")
    assert refused.json["error"]["message"].startswith(
        f"the server is truetty {VERSION} and speaks protocol 1; the client speaks 2 to 3: install the same version"
    )


def test_verbs_about_the_server_are_answered_in_every_protocol(server: Live) -> None:
    for path in ("/v1/hello", "/v1/status"):
        assert server.ask("GET", path, None, {HEADER: "2-3"}).status == 200
    assert server.ask("POST", "/v1/stop", {}, {HEADER: "2-3"}).status == 200
    server.until_ended()


@pytest.mark.parametrize(("header", "status"), [("1", 200), ("1-1", 200), ("0-7", 200), ("0", 426), ("new", 400)])
def test_the_header_of_the_protocol(shared_server: Live, header: str, status: int) -> None:
    assert shared_server.ask("GET", "/v1/terminals", None, {HEADER: header}).status == status


async def test_a_client_of_another_protocol_is_refused_clearly(
    server: Live, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = server.post("/v1/terminals", shell="bash", rc=False)["id"]
    monkeypatch.setattr(protocol, "PROTOCOL", (2, 3))
    place = address(where)
    with closing(Http(lambda: place.dial(start=False), place.headers())) as http:
        for method in ("GET", "POST"):
            with pytest.raises(OtherProtocol, match="speaks protocol 1; the client speaks 2 to 3"):
                http.ask(method, "/v1/terminals").json()
        assert http.ask("GET", "/v1/status").json()["terminals"] == 1
    with pytest.raises(truetty.HostError, match="403"):
        await View.over(place, opened)
