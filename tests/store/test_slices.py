"""Long reads in slices: the same results, and the event loop is given back after every slice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest

from truetty.core.errors import Misuse
from truetty.core.patterns import BoundedPattern, Found
from truetty.store import slices
from truetty.store.output import Output
from truetty.store.reads import Reads
from truetty.store.transcript import Transcript
from truetty.store.window import PIECE, Window
from truetty.text.clean import Cleaner
from truetty.text.digest import Budget

LINE = b"a line of some output, 50%\r100% done\r\n"
PIECES = 20


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch) -> Output:
    """Long enough for some slices, each of which is over after one piece."""
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0)
    transcript = Transcript()
    window = Window(transcript, 0)
    transcript.append(LINE * (PIECES * PIECE // len(LINE) + 1))
    return Output(window)


READS: list[tuple[Callable[[Output], object], Callable[[Output], Awaitable[object]]]] = [
    (lambda output: output.text(), lambda output: output.slices.text()),
    (lambda output: output.text(1000), lambda output: output.slices.text(1000)),
    (lambda output: output.text(tail=3), lambda output: output.slices.text(tail=3)),
    (lambda output: output.text(500, 2, 2), lambda output: output.slices.text(500, 2, 2)),
    (lambda output: output.page(900_000, 50), lambda output: output.slices.page(900_000, 50)),
    (lambda output: output.grep("100", 1, 30_000)[-3:], lambda output: last_three(output)),
    (lambda output: output.lines, lambda output: output.slices.lines()),
    (lambda output: output.summary(Budget(700)), lambda output: output.slices.summary(Budget(700))),
    (lambda output: output.reader().unread(), lambda output: output.slices.unread()),
]


async def last_three(output: Output) -> object:
    return (await output.slices.grep("100", 1, 30_000))[-3:]


@pytest.mark.parametrize(("at_once", "in_slices"), READS)
async def test_a_read_in_slices_is_the_same_and_gives_the_loop_back(
    output: Output, at_once: Callable[[Output], object], in_slices: Callable[[Output], Awaitable[object]]
) -> None:
    turns = 0

    def turn() -> None:
        nonlocal turns
        turns += 1
        if not reading.done():
            loop.call_soon(turn)

    loop = asyncio.get_running_loop()
    reading = asyncio.ensure_future(in_slices(output))
    loop.call_soon(turn)
    assert await reading == at_once(output)
    assert turns >= PIECES * 0.6  # the page lies before the end


class Counted(BoundedPattern):
    """Counts its searches."""

    __slots__ = ("count",)
    count: int

    def searches(self, text: str, start: int = 0) -> Iterator[Found | None]:
        self.count += 1
        yield from super().searches(text, start)


def test_a_slice_of_a_search_has_few_lines_however_short_they_are() -> None:
    transcript = Transcript()
    window = Window(transcript, 0)
    transcript.append(b"\n" * 100_000)
    pattern = Counted("error")
    pattern.count = before = 0
    for _ in Reads(window).search(pattern, 0, 1000, 10):
        assert pattern.count - before <= 100
        before = pattern.count
    assert pattern.count == 100_000


def test_a_portion_of_tabs_is_small() -> None:
    portions = list(Cleaner().portions(b"\t" * 100_000))
    assert len(portions) > 90 and "".join(text for text, _ in portions) == Cleaner().feed(b"\t" * 100_000)


@pytest.mark.parametrize("unit", [b"\t", b"a\x1b[9999b", b"\x1b[3;4Hx"])
def test_a_slice_of_a_search_cleans_one_portion_where_no_line_ends(
    unit: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    portions = 0
    step = Cleaner._step_through

    def counted(cleaner: Cleaner, data: bytes) -> bytes:
        nonlocal portions
        portions += 1
        return step(cleaner, data)

    monkeypatch.setattr(Cleaner, "_step_through", counted)
    transcript = Transcript()
    window = Window(transcript, 0)
    transcript.append(unit * (300_000 // len(unit)))
    for search in (Reads(window).search(BoundedPattern("x"), 0, 1000, 10), Reads(window).grep("x")):
        before = portions
        for _ in search:
            assert portions - before <= 2
            before = portions


async def test_a_reader_that_is_cancelled_has_read_nothing(output: Output) -> None:
    reading = asyncio.ensure_future(output.slices.unread())
    for _ in range(3):
        await slices.turn()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert await output.slices.unread() == output.text()


async def test_two_readers_at_once_read_nothing_twice(output: Output) -> None:
    first, second = await asyncio.gather(output.slices.unread(), output.slices.unread())
    assert (first, second) == (output.text(), "")
    assert output.all_given and output.unread() == ""


async def test_a_summary_ends_though_the_program_prints_on(output: Output) -> None:
    transcript = Transcript()
    growing = Output(Window(transcript, 0))
    transcript.append(LINE * (4 * PIECE // len(LINE)))
    loop = asyncio.get_running_loop()
    printing = True

    def print_more() -> None:
        transcript.append(LINE * (2 * PIECE // len(LINE)))  # twice as fast as it is read
        if printing:
            loop.call_soon(print_more)

    loop.call_soon(print_more)
    before = growing.lines
    summary = await growing.slices.summary(Budget(1000))
    printing = False
    assert summary.lines == before


async def test_what_is_wrong_is_refused(output: Output) -> None:
    for wrong in (output.slices.text(head=-1), output.slices.page(-1), output.slices.grep("(")):
        with pytest.raises(Misuse):
            await wrong
