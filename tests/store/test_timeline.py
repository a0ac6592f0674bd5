"""What viewers see beside the bytes: times, sizes, and the command in the place of our own line."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, opened
from truetty.store import timeline as module
from truetty.store.timeline import MOST_SIZES, Timeline
from truetty.store.transcript import Transcript
from truetty.testing import mark
from truetty.text.clean import clean


def seen(record: Timeline, start: int = 0) -> bytes:
    return b"".join(data for _, data in record.pieces(start, record.end))


def test_our_line_is_shown_as_what_it_runs() -> None:
    transcript = Transcript()
    record = Timeline(transcript, (80, 24), 100.0)
    transcript.append(b"$ ")
    record.hide_echo(b" . /run/x/c1;eval\n")
    assert seen(record) == b"$ "
    transcript.append(b" . /run/x/c1;ev")
    assert seen(record) == b"$ " and record.end == 2  # not while it is being echoed
    transcript.append(b"al\r\n" + (start := mark("C", "s" * 21)))
    record.end_echo(transcript.size, "ls -l\nmore")
    transcript.append(b"out\r\n" + mark("D", "e" * 21, 0, "im") + b"$ ")
    assert seen(record) == b"$ ls -l\r\nmore\r\nout\r\n$ "
    assert start not in seen(record)
    assert seen(record, record.end - 2) == b"$ "


def test_a_prompt_that_is_drawn_after_we_have_typed_is_seen() -> None:
    transcript = Transcript()
    record = Timeline(transcript, (80, 24), 0.0)
    record.hide_echo(b" . /run/x/c1\n")
    transcript.append(b"\x1b]0;. /run/x\x07\x1b[1m$ \x1b[0m")
    transcript.append(b"\x1b[32m.\x1b[0m /run/x/c1\r\n")
    record.end_echo(transcript.size, "ls")
    assert seen(record) == b"\x1b]0;. /run/x\x07\x1b[1m$ \x1b[0m\x1b[32mls\r\n"


def test_the_next_process_hides_our_lines_too() -> None:
    transcript = Transcript()
    record = Timeline(transcript, (80, 24), 0.0)
    commands = []
    for text in ("ls -l", "pwd"):
        transcript.append(b"$ ")
        record.hide_echo(b" . /run/x/c1;eval\n")
        transcript.append(b" . /run/x/c1;eval\r\n")
        record.end_echo(transcript.size, text)
        commands.append((transcript.size, text, 0.0))
        transcript.append(b"out\r\n")
    again = Timeline(transcript, (80, 24), 0.0)
    again.take_over([], commands, record.new_echoes())
    assert seen(again) == seen(record) == b"$ ls -l\r\nout\r\n$ pwd\r\nout\r\n"
    assert again.commands(0, transcript.size) == record.commands(0, transcript.size)
    assert record.new_echoes() == again.new_echoes() == []  # they are written down


TYPED = b" \\history -s x;\\history -d -1;. /run/x/c1\n"
ECHO = TYPED[:-1] + b"\r\n"
PROMPT_MARK = mark("P", "k" * 22, 0, "im")


@pytest.mark.parametrize(
    "came",
    [
        PROMPT_MARK + b"$ " + ECHO,
        ECHO + PROMPT_MARK + b"$ " + ECHO,
        PROMPT_MARK + ECHO + b"$ " + ECHO,
        TYPED[:-1] + PROMPT_MARK + b"$ " + ECHO,
    ],
    ids=["the editor reads", "typed before the mark", "typed between mark and prompt", "the mark cuts the echo"],
)
def test_each_echo_of_our_line_is_hidden_and_the_prompt_is_seen(came: bytes) -> None:
    transcript = Transcript()
    record = Timeline(transcript, (80, 24), 0.0)
    record.hide_echo(TYPED)
    transcript.append(came)
    record.end_echo(transcript.size, "ls")
    assert seen(record) == b"$ ls\r\n"


def test_marks_are_shown_to_nobody_however_long_the_stream() -> None:
    transcript = Transcript()
    record = Timeline(transcript, (80, 24), 0.0)
    chance = random.Random(7)
    plain = bytearray()
    for _ in range(4000):
        piece = b"x" * chance.randrange(60)
        transcript.append(piece + mark("P", "k" * 22, chance.randrange(256), "im"))
        plain += piece
    assert seen(record) == bytes(plain)


def test_times_get_coarser_but_stay_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TIMES", 64)
    transcript = Transcript()
    record = Timeline(transcript, (80, 24), 0.0)
    for second in range(1, 10_001):
        record.on_bytes(transcript.append(b"x"), float(second))
    assert record.heard_at == 10_000.0 and len(record._times) <= 65
    for offset in range(0, 10_000, 37):
        assert offset + 1 - 3 * record._step <= record.time_of(offset) <= offset + 1
    offsets = [at for at, _ in record.turns(0, 10_000)]
    assert offsets == sorted(set(offsets))


def test_sizes() -> None:
    transcript = Transcript()
    record = Timeline(transcript, (80, 24), 0.0)
    transcript.append(b"12345")
    record.on_resize((100, 30), 1.0)
    assert (record.size_at(0), record.size_at(4), record.size_at(5)) == ((80, 24), (80, 24), (100, 30))
    assert record.resizes(0, 5) == [(5, 1.0, (100, 30))] and record.resizes(5, 9) == []


def test_of_more_sizes_than_are_kept_the_oldest_kept_one_stands_for_all_before() -> None:
    transcript = Transcript()
    timeline = Timeline(transcript, (80, 24), 0.0)
    for columns in range(1, MOST_SIZES + 2):
        transcript.append(b"x")
        timeline.on_resize((columns, 24), 0.0)
    assert timeline.size_at(0) == timeline.size_at(2) == (2, 24)
    assert timeline.size_at(MOST_SIZES) == (MOST_SIZES, 24)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash", "ksh93", "mksh", "tcsh"])
async def test_people_see_the_command_and_not_our_line(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        for number in range(5):
            await terminal.run(f"echo shown {number}", wait=PATIENCE)
        assert terminal._conversation is not None
        shown = seen(terminal._conversation.link.timeline)
        text = clean(shown)
        for number in range(5):
            assert re.search(rf"echo shown {number} *\nshown {number}\n", text), text
        assert b"7717" not in shown and b"eval" not in shown and b"/dev/shm" not in shown, shown
