"""Clean text: each rule by example, whole and cut; then everything against xterm.js, and any cut of anything."""

from __future__ import annotations

import itertools
import random
import sys
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import each_row
from tests.text import streams, truth
from truetty.text.clean import Cleaner, clean

if TYPE_CHECKING:
    from _typeshed import TraceFunction

RECORDINGS = sorted(Path(__file__).with_name("recordings").glob("*.raw"))
ESC = "\x1b"


def cleaned(chunks: Iterable[bytes], columns: int = 120, rows: int = 30) -> str:
    cleaner = Cleaner(columns, rows)
    return "".join([cleaner.feed(chunk) for chunk in chunks]) + cleaner.tail()


def pieces(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


CASES: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", ""),
    "a final newline stays": ("hello\r\n", "hello\n"),
    "none is added": ("hello", "hello"),
    "blank lines": ("\r\n\r\na\r\n\r\n", "\n\na\n\n"),
    "two returns before a line feed": ("a\r\r\nb\r\r\n", "a\nb\n"),
    "a bare line feed keeps the column": ("ab\ncd\r\nef", "ab\n  cd\nef"),
    "colours": ("\x1b[1;31mred\x1b[0m and \x1b[38;2;1;2;3mmore\x1b[m\r\n", "red and more\n"),
    "colours with sub-parameters": ("\x1b[4:3mcurly\x1b[58:2::1:2:3m\x1b[m", "curly"),
    "other escapes": ("\x1b=\x1b[?25l\x1b[>4;2m\x1b[2 q\x1b(Btext\x1b[?2004h\x1b[6n", "text"),
    "written blanks at the end stay": ("a  \r\nb \x1b[K\r\n", "a  \nb \n"),
    "unwritten ones do not": ("a\x1b[5C\r\nb\x1b[3Cc\r\n", "a\nb   c\n"),
    "tabs stay": ("a\tb\r\n\tc\t\r\n", "a\tb\n\tc\t\n"),
    "a tab that lost a cell is blanks": ("\tx\rab\r\n", "ab      x\n"),
    "a tab only moves over text": ("0123456789\r\tX\r\n", "01234567X9\n"),
    "a tab at the last column": ("x" * 119 + "\t\ty\r\n", "x" * 119 + "\t\ty\n"),
    "room made below the cursor": ("a?\r\r\n\r\r\n \b\x1b[2A\x1b[3C", "a?"),
    "room made below it, and cleared": ("a?\r\r\n\r\r\n \b\x1b[2A\r\x1b[Ja? b\r\n", "a?\na? b\n"),
    "room in which something stands": ("a?\r\n\r\n b\x1b[2A", "a?\n\n b"),
    "a bar": ("10%\r 50%\r100%\r\n", "100%\n"),
    "a shorter update leaves the rest": ("abcdef\rXY\r\n", "XYcdef\n"),
    "erased to the right": ("abcdef\rXY\x1b[K\r\n", "XY\n"),
    "erased before": ("abc\x1b[2K\rXY\r\n", "XY\n"),
    "erased to the left": ("abcdef\x1b[3D\x1b[1K\r\n", "    ef\n"),
    "backspace": ("abc\b\bX\r\n", "aXc\n"),
    "overstruck": ("N\bNA\bAM\bM_\bE\r\n", "NAME\n"),
    "insert and delete": ("abcdef\x1b[4D\x1b[2@XY\x1b[P\r\n", "abXYdef\n"),
    "insert mode": ("abc\r\x1b[4hX\x1b[4lY\r\n", "XYbc\n"),
    "repeat": ("-\x1b[9b\r\n", "----------\n"),
    "several lines redrawn": ("a 1\r\nb 1\r\n\x1b[2Aa 2\r\nb 2\r\n", "a 2\nb 2\n"),
    "absolute": ("\x1b[3;2Hx\x1b[1;1Htop", "top\n\n x"),
    "soft wraps are joined": ("x" * 250 + "\r\ny", "x" * 250 + "\ny"),
    "a return after a wrap": ("x" * 130 + "\rY\r\n", "x" * 120 + "Y" + "x" * 9 + "\n"),
    "erasing at a pending wrap": ("x" * 120 + "\x1b[Ky", "x" * 120 + "y"),
    "wide": ("漢字\b\bX\r\n", "漢X\n"),
    "half of a wide one": ("漢字\rX\r\n", "X 字\n"),
    "wide across the end of a row": ("x" * 119 + "漢\r\n", "x" * 119 + "漢\n"),
    "marks": ("e\u0301a\u0308\b\bX\r\n", "Xa\u0308\n"),
    "a mark on nothing": ("\u0301x\r\n", "\u0301x\n"),
    "emoji": ("👩\u200d👧 🏳\ufe0f 🇩🇪\r\n", "👩\u200d👧 🏳\ufe0f 🇩🇪\n"),
    "plane 16": ("\U00100000\r\n\x1b[A\U0010fffdx\r\n", "\U0010fffdx\n"),
    "a byte order mark": ("\ufefftext", "\ufefftext"),
    "line drawing": ("\x1b(0lqk\x1b(B lqk\r\n", "┌─┐ lqk\n"),
    "shifted out": ("\x1b)0\x0eqx\x0fqx", "─│qx"),
    "links as their text": ("\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\\r\n", "text\n"),
    "foreign marks": (
        "\x1b]133;A\x07$ \x1b]133;C\x07\x1b]633;E;ls;abc\x07\x1b]7;file://h/\x1b\\\x1b]3008;start=1\x1b\\x\r\n",
        "$ x\n",
    ),
    "our own": ("\x1b]7717;C;abc\x07x\x1b]7717;D;abc;0;him\x07", "x"),
    "all kinds of strings": (
        "a\x1bP1$r\x1b\\b\x1b_G;data\x1b\\c\x1b^x\x1b\\d\x1bXy\x1b\\e\x1b]52;c;eA==\x07f",
        "abcdef",
    ),
    "strings in another script": ("a\x1b_漢\x1b\\b\x1b]0;漢\x07c\x1bPé\x1b\\d", "abcd"),
    "a string an escape ends": ("\x1b]0;title\x1b[31mtext", "text"),
    "a string CAN ends": ("\x1b]0;title\x18text", "text"),
    "a broken sequence is not completed": ("\x1b[\x1b[31mK", "K"),
    "controls inside a sequence": ("ab\x1b[3\r1mX", "Xb"),
    "controls of no effect": ("a\0b\x07c\x01d\x7fe\x1c", "abcde"),
    "8-bit controls": ("a\x85b\x9b31mc\x9d0;t\x9cd", "a\nbcd"),
    "the last row after the alternate screen": (
        "before\r\n\x1b[?1049hvim\x1b[?1049lVim: Finished.\r\n\x1b[30;1HTerminated\r\n",
        "before\nVim: Finished.\nTerminated\n",
    ),
    "the last row": ("one\r\n\x1b[5;1Hfive\r\n", "one\n\n\n\nfive\n"),
    "the alternate screen": ("before\r\n\x1b[?1049hvim\x1b[5;5Hx\x1b[2J\x1b[?1049lafter\r\n", "before\nafter\n"),
    "a clear keeps": ("one\r\ntwo\x1b[H\x1b[2J\x1b[3Jthree\r\n", "one\ntwo\nthree\n"),
    "so does one by ED 0": ("one\x1b[H\x1b[Jtwo", "one\ntwo"),
    "so does a reset": ("one\x1bctwo", "one\ntwo"),
    "the same screen once": ("one\x1b[H\x1b[2Jone\x1b[H\x1b[2Jone", "one\none"),
    "a scroll region": ("\x1b[1;29r\x1b7\x1b[30;1Hbar\x1b8a\r\nb\r\n\x1b[r\x1b[30;1H\x1b[K\x1b[3;1H", "a\nb\n"),
    "no wrapping": ("\x1b[?7l" + "x" * 130 + "Y\x1b[?7h\r\n", "x" * 119 + "Y\n"),
    "origin": ("\x1b[5;10r\x1b[?6h\x1b[1;1Hx\x1b[?6l\x1b[r", "\n\n\n\nx"),
    "saved and restored": ("ab\x1b7cd\x1b8X\r\n", "abXd\n"),
    "tab stops": ("ab\x1bH\r\tc\r\n", "abc\n"),
    "invalid": (b"a\xff\xe2\x28b", "a\ufffd\ufffd(b"),
    "a character cut off by the end": (b"a\xe6\xbc", "a\ufffd"),
    "a sequence cut off by the end": (b"a\x1b[3", "a"),
}


