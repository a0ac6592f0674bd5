"""Windows on a transcript: what a command printed, without our marks, in pieces and in full."""

from __future__ import annotations

import errno
import os
import random
import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truetty.core import marks
from truetty.core.errors import Misuse
from truetty.core.marks import secret_spans
from truetty.core.scanner import Scanner
from truetty.core.signs import Mark
from truetty.store.output import Output
from truetty.store.search import Match
from truetty.store.transcript import Transcript
from truetty.store.window import Window
from truetty.text.clean import Cleaner
from truetty.text.digest import Budget, digest, tokens

START = b"\x1b]7717;C;secretOfStart\x07"
END = b"\x1b]7717;D;secretOfEnd;0;himBH\x07"
PROMPT = b"\x1b]7717;2;key\x07"


def clean(data: bytes) -> str:
    cleaner = Cleaner()
    return cleaner.feed(data) + cleaner.tail()


def window(data: bytes, *, memory: int = 1 << 20, done: bool = True) -> Output:
    """The output of a command that printed this."""
    transcript = Transcript(memory=memory)
    transcript.append(b"$ trigger line\r\n" + START)
    place = Window(transcript, transcript.size)
    for at in range(0, len(data), 4096):
        transcript.append(data[at : at + 4096])
    if done:
        place.end_at(transcript.append(END))
    return Output(place)


class Terminal:
    """What a terminal does with bytes: append, scan, blank, punch."""

    def __init__(self, memory: int) -> None:
        self.transcript = Transcript(memory=memory)
        self.scanner = Scanner()
        self.window = Window(self.transcript, 0)
        self.output = Output(self.window)

    def take(self, data: bytes) -> None:
        self.transcript.append(data)
        for event in self.scanner.feed(data):
            if isinstance(event, Mark):
                for span in secret_spans(event):
                    self.transcript.blank(*span)
                match event.letter:
                    case "C":
                        self.window.begin(event.end)
                    case "D":
                        self.window.end_at(event.start)
                    case _:
                        self.window.leave_out(event.start, event.end)


PIECES = st.lists(
    st.one_of(
        st.sampled_from([b"one\r\n", b"two words\r\n", b"\r\n", b"no newline", "grün 東京\r\n".encode()]),
        st.just(PROMPT),
        st.sampled_from([b"\x1b[31mred\x1b[0m\r\n", b"\x1b]0;title\x07", b"50%\r100%\r\n", b"\x1b]7717;\r\n", b"\x1b"]),
        st.binary(max_size=10).filter(lambda data: b"\x1b" not in data),
    ),
    max_size=25,
)


@given(pieces=PIECES, seed=st.integers(0, 10_000), memory=st.sampled_from([0, 40, 10_000]))
def test_any_cut_shows_the_programs_bytes_and_never_a_mark(pieces: list[bytes], seed: int, memory: int) -> None:
    chance = random.Random(seed)
    terminal = Terminal(memory)
    stream = b"$ line\r\n" + START + b"".join(pieces) + END + b"$ "
    program = b"".join(piece for piece in pieces if piece != PROMPT)
    at = 0
    while at < len(stream):
        size = chance.choice((1, 2, 5, 20, 200))
        terminal.take(stream[at : at + size])
        at += size
        if at > len(b"$ line\r\n" + START):
            raw = terminal.output.raw()
            assert program.startswith(raw)
            assert terminal.output.bytes == len(raw)
            assert terminal.output.complete
            text = terminal.output.unread()
            assert "secretOfStart" not in text and "secretOfEnd" not in text  # longer than any random piece
    assert terminal.output.raw() == program
    text = clean(program)
    assert terminal.output.text() == text
    assert terminal.output.reader().unread() == text
    assert terminal.output.summary(Budget(30_000)).text == clean(program)
    offset, limit = chance.randrange(60), chance.randrange(60)
    assert terminal.output.read(offset, limit) == program[offset : offset + limit]


