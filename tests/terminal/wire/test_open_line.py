"""The length of a line that is typed in parts."""

from __future__ import annotations

from truetty.terminal.wire.open_line import OpenLine


def test_the_longest_line_counts() -> None:
    line = OpenLine()
    assert line.longest_with(b"") == 0
    assert line.longest_with(b"abc\nabcde\nab") == 5
    assert line.longest_with("äö\tü".encode()) == 7


def test_a_line_in_parts() -> None:
    line = OpenLine()
    line.on_keys(b"one\nabc")
    line.on_keys(b"de")
    assert line.longest_with(b"f\ngh") == 6
    line.on_keys(b"\n")
    assert line.longest_with(b"f") == 1


def test_a_control_character_may_end_or_erase_it() -> None:
    for key in b"\x03\x04\x15\x17\x1a\x1b\r\n\x7f":
        line = OpenLine()
        line.on_keys(b"abc" + bytes([key]) + b"d")
        assert line.longest_with(b"e") == 2
    line.forget()
    assert line.longest_with(b"e") == 1