@each_row("name", CASES)
def test_rules(name: str) -> None:
    given_, expected = CASES[name]
    data = given_ if isinstance(given_, bytes) else given_.encode()
    assert clean(data) == expected
    assert cleaned(bytes([byte]) for byte in data) == expected
    for cut in range(len(data)):
        assert cleaned([data[:cut], data[cut:]]) == expected
    # After enough lines, and before more of them, it is the same.
    before = "".join(f"line {number}\n" for number in range(40))
    assert clean(before.replace("\n", "\r\n").encode() + b"\x1b[2J\x1b[H" + data) == before + expected


def test_lines_are_final_once_out_of_reach() -> None:
    cleaner = Cleaner(columns=20, rows=5)
    assert cleaner.feed(b"1\r\n2\r\n3\r\n4\r\n") == ""
    assert cleaner.feed(b"5\r\n") == "1"
    assert cleaner.feed(b"\x1b[9Atop\r\n") == ""
    assert cleaner.tail() == "\ntop\n3\n4\n5"
    assert cleaner.tail() == "\ntop\n3\n4\n5"


def test_saved_cursor_stays_with_its_row() -> None:
    data = b"a\x1b7\r\n" + b"b\r\n" * 3 + b"\x1b8X"
    assert clean(data, 20, 5) == "aX\nb\nb\nb"
    assert clean(data, 20, 3) == "a\nb\nbX\nb"  # its row has left: the top is as near as it gets