@given(
    pieces=st.lists(
        st.sampled_from([b"line\r\n", b"part ", b"\r\n", PROMPT, b"\x1b[1mbold\x1b[m", "東".encode()]), max_size=80
    ),
    seed=st.integers(0, 10_000),
)
def test_unread_pieces_together_are_the_text(pieces: list[bytes], seed: int) -> None:
    chance = random.Random(seed)
    terminal = Terminal(1000)
    stream = START + b"".join(pieces) + END
    given_, at = "", 0
    other = terminal.output.reader()
    while at < len(stream):
        size = chance.choice((1, 3, 10, 50))
        terminal.take(stream[at : at + size])
        at += size
        if at >= len(START) and chance.random() < 0.5:
            given_ += terminal.output.unread()
    given_ += terminal.output.unread()
    text = clean(b"".join(piece for piece in pieces if piece != PROMPT))
    assert given_ == text
    assert terminal.output.unread() == ""
    assert other.unread() == text


def test_a_line_that_changed_is_given_again_whole() -> None:
    transcript = Transcript()
    output = Output(Window(transcript, 0))
    transcript.append(b"start\r\n 10%")
    assert output.unread() == "start\n 10%"
    transcript.append(b"\r 50%")
    assert output.unread() == " 50%"
    transcript.append(b"\r\x1b[K")
    assert output.unread() == ""
    transcript.append(b"done\r\nPassword: ")
    assert output.unread() == "done\nPassword: "
    transcript.append(b"\r\nok\r\n")
    assert output.unread() == "\nok\n"
    assert output.reader().unread() == "start\ndone\nPassword: \nok\n"


def test_unread_within_a_budget_says_what_it_leaves_out() -> None:
    output = window(b"".join(b"line %d\r\n" % n for n in range(50_000)))
    text = output.unread(budget=1000)
    assert len(text) <= 1000
    assert text.startswith("line 0\n") and text.endswith("line 49999\n") and "left out" in text
    assert output.unread(budget=1000) == ""


def test_a_later_start_mark_counts() -> None:
    transcript = Transcript()
    transcript.append(b"echo of the trigger")
    place = Window(transcript, 0)
    output = Output(place)
    assert output.unread() == "echo of the trigger"
    place.leave_out(0, 4)
    place.begin(transcript.append(b"real\r\n"))
    assert output.raw() == b"real\r\n"
    assert output.unread() == "real\n"
    assert output.bytes == 6


def test_a_running_output_hides_the_first_half_of_a_mark() -> None:
    transcript = Transcript()
    place = Window(transcript, transcript.append(b"text"))
    output = Output(place)
    for byte in END[:-1]:
        transcript.append(bytes([byte]))
        assert output.raw() == b"text"
        assert output.unread() in ("text", "")
    end = transcript.append(END[-1:]) + 1
    place.leave_out(4, end)
    transcript.append(b" more")
    assert output.raw() == b"text more"
    assert output.unread() == " more"


def test_what_only_looks_like_a_mark_is_shown_in_the_end() -> None:
    transcript = Transcript()
    place = Window(transcript, 0)
    output = Output(place)
    transcript.append(b"a\x1b]7717;" + b"x" * marks.LONGEST)
    size = transcript.size
    assert output.bytes == size
    transcript.append(b"\x1b")
    assert output.bytes == size
    place.end_at(transcript.size)
    assert output.bytes == size + 1


def test_reading_pages_by_offset() -> None:
    output = window(b"0123456789", memory=4)
    assert output.read(3, 4) == b"3456"
    assert output.read(8) == b"89"
    assert output.read(10) == output.read(0, 0) == output.read(5, -1) == b""
    assert output.read(-3, 2) == b"01"


def test_nothing_printed() -> None:
    output = window(b"")
    assert output.raw() == b""
    assert output.text() == output.unread() == output.text(head=3, tail=3) == ""
    assert (output.bytes, output.lines, output.complete, output.path) == (0, 0, True, None)
    assert output.summary(Budget(100)) == ("", 0, 0, 0, ())
    assert output.grep(".") == []


@pytest.mark.parametrize(
    "data", [b"a", b"a\r\n", b"a\r\nb", b"\r\n\r\n", b"".join(b"%d\r\n" % n for n in range(60_000))]
)
def test_lines_are_counted_as_people_do(data: bytes) -> None:
    for done in (True, False):
        output = window(data, done=done)
        expected = len(clean(data).splitlines())
        assert output.lines == output.summary(Budget(500)).lines == expected
        assert output.lines == expected


