"""Bytes of output go through the cleaner once on their way to an answer, however many are shown the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp.served import PATIENCE, Person, eventually, once, tools
from truetty.text.clean import Cleaner

PRINTED = 100_000  # bytes as the program writes them; the tty adds a CR to each of the lines


class Meter:
    def __init__(self) -> None:
        self.cleaned = 0


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> Meter:
    meter = Meter()
    feed = Cleaner.feed

    def counted(self: Cleaner, data: bytes) -> str:
        if len(data) <= 1 << 16:  # it calls itself with the pieces of what is longer
            meter.cleaned += len(data)
        return feed(self, data)

    monkeypatch.setattr(Cleaner, "feed", counted)
    return meter


@pytest.mark.parametrize("progress", [False, True])
@pytest.mark.parametrize("sent", [{}, {"max_output_tokens": 500}, {"max_output_tokens": 50_000}], ids=str)
async def test_run(home: Path, meter: Meter, progress: bool, sent: dict[str, int]) -> None:
    go = home / "go"
    person = Person(wants_progress=progress, on_live=go.touch)
    async with tools(person=person) as call:
        wait = once(go) if progress else "true"
        text = f"yes abcdefg | head -c {PRINTED}; {wait}; yes abcdefg | head -c {3 * PRINTED}"
        ran = await call("run", command=text, wait=PATIENCE, **sent)
        assert ran["state"] == "finished" and bool(person.live) is progress
        assert meter.cleaned == call.session.service.command(ran["command_id"]).output.bytes >= 4 * PRINTED


async def test_a_read_and_a_wait_of_a_running_command_and_only_what_is_new(home: Path, meter: Meter) -> None:
    async with tools() as call:
        go = home / "go"
        text = f"yes abcdefg | head -c {PRINTED}; {once(go)}; yes abcdefg | head -c {PRINTED}; sleep 1000"
        ran = await call("run", command=text, wait=0)
        output = call.session.service.command(ran["command_id"]).output
        await eventually(lambda: output.bytes >= PRINTED, "the first half")
        assert (await call("read", id=ran["command_id"]))["output"]
        assert meter.cleaned == output.bytes
        go.touch()
        await eventually(lambda: output.bytes >= 2 * PRINTED, "the second half")
        new = await call("wait", id=ran["command_id"], wait=0, only_new=True)
        assert new["output"] and meter.cleaned == output.bytes
        assert (await call("read", id=ran["command_id"]))["output"] and meter.cleaned == output.bytes


async def test_a_screen_cleans_nothing(home: Path, meter: Meter) -> None:
    async with tools() as call:
        ran = await call("run", command=f"yes abcdefg | head -c {PRINTED}; sleep 1000", wait=0)
        output = call.session.service.command(ran["command_id"]).output
        await eventually(lambda: output.bytes >= PRINTED, "all of it")
        before = meter.cleaned
        seen = await call("screen", id=ran["command_id"])
        assert "abcdefg" in seen["output"] and seen["state"] == "running" and meter.cleaned == before


async def test_only_new_says_how_much_it_leaves_out(home: Path) -> None:
    async with tools() as call:
        ran = await call("run", command="read x; seq 20000; read x", wait=PATIENCE)
        sent = await call("send", id=ran["command_id"], text="\n", only_new=True, wait=PATIENCE)
        whole = "".join(f"{number}\n" for number in range(1, 20_001))
        assert sent["omitted"] > 0 and sent["omitted"] < len(whole)
        assert f"{sent['omitted']} characters are left out" in call.text
        gap = await call("read", id=ran["command_id"], offset=sent["next_offset"], limit=20)
        assert gap["output"] in whole and gap["output"] not in sent["output"]
