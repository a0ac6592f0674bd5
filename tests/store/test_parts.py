"""Parts of an output and searches in it: what is in them, and what they count."""

from __future__ import annotations

import asyncio
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truetty.store.output import Output
from truetty.store.transcript import Transcript
from truetty.store.window import Window
from truetty.text.digest import Budget, Digest

TEXT = "".join(f"{number} line\n" for number in range(30_000))  # more than is held


def output(text: str, *, ended: bool = True) -> Output:
    transcript = Transcript()
    transcript.append(text.replace("\n", "\r\n").encode())
    window = Window(transcript, 0)
    if ended:
        window.end_at(transcript.size)
    return Output(window)


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize(("offset", "limit"), [(0, 10), (100_000, 7), (len(TEXT) - 5, 100), (len(TEXT), 1), (10**9, 1)])
async def test_a_part_says_how_much_stands_behind_it(offset: int, limit: int, ended: bool) -> None:
    part = await output(TEXT, ended=ended).slices.part(offset, limit)
    assert part.text == TEXT[offset : offset + limit] and part.omitted == len(TEXT[offset + limit :])
    assert part.next_offset == (offset + limit if part.omitted else None)


@pytest.mark.parametrize("lines", [0, 1, 5, 29_999, 30_000, 10**12])
@pytest.mark.parametrize("limit", [0, 1, 20, 1000, 10**6])
async def test_the_last_lines(lines: int, limit: int) -> None:
    asked = "".join(TEXT.splitlines(keepends=True)[-lines:]) if lines else ""
    part = await output(TEXT).slices.last(lines, limit)
    assert part.text == (asked[-limit:] if limit else "") and part.omitted == len(asked) - len(part.text)
    assert part.next_offset == (len(TEXT) - len(asked) if part.omitted else None)
    assert part.offset == len(TEXT) - len(part.text)


@given(st.lists(st.sampled_from(["hit", "miss", "a hit", ""]), max_size=30), st.integers(0, 3), st.integers(0, 200))
def test_a_search_shows_each_line_once_and_counts_the_rest(lines: list[str], context: int, limit: int) -> None:
    text = "".join(f"{line}\n" for line in lines)
    found = asyncio.run(output(text).slices.search(re.compile("hit"), context, limit, 1000))
    hits = [number for number, line in enumerate(lines) if "hit" in line]
    wanted = [at for at in range(len(lines)) if any(abs(at - hit) <= context for hit in hits)]
    whole = "".join(f"{at + 1}{':' if at in hits else '-'}{lines[at]}\n" for at in wanted)
    assert found.count == len(hits) and whole.startswith(found.part.text) and len(found.part.text) <= limit
    assert (found.part.omitted == 0) == (found.part.next_offset is None) == (found.part.text == whole)
    if found.part.text.endswith("\n") or not found.part.text:
        left = wanted[found.part.text.count("\n") :]
        assert found.part.omitted == sum(len(lines[at]) + 1 for at in left)


@given(st.lists(st.sampled_from(["same\n", "1 of 9\n", "2 of 9\n", "x" * 90 + "\n", "y"]), max_size=60))
def test_a_gap_is_where_the_first_line_stands_that_is_not_whole(pieces: list[str]) -> None:
    text = "".join(pieces)
    digest = Digest(Budget(1000))
    digest.feed(text)
    for characters in (200, 300, 1000):
        smaller, alone = digest.result(Budget(characters)), Digest(Budget(characters))
        alone.feed(text)
        assert smaller == alone.result()
        assert (smaller.gap is None) == (smaller.omitted == 0)
        if smaller.gap is not None:
            assert smaller.text.startswith(text[: smaller.gap])


async def test_a_cursor_that_falls_behind_what_is_held_gives_everything_once() -> None:
    transcript = Transcript()
    made = Output(Window(transcript, 0))
    cursor, parts = made.reader(), []
    for _ in range(3):
        transcript.append(TEXT.replace("\n", "\r\n").encode())
        await made.slices.summary(Budget())
        parts.append(await cursor.take())
    assert [part.text for part in parts] == [TEXT] * 3
    assert [part.offset for part in parts] == [0, len(TEXT), 2 * len(TEXT)]