def test_invalid_bytes_are_counted() -> None:
    cleaner = Cleaner()
    cleaner.feed(b"ok \xff\xfe \xe2\x82")
    assert cleaner.invalid == 4  # the last two may still become a character
    assert cleaner.tail() == "ok \ufffd\ufffd \ufffd"
    cleaner.feed(b"\xac")
    assert cleaner.invalid == 2
    assert cleaner.tail() == "ok \ufffd\ufffd €"
    cleaner.feed("\ufffd".encode() + b"\xf0\x9f(")
    assert cleaner.invalid == 4
    assert cleaner.tail() == "ok \ufffd\ufffd €\ufffd\ufffd("


def test_tail_changes_nothing() -> None:
    data = "10%\r20%\r\né漢\x1b[2Ax\x1b[3".encode() + b"\xe6\xbc"
    cleaner = Cleaner(20, 6)
    text = ""
    for byte in data:
        text += cleaner.feed(bytes([byte]))
        cleaner.tail()
    assert text + cleaner.tail() == clean(data, 20, 6)


@pytest.mark.parametrize(
    "endless",
    [b"x" * 4096, "漢e\u0301".encode() * 700, "\u0301".encode() * 2048, b"\t" * 1024, b"a\tb" * 900],
    ids=["narrow", "wide and marks", "marks", "tabs", "with tabs"],
)
def test_an_endless_line_leaves_by_its_top(endless: bytes) -> None:
    cleaner = Cleaner()
    text = "".join([cleaner.feed(endless) for _ in range(40)])
    tail = cleaner.tail()
    assert text + tail == endless.decode() * 40
    # Some thirty marks on each cell is the most a screen can hold.
    assert len(tail) <= 120 * 30 * 31
    assert len(text) > 0


