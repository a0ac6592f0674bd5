"""Bytes of output go through the cleaner once on their way to an answer, however many are shown the text."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mcp.served import PATIENCE, Person, eventually, once, tools
from truetty.mcp.session import Face
from truetty.store.slices import turn
from truetty.text.clean import Cleaner

PRINTED = 100_000  # bytes as the program writes them; the tty adds a CR to each of the lines


class Meter:
    def __init__(self) -> None:
        self.cleaned = 0
        self.largest = 0  # portion, in bytes


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> Meter:
    meter = Meter()
    portions = Cleaner.portions

    def counted(self: Cleaner, data: bytes) -> Iterator[tuple[str, int]]:
        before = len(data)
        for text, left in portions(self, data):
            meter.cleaned += before - left
            meter.largest = max(meter.largest, before - left)
            before = left
            yield text, left

    monkeypatch.setattr(Cleaner, "portions", counted)
    return meter


class ShownTwice(Person):
    """The first report lasts until the command has ended: a later one could be cut off by the end, and begun again."""

    async def progress(self, seconds: float, text: str) -> None:
        await super().progress(seconds, text)
        if len(self.live) == 1:
            await asyncio.Event().wait()


@pytest.mark.parametrize("progress", [False, True])
@pytest.mark.parametrize("sent", [{}, {"max_output_tokens": 500}, {"max_output_tokens": 50_000}], ids=str)
async def test_run(home: Path, meter: Meter, progress: bool, sent: dict[str, int]) -> None:
    """But for the file with all of it: the pass that makes the answers holds the ends of an output alone. Of one that
    is longer than what it holds, a reader that was shown little would clean the rest itself."""
    go = home / "go"
    person = ShownTwice(wants_progress=progress, on_live=go.touch)
    async with tools(person=person, face=Face(reads_files=False)) as call:
        wait = once(go) if progress else "true"
        text = f"yes abcdefg | head -c {PRINTED}; {wait}; yes abcdefg | head -c {PRINTED}"
        ran = await call("run", command=text, wait=PATIENCE, **sent)
        assert ran["state"] == "finished" and bool(person.live) is progress
        assert meter.cleaned == call.session.service.command(ran["command_id"]).output.bytes >= 2 * PRINTED


async def test_a_read_and_a_wait_of_a_running_command_and_only_what_is_new(home: Path, meter: Meter) -> None:
    async with tools() as call:
        go = home / "go"
        text = f"yes abcdefg | head -c {PRINTED}; {once(go)}; yes abcdefg | head -c {PRINTED}; sleep 1000"
        ran = await call("run", command=text, wait=0)
        output = call.session.service.command(ran["command_id"]).output
        half = PRINTED // 8 * 9  # the tty puts a return before each newline
        await eventually(lambda: output.bytes == half, "the first half")
        assert (await call("read", id=ran["command_id"]))["output"]
        assert meter.cleaned == output.bytes
        go.touch()
        await eventually(lambda: output.bytes == 2 * half, "the second half")
        new = await call("wait", id=ran["command_id"], wait=0)
        assert new["output"] and meter.cleaned == output.bytes
        assert (await call("read", id=ran["command_id"], offset=0))["output"] and meter.cleaned == output.bytes


async def test_an_output_that_has_ended_is_cleaned_once_however_it_is_read(home: Path, meter: Meter) -> None:
    async with tools() as call:
        ran = await call("run", command=f"yes abcdefg | head -c {PRINTED}", wait=PATIENCE)
        output = call.session.service.command(ran["command_id"]).output
        for given in ({}, {"grep": "abc"}, {"tail": 3}, {"offset": 5000}, {"grep": "x", "context": 2}, {}):
            assert (await call("read", id=ran["command_id"], **given))["error"] is None
        assert meter.cleaned == output.bytes
        other = await call("run", command="echo other", wait=PATIENCE)
        await call("read", id=other["command_id"], tail=1)
        assert (await call("read", id=ran["command_id"], tail=1))["output"] == "abcdefg\n"


# Each was among the slowest that a search has found: from 10 to 300 times as slow as plain lines.
SLOW = {
    "stops to the left": r"\033[C\033H\033[999Z",
    "stops to the right": r"\r\033[9999I",
    "lines in and out": r"\033[9999L\033[9999M",
    "scrolls": r"\033[9999S\033[9999T",
    "a repeated cluster": r"e\314\201\033[9999b",
    "reverse index": r"\033M",
}


@pytest.mark.parametrize("name", SLOW)
async def test_slow_sequences_are_cleaned_in_small_portions_and_others_are_answered_between(
    home: Path, meter: Meter, name: str
) -> None:
    async with tools() as call, tools() as other:
        printing = f"for i in $(seq 1000); do printf '{SLOW[name] * 3}'; done; sleep 1000"
        ran = await call("run", command=printing, wait=0)
        command = call.session.service.command(ran["command_id"])
        size = 3000 * len(SLOW[name].encode().decode("unicode_escape"))
        await eventually(lambda: command.output.bytes >= size, "all is printed")
        meter.largest = answers = 0
        reading = asyncio.ensure_future(call("read", id=ran["command_id"]))
        while not reading.done():
            await turn()
            answers += (await other("terminals"))["error"] is None
        assert (await reading)["error"] is None
        assert meter.largest <= 1024 and answers >= 1


async def test_a_screen_cleans_nothing(home: Path, meter: Meter) -> None:
    async with tools() as call:
        ran = await call("run", command=f"yes abcdefg | head -c {PRINTED}; sleep 1000", wait=0)
        output = call.session.service.command(ran["command_id"]).output
        await eventually(lambda: output.bytes >= PRINTED, "all of it")
        before = meter.cleaned
        seen = await call("screen", id=ran["command_id"])
        assert "abcdefg" in seen["output"] and seen["state"] == "running" and meter.cleaned == before


async def test_what_is_new_says_how_much_it_leaves_out(home: Path) -> None:
    async with tools() as call:
        ran = await call("run", command="read x; seq 20000; read x", wait=PATIENCE)
        sent = await call("send", id=ran["command_id"], text="\n", wait=PATIENCE)
        whole = "".join(f"{number}\n" for number in range(1, 20_001))
        assert sent["omitted"] > 0 and sent["omitted"] < len(whole)
        assert f"{sent['omitted']:,} characters are left out" in call.text
        gap = await call("read", id=ran["command_id"], offset=sent["next_offset"], limit=20)
        assert gap["output"] in whole and gap["output"] not in sent["output"]
