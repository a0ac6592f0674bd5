"""The first answers: they are the SDK's, to the byte, and given only where the SDK's are certain."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from truetty.mcp.greeting import CAPABILITIES, CLIENT, VERSION, Greeting

TOOL = Path(__file__).resolve().parents[2] / "tools" / "make_greeting.py"
MODERN = MODERN_PROTOCOL_VERSIONS[-1]


def load_tool() -> Any:
    spec = importlib.util.spec_from_file_location("make_greeting", TOOL)
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


tool = load_tool()


def early(lines: list[str], *, structured: bool = False, lasts: bool = False) -> list[str | None]:
    """What is answered to these lines on one connection, before the SDK is there."""
    greeting = Greeting(structured=structured, lasts=lasts)
    answers = [greeting.answer(line.encode()) for line in lines]
    return [None if answer is None else answer[1].decode() for answer in answers]


def test_the_file_is_what_the_sdk_says() -> None:
    checked = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr  # it says which command to run


@pytest.mark.parametrize(("structured", "lasts"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("version", KNOWN_PROTOCOL_VERSIONS)
def test_a_handshake_is_answered_as_by_the_sdk(version: str, structured: bool, lasts: bool) -> None:
    lines = [
        tool.initialize(version),
        tool.request("ping", id="a-1"),
        tool.request("tools/list", id=7),
        tool.request("tools/list", {}, id=8),
        tool.request("tools/list", {"_meta": {"progressToken": 5}}, id=9),
        tool.initialize(version),
    ]
    expected = asyncio.run(tool.ask(lines, structured=structured, lasts=lasts))
    assert early(lines, structured=structured, lasts=lasts) == expected


@pytest.mark.parametrize(("structured", "lasts"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("version", MODERN_PROTOCOL_VERSIONS)
def test_requests_with_an_envelope_are_answered_as_by_the_sdk(version: str, structured: bool, lasts: bool) -> None:
    envelope = tool.envelope(version)
    anonymous = {"_meta": {name: value for name, value in envelope["_meta"].items() if name != CLIENT}}
    lines = [
        tool.request("server/discover", envelope, id="a"),
        tool.request("tools/list", envelope, id=2),
        tool.request("tools/list", anonymous, id=3),
    ]
    expected = asyncio.run(tool.ask(lines, structured=structured, lasts=lasts))
    assert early(lines, structured=structured, lasts=lasts) == expected


# What clients were seen to say of themselves.
CLIENTS: list[dict[str, Any]] = [
    {"capabilities": {"roots": {"listChanged": True}, "sampling": {}}, "clientInfo": {"name": "ä", "version": "1"}},
    {
        "capabilities": {"elicitation": {"form": {}, "url": {}}, "experimental": {"x": {"y": 1}}, "extensions": {}},
        "clientInfo": {"name": "x", "version": "1", "title": "X"},
    },
]


@pytest.mark.parametrize("client", CLIENTS)
def test_what_clients_say_of_themselves_is_understood(client: dict[str, Any]) -> None:
    lines = [
        json.dumps(
            json.loads(tool.request("initialize", {"protocolVersion": "2025-11-25", **client})), ensure_ascii=False
        )
        + "\n"
    ]
    assert early(lines) == asyncio.run(tool.ask(lines))


GOOD = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
# Not one of these is answered: the SDK refuses some, and of the others it is not known here what it says.
DOUBTFUL = {
    "no JSON": "initialize\n",
    "a list": "[]\n",
    "no id": '{"jsonrpc":"2.0","method":"initialize"}\n',
    "null as id": tool.request("initialize", GOOD).replace('"id": 1', '"id": null'),
    "a flag as id": tool.request("initialize", GOOD).replace('"id": 1', '"id": true'),
    "a fraction as id": tool.request("initialize", GOOD).replace('"id": 1', '"id": 1.5'),
    "a huge id": tool.request("initialize", GOOD).replace('"id": 1', f'"id": {1 << 64}'),
    "another protocol": tool.request("initialize", GOOD).replace('"2.0"', '"1.0"'),
    "more than a request": tool.request("initialize", GOOD).replace('"id"', '"result": {}, "id"'),
    "half a character": tool.request("initialize", {**GOOD, "clientInfo": {"name": "\ud800", "version": "1"}}),
    "not UTF-8": tool.request("initialize", GOOD).replace('"x"', '"\udcff"'),
    "too deep": tool.request("initialize", GOOD).replace("{}", '{"x":' * 9_000 + "{}" + "}" * 9_000),
    "too long": tool.request("initialize", GOOD) + " " * (1 << 17),
    "no params": tool.request("initialize"),
    "params in a list": '{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}\n',
    "an unknown version": tool.request("initialize", {**GOOD, "protocolVersion": "2099-01-01"}),
    "a number as version": tool.request("initialize", {**GOOD, "protocolVersion": 3}),
    "no capabilities": tool.request("initialize", {**GOOD, "capabilities": None}),
    "wrong capabilities": tool.request("initialize", {**GOOD, "capabilities": {"roots": {"listChanged": {}}}}),
    "no name": tool.request("initialize", {**GOOD, "clientInfo": {"version": "1"}}),
    "a number as name": tool.request("initialize", {**GOOD, "clientInfo": {"name": 1, "version": "1"}}),
    "more of a client": tool.request("initialize", {**GOOD, "clientInfo": {"name": "x", "version": "1", "icons": []}}),
    "more params": tool.request("initialize", {**GOOD, "_meta": {}}),
    "a list before the handshake": tool.request("tools/list"),
    "an envelope of another version": tool.request("tools/list", tool.envelope("2099-01-01")),
    "an envelope without capabilities": tool.request("tools/list", {"_meta": {VERSION: MODERN}}),
    "an envelope with a token": tool.request(
        "tools/list", {"_meta": {VERSION: MODERN, CAPABILITIES: {}, "progressToken": 1}}
    ),
    "a page of the list": tool.request("tools/list", {**tool.envelope(MODERN), "cursor": "x"}),
    "a ping with an envelope": tool.request("ping", tool.envelope(MODERN)),
    "a call": tool.request("tools/call", {**tool.envelope(MODERN), "name": "run", "arguments": {"command": "true"}}),
}


@pytest.mark.parametrize("line", DOUBTFUL.values(), ids=DOUBTFUL)
def test_what_is_doubtful_is_left_to_the_sdk(line: str) -> None:
    assert Greeting().answer(line.encode(errors="surrogateescape")) is None


def test_what_comes_after_the_handshake_is_answered_only_if_it_is_plain() -> None:
    lines = [
        tool.initialize("2025-11-25"),
        '{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
        tool.request("tools/list", {"cursor": "x"}),
        tool.request("tools/list", {"_meta": {"progressToken": 1, "x": 2}}),
        tool.request("tools/list", {"_meta": {"progressToken": []}}),
        tool.request("tools/list", {"_meta": 1}),
        tool.request("tools/list", tool.envelope(MODERN)),
        tool.request("server/discover"),
        tool.request("resources/list"),
        tool.request("versions"),
        tool.request("outputSchema"),
        tool.request("tools/call", {"name": "run", "arguments": {"command": "true"}}),
    ]
    assert [answer is not None for answer in early(lines)] == [True] + [False] * (len(lines) - 1)


def test_the_first_request_decides_which_revision_is_spoken() -> None:
    assert early([tool.request("ping"), tool.initialize("2025-11-25")]) == [None, None]
    modern = tool.request("tools/list", tool.envelope(MODERN))
    assert early([modern, tool.initialize("2025-11-25"), tool.request("ping")])[1:] == [None, None]
    assert early([tool.request("initialize"), tool.request("tools/list")]) == [None, None]