@pytest.mark.parametrize(
    "endless",
    [b"\x1b]0;", b"\x1bP", b"\x1b_", b"\x1b[1;", b"\x1b[\x01", b"\x1b ", b"\x1b[?1049h"],
    ids=["OSC", "DCS", "APC", "CSI", "controls in CSI", "ESC", "alternate screen"],
)
def test_endless_sequences_take_no_room(endless: bytes) -> None:
    cleaner = Cleaner()
    cleaner.feed(endless)
    filler = endless[2:] if endless[:2] == b"\x1b[" and endless[-1:] != b"h" else b" "
    chunk = filler * (4096 // len(filler))
    cleaner.feed(chunk)
    tracemalloc.start()
    try:
        for _ in range(200):
            assert cleaner.feed(chunk) == ""
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200_000
    assert cleaner.tail() == ""


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recordings_read_as_in_xterm(path: Path, xterm: truth.Xterm) -> None:
    data = path.read_bytes()
    expected = xterm.text(120, 30, data)
    text = clean(data)
    assert truth.without_tabs(text, 120) == expected
    chance = random.Random(path.stem)
    for _ in range(3):
        assert cleaned(pieces(data, chance.sample(range(len(data)), min(len(data), 200)))) == text


@pytest.mark.parametrize("kind", ["lines", "moves", "rare", "tabs", "stops"])
@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.long)])
def test_random_streams_read_as_in_xterm(kind: str, count: int, xterm: truth.Xterm) -> None:
    chance = random.Random(f"{kind} {count}")
    columns = 60 if kind == "tabs" else 20  # a tab in a line that wraps cannot be told from blanks afterwards
    given_ = [(columns, 6, streams.stream(chance, kind)) for _ in range(count)]
    answers = [xterm.text(*case) for case in given_]
    assert answers.count(None) < len(answers) // 100
    wrong = []
    for (_, rows, data), expected in zip(given_, answers, strict=True):
        text = truth.without_tabs(clean(data, columns, rows), columns)
        if expected is None:
            continue
        if kind == "tabs":  # a row with nothing but a tab is a row here
            text, expected = text.rstrip("\n"), expected.rstrip("\n")
        if text != expected:
            wrong.append((data, text, expected))
    assert not wrong, f"{len(wrong)} of {len(answers)} differ, such as {wrong[0]}"


PIECES = st.one_of(
    st.sampled_from([word.encode() for word in (*streams.WORDS, *streams.TABS)]),
    st.sampled_from([part.encode() for part in (*streams.LINES, *streams.MOVES, *streams.RARE)]),
    st.builds(
        lambda values, final: f"{ESC}[{values}{final}".encode(),
        st.text("0123456789;:?>! ", max_size=6),
        st.sampled_from([*"@ABCDEFGHIJKLMPSTXZ`abdefghlmpqrsu"]),
    ),
    st.sampled_from([*b"\x1b[]P\\\x9b\xc2\x18\x07;?m\xcc\x81\xff\xe6"]).map(lambda byte: bytes([byte])),
    st.text(max_size=6).map(lambda text: text.encode("utf-8", "replace")),
    st.binary(max_size=4),
)
STREAMS = st.lists(PIECES, max_size=40).map(b"".join)


@given(STREAMS, st.lists(st.integers(0, 300), max_size=12), st.sampled_from([(20, 6), (120, 30), (2, 1), (9, 3)]))
def test_any_cut_gives_the_same_text(data: bytes, cuts: list[int], size: tuple[int, int]) -> None:
    whole = clean(data, *size)
    assert cleaned(pieces(data, cuts), *size) == whole
    assert cleaned([bytes([byte]) for byte in data], *size) == whole


SEQUENCES = [f"{ESC}[{values}{final}" for final in "@ABCDEFGHIJKLMPSTXZ`abdefgrsu" for values in ("9999", "9999;9999")]