def test_a_summary_is_the_digest_of_the_whole() -> None:
    data = b"".join(b"\x1b[32m%d\x1b[0m some words\r\n" % n for n in range(40_000))
    text = clean(data)
    expected = digest(text, Budget(30_000))
    output = window(data, memory=10_000)
    assert output.summary(Budget(30_000)) == (
        expected.text,
        expected.omitted,
        expected.lines,
        tokens(expected.characters),
        (),
    )
    assert output.text(budget=30_000) == expected.text
    assert output.text() == text
    assert window(data[:100]).summary(Budget(30_000)).omitted == 0


def test_a_summary_of_a_running_command_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = Transcript()
    place = Window(transcript, 0)
    output = Output(place)
    line = b"some line of output, 50%\r100%\r\n"
    for _ in range(20_000):
        transcript.append(line)
    first = output.summary(Budget(1000))
    read: list[int] = []
    plain = Transcript.read

    def counted(self: Transcript, offset: int = 0, limit: int | None = None) -> bytes:
        data = plain(self, offset, limit)
        read.append(len(data))
        return data

    monkeypatch.setattr(Transcript, "read", counted)
    for _ in range(10):
        transcript.append(line)
    second = output.summary(Budget(1000))
    assert second.lines == first.lines + 10
    assert sum(read) < 10_000
    place.leave_out(5, 25)  # behind the point that the pass has reached: it must begin anew
    place.end_at(transcript.size)
    expected = digest(clean(output.raw()), Budget(1000))
    assert output.summary(Budget(1000)) == (
        expected.text,
        expected.omitted,
        expected.lines,
        tokens(expected.characters),
        (),
    )


def test_passes_with_a_budget_need_no_memory_of_the_outputs_size() -> None:
    lines = b"".join(b"a line with the number %d in it\r\n" % n for n in range(2000))
    transcript = Transcript()
    output = Output(Window(transcript, 0))
    while transcript.size < 8 << 20:
        transcript.append(lines)
    tracemalloc.start()
    try:
        output.summary(Budget(30_000))
        output.text(budget=2000, tail=100)
        assert output.text(head=1) == "a line with the number 0 in it\n"
        assert output.grep("no such words", context=2) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 << 20


def test_head_and_tail_are_lines() -> None:
    output = window(b"".join(b"%d\r\n" % n for n in range(1, 101)) + b"last")
    assert output.text(head=2) == "1\n2\n"
    assert output.text(tail=2) == "100\nlast"
    assert output.text(head=1, tail=1) == "1\n[… 290 characters, 99 lines left out …]\nlast"
    assert output.text(head=50, tail=51) == output.text(head=1000) == output.text(tail=1000) == output.text()
    assert output.text(head=60, tail=60) == output.text()
    assert output.text(head=0) == output.text(tail=0) == ""
    with pytest.raises(Misuse):
        output.text(head=-1)
    assert window(b"a\r\nb\r\n").text(tail=1) == "b\n"


@given(
    lines=st.lists(st.sampled_from(["", "x", "long line"]), max_size=60),
    head=st.integers(0, 70),
    tail=st.integers(0, 70),
)
def test_head_and_tail_equal_slices(lines: list[str], head: int, tail: int) -> None:
    output = window("".join(line + "\r\n" for line in lines).encode())
    ends = [line + "\n" for line in lines]
    assert output.text(head=head) == "".join(ends[:head])
    assert output.text(tail=tail) == "".join(ends[len(ends) - min(tail, len(ends)) :])
    if head and tail and head + tail >= len(ends):
        assert output.text(head=head, tail=tail) == "".join(ends)


def test_head_and_tail_of_an_endless_line_are_bounded_and_counted() -> None:
    output = window(b"x" * 100_000 + b"\r\n" + b"y" * 100_000)
    text = output.text(budget=1000, head=1, tail=1)
    assert len(text) <= 1000
    assert text.startswith("x") and text.endswith("y") and "left out" in text


