"""The live view: what a viewer has drawn at the end is what the terminal shows, whatever came between."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

import truetty
from tests.patience import PATIENCE
from tests.server.live import Live, Talk
from truetty.server import limits
from truetty.server.wire.view import HEAD, SUBPROTOCOL, View
from truetty.service.registry import Registry
from truetty.service.service import Service
from truetty.text.screen import Model

LONG = PATIENCE


class Viewer:
    """Draws what comes, and holds each frame against the one before."""

    def __init__(self, websocket: ClientConnection) -> None:
        self.websocket = websocket
        self.model = Model((80, 24))
        self.seq = 0
        self.number = 0
        self.frames: list[dict[str, Any]] = []
        self.is_acknowledging = True

    async def take(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            message = await self.websocket.recv()
        if isinstance(message, bytes):
            number, start, end = HEAD.unpack_from(message)
            assert (start, number) == (self.seq, self.number + 1) and end > start
            self.model.feed(message[HEAD.size :])
            frame: dict[str, Any] = {"t": "bytes", "n": number, "seq": end}
        else:
            frame = json.loads(message)
            if frame["t"] == "picture":
                self.model = Model(tuple(frame["size"]))
                self.model.feed(frame["dump"].encode())
        if "n" in frame:
            assert frame["n"] == self.number + 1
            self.number, self.seq = frame["n"], frame["seq"]
            if self.is_acknowledging and frame["t"] != "end":
                await self.say(t="ack", seq=self.seq)
        self.frames.append(frame)
        return frame

    async def say(self, **frame: Any) -> None:
        with contextlib.suppress(ConnectionClosed):  # the terminal has ended, and the view with it
            await self.websocket.send(json.dumps(frame))

    async def until(self, text: str) -> None:
        while text not in self.model.screen().text:
            await self.take()

    def kinds(self) -> list[str]:
        return [frame.get("why", frame["t"]) for frame in self.frames]


@asynccontextmanager
async def view(server: Live, terminal: str, query: str = "", before: Viewer | None = None) -> AsyncIterator[Viewer]:
    """`before`: a viewer whose connection was cut, which goes on with what it has drawn."""
    path = next(path for path in server.place.sockets() if os.path.exists(path))
    uri = f"ws://truetty/v1/terminals/{terminal}/view{query}"
    protocols = [Subprotocol(SUBPROTOCOL)]
    async with unix_connect(path, uri, compression=None, max_size=None, subprotocols=protocols) as websocket:
        assert websocket.subprotocol == SUBPROTOCOL
        viewer = Viewer(websocket)
        if before is not None:
            viewer.model, viewer.seq = before.model, before.seq
        hello = await viewer.take()
        assert (hello["t"], hello["protocol"]) == ("hello", 1)
        yield viewer


async def shown(talk: Talk) -> str:
    return str((await talk.call("screen", terminal_id="t1"))["dump"])


async def test_a_picture_then_bytes(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
        await talk.call("run", command="echo before", terminal="one", wait=LONG)
        async with view(server, "one") as viewer, view(server, "one") as other:
            first = await viewer.take()
            assert (first["t"], first["why"], first["size"], first["skipped"]) == ("picture", "first", [80, 24], 0)
            assert "before" in viewer.model.screen().text
            await viewer.say(t="keys", text="echo ty'ped'\n")
            await viewer.until("\ntyped")
            await other.until("\ntyped")
            assert (await talk.call("show", terminal_id="one"))["viewers"] == 2
            await other.websocket.send(b"exit 3\n")
            while (await viewer.take())["t"] != "end":
                pass
            assert viewer.frames[-1]["exit_code"] == 3
            assert (await viewer.take()) == {"t": "bye", "code": "closed"}
            assert "bytes" in viewer.kinds() and "flood" not in viewer.kinds()
            assert viewer.model.screen().dump == await shown(talk)


async def test_a_flood_is_shown_in_pictures(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
        async with view(server, "one") as viewer:
            await talk.begin("run", command="seq 1 3000000; echo e'nd'", terminal="one", until="finished")
            await viewer.until("\nend")
            assert {"flood", "late"} & set(viewer.kinds())
            assert sum(frame.get("skipped", 0) for frame in viewer.frames) > 0
            await viewer.say(t="keys", text="\x15echo la'st'\n")
            await viewer.until("\nlast")
            await talk.call("close", terminal_id="one")
            while (await viewer.take())["t"] != "end":
                pass
            assert viewer.model.screen().dump == await shown(talk)


async def test_a_viewer_that_does_not_acknowledge_slows_nothing(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one")
        async with view(server, "one") as viewer:
            viewer.is_acknowledging = False
            report = await talk.call("run", command="seq 1 1000000", terminal="one", until="finished")
            assert (report["state"], report["output_lines"]) == ("finished", 1_000_000)
            await viewer.say(t="ping", x=7)
            while (await viewer.take())["t"] != "pong":
                pass
            sent = viewer.number
            await viewer.say(t="ack", seq=1 << 40)  # it has caught up
            await viewer.until("1000000")
            assert viewer.number > sent


async def test_a_character_in_two_halves(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
        command = r"printf 'a\xe2\x82'; read x; printf '\xac\n'"
        started = await talk.call("run", command=command, terminal="one", wait=LONG)
        async with view(server, "one") as viewer:
            await viewer.take()
            await talk.call("type", command_id=started["command_id"], text="\n")
            await viewer.until("a")
            await talk.call("close", terminal_id="one")
            while (await viewer.take())["t"] != "end":
                pass
            assert viewer.model.screen().dump == await shown(talk)


async def test_sizes(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
        async with view(server, "one") as viewer:
            await viewer.take()
            await viewer.say(t="size", size=[60, 10])
            while (frame := await viewer.take())["t"] != "picture":
                pass
            assert (frame["why"], frame["size"]) == ("size", [60, 10])
            await talk.call("resize", terminal_id="one", size=[70, 12])
            while (frame := await viewer.take())["t"] != "picture":
                pass
            assert frame["size"] == [70, 12]
            await viewer.say(t="picture")
            while (frame := await viewer.take())["t"] != "picture":
                pass
            assert frame["why"] == "asked"


async def test_what_is_no_frame(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one")
        async with view(server, "one") as viewer:
            await viewer.take()
            for text in ("{", "[]", "{}", '{"t": "keys", "text": 7}', '{"t": "size", "size": [0, 0]}'):
                await viewer.websocket.send(text)
            await viewer.say(t="of a later version")
            await viewer.say(t="ping", x=1)
            while (await viewer.take())["t"] != "pong":
                pass
            assert viewer.kinds().count("error") >= 3
        with pytest.raises(InvalidStatus):
            async with view(server, "nowhere"):
                pass


async def test_too_many_viewers(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one")
        async with contextmanagers(server, limits.MOST_VIEWERS):
            with pytest.raises(InvalidStatus):
                async with view(server, "one"):
                    pass


@asynccontextmanager
async def contextmanagers(server: Live, count: int) -> AsyncIterator[None]:
    if not count:
        yield
        return
    async with view(server, "one"), contextmanagers(server, count - 1):
        yield


def resumption(viewer: Viewer) -> str:
    return f"?epoch={viewer.frames[0]['epoch']}&from={viewer.seq}"


async def test_a_viewer_that_comes_back_gets_what_it_has_missed(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
        await talk.call("run", command="printf '\\e[31m'; echo before", terminal="one", wait=LONG)
        async with view(server, "one") as viewer:
            await viewer.until("before")
        # More than one frame, and less than the window. The colour was set before the cut, and is in no byte after it.
        many = "for i in $(seq 1500); do echo line $i of many that were printed while no one was here to see them; done"
        await talk.call("run", command=f"{many}; echo e'nd'", terminal="one", wait=LONG)
        async with view(server, "one", resumption(viewer), viewer) as again:
            assert again.frames[0]["from"] == viewer.seq
            await again.until("\nend")
            await talk.call("close", terminal_id="one")
            while (await again.take())["t"] != "end":
                pass
            assert again.kinds()[1:-1] == ["bytes"] * (len(again.frames) - 2) and len(again.frames) > 4
            assert again.model.screen().dump == await shown(talk)


async def test_a_viewer_that_has_missed_nothing_gets_nothing(server: Live) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
        async with view(server, "one") as viewer:
            await viewer.take()
        async with view(server, "one", resumption(viewer), viewer) as again:
            assert again.frames[0]["from"] == viewer.seq
            await again.say(t="ping", x=1)
            assert await again.take() == {"t": "pong", "x": 1}


@pytest.mark.parametrize(("path", "code"), [("/v1/stop", "closed"), ("/v1/upgrade", "upgrading")])
async def test_a_server_that_ends_says_bye(server: Live, path: str, code: str) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
        async with view(server, "one") as viewer, view(server, "one") as other:
            asking = asyncio.create_task(asyncio.to_thread(server.post, path))
            for one in (viewer, other):
                with pytest.raises(ConnectionClosed) as cut:
                    while True:
                        await one.take()
                assert one.frames[-1] == {"t": "bye", "code": code}
                assert cut.value.rcvd is not None and cut.value.rcvd.code == 1012
            await asking


@pytest.mark.parametrize("why", ["epoch", "place", "late", "size"])
async def test_where_that_is_not_possible_it_gets_a_picture(server: Live, why: str) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
        async with view(server, "one") as viewer:
            await viewer.take()
        query = resumption(viewer)
        match why:
            case "epoch":
                query = f"?epoch=another&from={viewer.seq}"
            case "place":
                query = query.replace(f"from={viewer.seq}", f"from={viewer.seq + 1000}")
            case "late":
                await talk.call("run", command="seq 60000", terminal="one", wait=LONG)
            case "size":
                await talk.call("resize", terminal_id="one", size=[70, 20])
        async with view(server, "one", query) as again:
            first = await again.take()
            assert (again.frames[0]["from"], first["t"], first["why"], first["skipped"]) == (None, "picture", why, 0)
            assert first["dump"] == await shown(talk)


@pytest.mark.parametrize("since", ["x", "-1", "1" * 19])
async def test_a_place_that_is_no_number_is_refused(server: Live, since: str) -> None:
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False, name="one", size=[80, 24])
        with pytest.raises(InvalidStatus):
            async with view(server, "one", f"?from={since}"):
                pass


class StoppedSocket:
    """Takes all frames, and never says anything."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []

    async def send_text(self, text: str) -> None:
        self.frames.append(json.loads(text))

    async def send_bytes(self, data: bytes) -> None: ...

    async def receive(self) -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def close(self) -> None: ...


async def test_output_does_not_wake_a_view_whose_viewer_has_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0
    is_full = View._window_is_full.fget  # type: ignore[attr-defined]

    def count(self: View) -> bool:
        nonlocal looks
        looks += 1
        return bool(is_full(self))

    monkeypatch.setattr(View, "_window_is_full", property(count))
    async with truetty.Terminal("dash", rc=False) as terminal, Service(Registry()) as service:
        made = View(StoppedSocket(), terminal, service, "epoch")  # type: ignore[arg-type]
        watching = asyncio.ensure_future(made.serve())
        command = await terminal.start("yes | head -c 40000000")
        async with asyncio.timeout(PATIENCE):
            await terminal.changes.until(lambda: command.output.bytes > 20_000_000, None)
            before = looks
            assert (await command.wait(until="finished")).output_bytes > 40_000_000
        assert looks - before < 10
        watching.cancel()
        await asyncio.wait({watching})
