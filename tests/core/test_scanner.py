"""Every case whole, byte by byte and with a tail; then any cut of anything."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from tests.rows import each_row
from truetty.core.scanner import MAX_BODY, Scanner
from truetty.core.signs import Hint, Mark, Mode, Query, Sign

TAIL = b"\x1b[?25hZ\x1b[6n"


def scan(*chunks: bytes) -> list[Sign]:
    scanner = Scanner()
    return [event for chunk in chunks for event in scanner.feed(chunk)]


CASES: list[tuple[bytes, list[Sign]]] = [
    (b"", []),
    (b"plain\r\n", []),
    (b"\x1b[32mgreen\x1b[0m", []),
    (b"\x1b]7717;C;abc\x07", [Mark(0, 13, "C", "abc")]),
    (b"x\x1b]7717;D;a-_9;130;himBHs\x07y", [Mark(1, 26, "D", "a-_9", 130, "himBHs")]),
    (b"\x1b]7717;P;key;;\x07", [Mark(0, 15, "P", "key")]),
    (b"\x1b]7717;D;abc;0;\x1b\\", [Mark(0, 17, "D", "abc", 0)]),
    (b"\x1b]7717;D;abc;0;\x9c", [Mark(0, 16, "D", "abc", 0)]),
    (b"\x1b]7717;D;abc;0;\xc2\x9c", [Mark(0, 17, "D", "abc", 0)]),
    (b"\x1b]7717;2;key\x07", [Mark(0, 13, "2", "key")]),
    (b"\x1b]7717;Z;abc\x07", []),  # no such letter
    (b"\x1b]7717;D;abc;-1\x07", []),  # no such code
    (b"\x1b]7717;D;abc;0;\x18", []),  # cancelled
    (b"\x1b]7717;D;abc;0;\x1a\x07", []),
    (b"\x1b]7717;D;abc\x1b]7717;D;xyz;1\x07", [Mark(12, 27, "D", "xyz", 1)]),  # an escape ends the unfinished one
    (b"\x1bP\x1b]7717;C;abc\x07", [Mark(2, 15, "C", "abc")]),  # no string swallows a mark
    (b"\x1b]0;title\x1b]7717;C;abc\x07", [Mark(9, 22, "C", "abc")]),
    (b"\x1b]0;a title\x07\x1b]8;;http://x\x07link\x1b]8;;\x07", []),
    (b"\x1b]133;A\x07\x1b]133;D;7;aid=1\x07", [Hint(0, 8, "133", "A"), Hint(8, 24, "133", "D", 7)]),
    (b"\x1b]633;E;ls \xe2\x9c\x9c;nonce\x07", [Hint(0, 21, "633", "E")]),  # 9C inside UTF-8 is no terminator
    (b"\x1b]633;P;Cwd=/tmp\x1b\\", [Hint(0, 18, "633", "P")]),
    (b"\x1b]7;file://host/a%20b\x07", [Hint(0, 22, "7", "")]),
    (b"\x1b]3008;start=abc;type=shell\x1b\\", [Hint(0, 29, "3008", "start")]),
    (b"\x1b[?1049h", [Mode(0, 8, "alternate-screen", True)]),
    (b"\x1b[?25;2004l", [Mode(0, 11, "bracketed-paste", False)]),
    (b"\x1b[?2026h\x1b[?1l", [Mode(0, 8, "synchronized-output", True), Mode(8, 13, "application-keys", False)]),
    (b"\x1b[?25l\x1b[2J", []),
    (
        b"\x1b[c\x1b[0c\x1b[5n\x1b[6n",
        [Query(0, 3, "DA1"), Query(3, 7, "DA1"), Query(7, 11, "DSR"), Query(11, 15, "CPR")],
    ),
    (b"\x1b[>c\x1b]10;?\x07", [Query(0, 4, "DA2"), Query(4, 11, "OSC 10 BEL")]),
    (b"\x1b]11;?\x1b[6n", [Query(6, 10, "CPR")]),  # an escape ends the unfinished one
    (b"\x1b[?" + b"1" * 64 + b"h", []),
    (b"\x1b[?" + b"1" * 65 + b"h", []),
    (b"\x1b]7717;D;" + b"x" * 65 + b";0\x07", []),
]


@each_row(("data", "expected"), CASES)
def test_whole_byte_by_byte_and_with_a_tail(data: bytes, expected: list[Sign]) -> None:
    assert scan(data) == expected
    assert scan(*(data[i : i + 1] for i in range(len(data)))) == expected
    with_tail = scan(data + TAIL)
    assert with_tail[: len(expected)] == expected
    assert with_tail[-1] == Query(len(data) + len(TAIL) - 4, len(data) + len(TAIL), "CPR")
    assert scan(data, TAIL) == with_tail


PIECES = [
    b"\x1b", b"[", b"]", b"7717;", b"C;s", b"D;s;0;", b"P;k;1;", b"133;", b"633;E;", b"7;file://h/p", b"3008;end=1",
    b"\x07", b"\x1b\\", b"\x9c", b"\xc2\x9c", b"\xe2\x9c\x9c", b"\x18", b"\x1a", b"?1049h", b"?2004l", b"6n", b"0c",
    b"m", b"x", b";", b"P", b"\xc3\xa9", b" ", b"\r\n", b"?25", b"7", b"1", b"\x00", b"\x1b]7717;D;s;0;\x07",
    b">q", b"11;?", b"?2026$p", b"P+q4", b">", b"=", b"$",
]  # fmt: skip


def test_any_cut_of_twenty_thousand_random_streams() -> None:
    rng = random.Random(7)
    found = 0
    for _ in range(20_000):
        data = b"".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 24)))
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(6)))
        parts = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        whole = scan(data)
        found += len(whole)
        assert scan(*parts) == whole, (data, parts)
    assert found > 5_000  # the streams are not all noise


def test_an_overlong_string_is_output_and_what_follows_is_found() -> None:
    mark = b"\x1b]7717;C;abc\x07"
    for size in (MAX_BODY - 20, MAX_BODY, MAX_BODY + 1, MAX_BODY * 3):
        data = b"\x1b]133;D;" + b"9" * size + b"\x07" + mark
        whole = scan(data)
        assert isinstance(whole[-1], Mark) and whole[-1].end == len(data)
        assert scan(*(data[i : i + 1000] for i in range(0, len(data), 1000))) == whole


def test_a_byte_at_a_time_is_linear() -> None:
    """600 kB inside one unfinished string: a scanner that looks twice would need minutes."""
    scanner = Scanner()
    for _ in range(600_000):
        scanner.feed(b"x" if scanner._at else b"\x1b]133;")
    assert not scanner.feed(b"\x07")


@pytest.mark.parametrize("size", [10_000_000, pytest.param(100_000_000, marks=pytest.mark.long)])
def test_hostile_bytes_hold_nothing(size: int) -> None:
    rng = random.Random(11)
    alphabet = b"\x1b\x1b\x1b[]?;0123456789hlcnmPX^_\x07\\\x9c\xc2\x18\x1a7717133633Cabc\r\n\x00\xff"
    block = bytes(rng.choice(alphabet) for _ in range(1 << 20))
    marks = b"\x1b]7717;D;" + b"\x1b]133;" * 1000 + b"\x1b[?" * 1000
    scanner = Scanner()
    fed = 0
    most = 0
    while fed < size:
        if fed < 3_000_000 and not tracemalloc.is_tracing():
            tracemalloc.start()  # it costs a factor of five: the first megabytes show what is held
        at = rng.randrange(len(block) - 70_000)
        for chunk in (block[at : at + rng.randrange(1, 65_536)], marks[: rng.randrange(len(marks))]):
            scanner.feed(chunk)
            fed += len(chunk)
            most = max(most, len(scanner._body) + len(scanner._begun))
        if fed >= 3_000_000 and tracemalloc.is_tracing():
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < 16 * 1024 * 1024
    assert most <= MAX_BODY + 100


def test_what_a_missing_part_has_cut_does_not_go_on() -> None:
    scanner = Scanner()
    assert list(scanner.feed(b"a\x1b]7717;D;")) == []
    scanner.skip_to(100)
    assert list(scanner.feed(b"0\x07\x1b[?1049h")) == [Mode(102, 110, "alternate-screen", True)]