def test_grep() -> None:
    data = b"".join(b"line %d\r\n" % n for n in range(1, 8)) + b"\x1b[31merror: bad\x1b[0m\r\nline 9\r\nno newline 5"
    output = window(data)
    assert output.grep("error") == [Match(8, "error: bad")]
    assert output.grep(r"5$", context=1) == [
        Match(5, "line 5", ("line 4",), ("line 6",)),
        Match(10, "no newline 5", ("line 9",), ()),
    ]
    assert output.grep("line [12]$", context=2) == [
        Match(1, "line 1", (), ("line 2", "line 3")),
        Match(2, "line 2", ("line 1",), ("line 3", "line 4")),
    ]
    assert output.grep("line", context=1, limit=1) == [Match(1, "line 1", (), ("line 2",))]
    assert output.grep("line", limit=2) == [Match(1, "line 1"), Match(2, "line 2")]
    assert len(output.grep(re.compile("LINE", re.IGNORECASE))) == 9
    with pytest.raises(Misuse):
        output.grep("(")


def test_grep_across_pieces() -> None:
    data = b"".join(b"number %d end\r\n" % n for n in range(30_000))
    assert [match.line_number for match in window(data, memory=5000).grep(r"^number \d*777 end$")] == [
        n + 1 for n in range(777, 30_000, 1000)
    ]


def test_gaps_are_told_and_do_not_glue_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    transcript = Transcript(memory=0)
    place = Window(transcript, 0)
    output = Output(place)
    later = Output(Window(transcript, 32))
    transcript.append(b"first line\r\nsecond \x1b]0;ti")
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", refuse)
        transcript.append(b"l o s t")
    transcript.append(b"cut off\r\nlast\r\n")
    assert transcript.gaps() == ((25, 32),)
    assert output.text() == "first line\nsecond \n[… 7 bytes were not kept …]\ncut off\nlast\n"
    assert output.unread() == output.text() == output.summary(Budget(1000)).text
    assert not output.complete and output.missing == 7
    assert output.bytes == transcript.size
    assert output.raw() == b"first line\r\nsecond \x1b]0;ticut off\r\nlast\r\n"
    assert later.complete
    place.leave_out(25, 32)
    assert output.complete


def test_a_closed_transcript_is_read_all_the_same() -> None:
    data = b"".join(b"line %d\r\n" % n for n in range(10_000))
    output = window(data, memory=1000)
    output._window.transcript.close()
    assert output.raw() == data
    assert output.text() == clean(data)
    assert output.path is not None
    with open(output.path, "rb") as file:
        assert data in file.read()


def test_lines_within_a_budget_are_counted_exactly() -> None:
    """One mark, and what it says is true of the original."""
    lines = [f"{number:04} {'x' * 25}" for number in range(1000)]
    output = window("".join(f"{line}\r\n" for line in lines).encode())
    shown = output.text(budget=200, head=50, tail=50)
    assert len(shown) <= 200
    found = re.search(r"\[… ([\d,]+) characters, ([\d,]+) lines left out …\]\n", shown)
    assert found is not None
    upper, lower = shown[: found.start()], shown[found.end() :]
    whole = "".join(f"{line}\n" for line in lines)
    assert whole.startswith(upper.rstrip("\n")) and whole.endswith(lower)
    assert int(found[1].replace(",", "")) == len(whole) - len(upper.rstrip("\n")) - len(lower)


# -- a command that has ended on the alternate screen


@pytest.mark.parametrize("when", ["before", "on it", "after"])
def test_the_last_screen_is_the_end_of_the_text_for_every_reader(when: str) -> None:
    before, switch, drawn, last = b"one\r\n", b"\x1b[?1049h", b"drawn\x1b[2J", b"\x1b[Hlast\r\n"
    transcript = Transcript()
    window = Window(transcript, 0)
    output, given = Output(window), ""
    for part, name in ((before, "before"), (switch + drawn, "on it"), (last, "after")):
        transcript.append(part)
        if name == when:
            given = output.unread()
            assert given == output.text() == "one\n"
    window.end_at(transcript.size)
    window.show_screen(len(before), len(before + switch + drawn))
    assert not output.all_given
    given += output.unread()
    assert given == output.text() == output.summary(Budget()).text == output.page() == "one\nlast\n"
    assert output.unread() == "" and output.all_given
    assert output.raw() == before + switch + drawn + last