@each_row("sequence", [*SEQUENCES, "\t", f"{ESC}H", f"{ESC}M", f"{ESC}[2J", f"{ESC}[1J", f"{ESC}c"])
@each_row("column", [1, 60, 120])
def test_no_sequence_costs_more_than_one_screen(sequence: str, column: int) -> None:
    """In lines of Python, on a page with a stop at every column and text in every row."""
    cleaner = Cleaner(120, 30)
    stops = "".join(f"{ESC}[{stop}G{ESC}H" for stop in range(1, 121))
    rows = "\r\n".join(["漢e\u0301x" * 25] * 30)
    cleaner.feed(f"{stops}\r{rows}{ESC}[15;{column}H".encode())
    steps = 0

    def traced(frame: FrameType, event: str, _: object) -> TraceFunction:
        nonlocal steps
        steps += event == "line"
        return traced

    sys.settrace(traced)
    try:
        cleaner.feed(sequence.encode())
    finally:
        sys.settrace(None)
    assert steps < 120 * 30


def test_controls_in_a_cut_sequence_after_an_open_string() -> None:
    data = b"\x1b]7717;\r\n\x1b\r\none\r\n"
    assert clean(data) == "\nne\n"
    for at in range(len(data)):
        assert cleaned([data[:at], data[at:]]) == "\nne\n"


def test_a_string_before_a_repeat_and_a_broken_sequence() -> None:
    data = b"a\x1b]0;t\x1b[b\x1b[2\x1b[A"
    assert clean(data) == "a"
    for at in range(len(data)):
        assert cleaned([data[:at], data[at:]]) == "a"


@given(STREAMS)
def test_clean_text_has_no_controls(data: bytes) -> None:
    text = clean(data)
    assert not [char for char in text if (char < " " and char not in "\n\t") or "\x7f" <= char < "\xa0"]
    assert not [char for char in text if "\ud800" <= char <= "\udfff"]


@given(st.lists(st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=300), max_size=60))
def test_plain_text_comes_back(lines: list[str]) -> None:
    text = "\n".join(lines)
    data = text.replace("\n", "\r\n").encode()
    assert clean(data) == text
    # Laid out in cells, as a move up makes it, and read back.
    assert clean(data + b"\x1b7\x1b[A\x1b8", 30, 8) == text


def test_more_marks_than_there_are_codes() -> None:
    marks = [chr(0x300 + number) for number in range(112)]
    line = "".join(
        chr(97 + number % 26) + marks[number // 26 % 112] + marks[number // 2912 % 112] for number in range(90_000)
    )
    assert cleaned([b"\x1b[2;1H", *pieces(line.encode(), range(0, 500_000, 40_000))], 200, 100) == "\n" + line


@pytest.mark.parametrize(
    "unit",
    [b"\x1b[999Z", b"\x1b[9999I", b"\x1b[9999L", b"\x1b[9999T", b"\x1bM", b"a\x1b[9999b", b"\x1b]0;", b"\xc2\x9b9999L"],
)
@pytest.mark.parametrize("before", [b"", b"line\r\n" * 2000, b"\x1b[C\x1bH" * 119, b"\x1b[4h", b"\x1b]0;open"])
def test_what_is_stepped_through_comes_in_small_portions(before: bytes, unit: bytes) -> None:
    data = before + unit * 3000
    portions = list(Cleaner().portions(data))
    left = [len(data), *(left for _, left in portions)]
    taken = [first - last for first, last in itertools.pairwise(left)]
    assert left[-1] == 0 and min(taken) > 0
    assert max(taken[1:]) <= 1024
    assert "".join(text for text, _ in portions) == Cleaner().feed(data)


def test_lines_and_colours_come_in_large_portions() -> None:
    data = b"\x1b[31mred\x1b[0m line\r\n" * 20_000
    assert len(list(Cleaner().portions(data))) <= len(data) // (1 << 16) + 1


def test_a_little_is_one_portion() -> None:
    assert [left for _, left in Cleaner().portions(b"a\r\nb\x1b[2Ac\r\n" * 9)] == [0]
