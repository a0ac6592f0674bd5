"""Text of others on one line, and whole."""

from __future__ import annotations

from truetty.text.quoting import LONGEST_END, LONGEST_QUOTE, LONGEST_TEXT, on_one_line, whole


def test_on_one_line() -> None:
    assert on_one_line("ls\n-l") == "ls⏎-l"
    assert on_one_line("a\x1b[31m\u202e\t") == "a<U+001B>[31m<U+202E><U+0009>"
    assert on_one_line("x" * 500) == "x" * LONGEST_QUOTE + "…"


def test_whole() -> None:
    assert whole("ls\n-l\u200b") == "ls\n-l<U+200B>"
    assert whole("x" * 500) == "x" * 500
    head, end = "a" * (LONGEST_TEXT - LONGEST_END), "z" * LONGEST_END
    assert whole(head + end) == head + end
    long = whole(head + "m" * 1234 + end)
    assert long == f"{head}\n[… 1,234 characters are left out here …]\n{end}"
