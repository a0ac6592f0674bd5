"""/v1/connect: calls and answers, events in their place, and clients that behave badly."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import socket
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.patience import PATIENCE
from tests.server.live import Live
from truetty.server import limits

LONG = PATIENCE


async def test_calls_and_answers(server: Live) -> None:
    async with server.connect(**{"Truetty-Client": "test/1"}) as talk:
        assert talk.hello["protocol"] == [1, 1]
        terminal = await talk.call("open", shell="bash", rc=False, name="one")
        assert (terminal["client"], terminal["name"], terminal["busy"]) == ("test/1", "one", False)
        report = await talk.call("run", command="echo hi", terminal="one", wait=LONG)
        assert report["output"] == "hi\n"
        raw = await talk.call("raw", command_id="one")
        assert (base64.b64decode(raw["base64"]), raw["size"], raw["next_offset"]) == (b"hi\r\n", 4, 4)
        assert (await talk.call("text", command_id="one"))["text"] == "hi\n"
        assert (await talk.call("explain", command_id="one"))["text"]
        error = await talk.refused("run", command="", terminal="one")
        assert error["code"] == "bad_command"
        assert (await talk.refused("fly"))["code"] == "unknown"
        assert (await talk.refused("wait", command_id="zzz"))["code"] == "unknown_terminal"


async def test_answers_come_in_any_order(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one")
        slow = await talk.begin("run", command="read x; echo $x", terminal="one", until="finished")
        quick = await talk.begin("hello")
        assert (await talk.end(quick))["ok"]["truetty"]
        assert slow not in talk.answers
        command = (await talk.call("show", terminal_id="one"))["command"]
        await talk.call("type", command_id=command["id"], text="on\n")
        assert (await talk.end(slow))["ok"]["output"].endswith("on\n")


async def test_an_event_comes_before_the_answer_of_the_call_that_has_caused_it(server: Live) -> None:
    async with server.connect() as talk:
        began = await talk.call("listen")
        assert began["seq"] == 0
        terminal = (await talk.call("open", shell="bash", rc=False))["id"]
        started = await talk.call("start", command="read x", terminal=terminal)
        waiting = await talk.call("wait", command_id=started["id"], timeout=LONG)
        await talk.call("type", command_id=started["id"], text="y\n")
        await talk.call("wait", command_id=started["id"], timeout=LONG)
        await talk.call("change", terminal_id=terminal, name="new")
        await talk.call("close", terminal_id=terminal)
        order = [one["event"]["event"] if "event" in one else "ok" for one in talk.frames]
        assert order == [
            "ok",
            *("opened", "ok"),
            *("started", "ok"),
            *("waiting", "ok"),
            *("resumed", "ok"),
            *("finished", "ok"),
            *("changed", "ok"),
            *("closed", "ok"),
        ]
        assert [one["seq"] for one in talk.events] == list(range(1, 8))
        assert talk.events[2]["waiting"] == waiting["waiting"]
        assert talk.events[5]["terminal"]["name"] == "new"


async def test_a_listener_that_was_away_goes_on_or_begins_anew(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one")
    async with server.connect() as talk:
        epoch = talk.hello["epoch"]
        await talk.call("listen", since=0, epoch=epoch)
        await talk.call("hello")
        assert [one["event"] for one in talk.events] == ["opened"]
        await talk.call("listen", since=0, epoch="another")
        await talk.call("hello")
        reset = talk.events[-1]
        assert (reset["event"], reset["seq"], [one["name"] for one in reset["terminals"]]) == ("reset", 1, ["one"])


async def test_more_waits_than_calls(server: Live) -> None:
    """Calls that only wait are no obstacle to the one that they wait for."""
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one")
        started = await talk.call("start", command="read x", terminal="one")
        waits = [
            await talk.begin("wait", command_id=started["id"], until="finished") for _ in range(2 * limits.MOST_CALLS)
        ]
        await talk.call("type", command_id=started["id"], text="y\n")
        states = [(await talk.end(number))["ok"]["state"] for number in waits]
        assert states == ["finished"] * len(waits)


async def test_a_call_that_is_cancelled_has_no_answer(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one")
        started = await talk.call("start", command="read x", terminal="one")
        waiting = await talk.begin("wait", command_id=started["id"], until="finished")
        stream = await talk.begin("follow", command_id=started["id"])
        assert (await talk.call("cancel", call=waiting))["cancelled"] is True
        assert (await talk.call("cancel", call=stream))["cancelled"] is True
        assert (await talk.call("cancel", call=12345))["cancelled"] is False
        await talk.call("type", command_id=started["id"], text="y\n")
        assert (await talk.call("wait", command_id=started["id"], until="finished"))["state"] == "finished"
        assert waiting not in talk.answers and stream not in talk.answers


async def test_a_command_goes_on_when_its_client_has_gone(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one")
        await talk.begin("run", command="read x; echo got $x", terminal="one", key="0123456789")
        while not (await talk.call("show", terminal_id="one"))["busy"]:
            pass
    async with server.connect() as talk:
        again = await talk.begin("run", command="read x; echo got $x", terminal="one", key="0123456789")
        while (command := (await talk.call("show", terminal_id="one"))["command"])["state"] != "waiting":
            pass
        assert (await talk.end(again))["ok"]["state"] == "waiting"
        assert command["id"].endswith("-1")
        await talk.call("type", command_id=command["id"], text="it\n")
        assert (await talk.call("wait", command_id=command["id"], until="finished"))["output"].endswith("got it\n")
        reused = await talk.refused("run", command="true", terminal="one", key="0123456789")
        assert reused["code"] == "key_reused"


@pytest.mark.parametrize(
    "message",
    ["{", "[]", "7", '{"do": "hello"}', '{"id": "x", "do": "hello"}', '{"id": true, "do": "hello"}', '{"id": -1}'],
)
async def test_messages_that_are_no_calls(server: Live, message: str) -> None:
    async with server.connect() as talk:
        await talk.websocket.send(message)
        frame = await talk.take()
        assert (frame["id"], frame["error"]["code"]) == (None, "misuse")
        assert await talk.call("hello")


async def test_a_number_is_used_once_at_a_time(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one")
        started = await talk.call("start", command="read x", terminal="one")
        number = await talk.begin("wait", command_id=started["id"], until="finished")
        await talk.websocket.send(json.dumps({"id": number, "do": "hello"}))
        frame = await talk.take()
        assert (frame["id"], frame["error"]["code"]) == (None, "misuse")


async def test_a_message_that_is_too_large(server: Live) -> None:
    async with server.connect() as talk:
        with pytest.raises(ConnectionClosed):
            await talk.websocket.send(json.dumps({"id": 1, "do": "hello", "x": "x" * (limits.LARGEST_BODY + 1)}))
            await talk.take()
    async with server.connect() as talk:
        assert await talk.call("hello")


async def test_a_client_that_stops_reading_stops_nobody_else(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one")
        report = await talk.call("run", command="seq 1 100000", terminal="one", wait=LONG)
        with server.reach() as stuck:
            _upgrade(stuck)
            stuck.settimeout(1)
            call = json.dumps({"id": 0, "do": "text", "command_id": report["command_id"]})
            with pytest.raises(TimeoutError):  # after a while the server reads no more of it
                for number in range(1_000_000):
                    stuck.sendall(_frame(call.replace('"id": 0', f'"id": {number}')))
            pid = (await talk.call("status"))["pid"]
            resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            assert resident < 400 << 20
            assert (await talk.call("run", command="echo on", terminal="one", wait=LONG))["output"] == "on\n"


def _upgrade(connection: socket.socket) -> None:
    key = base64.b64encode(os.urandom(16)).decode()
    head = f"Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}"
    connection.sendall(f"GET /v1/connect HTTP/1.1\r\n{head}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
    assert b"101" in connection.recv(4096)


def _frame(text: str) -> bytes:
    """A masked text frame, with a mask of zeros."""
    data = text.encode()
    size = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + len(data).to_bytes(2, "big")
    return b"\x81" + size + b"\0\0\0\0" + data


async def test_terminals_of_a_task_and_of_callers(server: Live) -> None:
    async with server.connect() as one, server.connect() as two:
        mine = await one.call("acquire", task="a", shell="bash", rc=False)
        assert (await one.call("acquire", task="a", shell="bash", rc=False))["id"] == mine["id"]
        other = await one.call("acquire", task="a", shell="bash", rc=False, caller="another")
        theirs = await two.call("acquire", task="a", shell="bash", rc=False)
        assert len({mine["id"], other["id"], theirs["id"]}) == 3
        released = await one.call("release", task="a")
        assert {terminal["id"] for terminal in released["terminals"]} == {mine["id"], other["id"], theirs["id"]}
        assert {terminal["task"] for terminal in released["terminals"]} == {None}


async def test_a_caller_is_over_with_its_connection(server: Live) -> None:
    async with server.connect() as one:
        mine = await one.call("acquire", task="a", shell="bash", rc=False)
    async with server.connect() as two:
        async with asyncio.timeout(PATIENCE):
            while (await two.call("acquire", task="a", shell="bash", rc=False))["id"] != mine["id"]:
                pass


async def test_a_server_that_ends_says_so(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("listen")
        await talk.call("open", shell="bash", rc=False)
        await talk.call("shutdown")
        with pytest.raises(ConnectionClosed):
            while True:
                await talk.take()
        assert talk.events[-1]["event"] == "server" and talk.events[-1]["stopping"] is True
    server.until_ended()


async def test_the_key_of_a_run_is_that_of_its_start(server: Live) -> None:
    async with server.connect() as talk:
        terminal = (await talk.call("open", shell="bash", rc=False))["id"]
        order = {"command": "read x; echo $x", "terminal": terminal, "key": "k" * 22}
        first = await talk.call("run", **order, wait=LONG)
        again = await talk.call("run", **order, wait=LONG / 2)  # the rest of its patience
        assert [one["state"] for one in (first, again)] == ["waiting", "waiting"]
        started = await talk.call("start", **order)
        assert first["command_id"] == again["command_id"] == started["id"]
        assert (await talk.refused("run", **{**order, "command": "true"}))["code"] == "key_reused"
