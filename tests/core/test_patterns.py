"""Patterns from agents: none takes longer than its text is long, and what cannot be searched so is refused."""

from __future__ import annotations

import re

import pytest

from truetty import Misuse
from truetty.core.patterns import MOST_CHARACTERS, WINDOW, BoundedPattern, Found, searches


def found(pattern: str, text: str) -> bool:
    return any(BoundedPattern(pattern).searches(text))


# By Python's `re` the first of them takes hours for such a text, and the others longer.
@pytest.mark.parametrize(
    "pattern",
    ["a*a*a*b", "(a+)+$", "(a|aa)+$", "(a*)*b", "(.*a){8}b", "(?:a?){50}a{50}b", "[a-q][^u-z]{13}x", "(a?){60}b"],
)
def test_no_pattern_takes_more_than_its_text_is_long(pattern: str) -> None:
    assert not found(pattern, "a" * 100_000 + "!")


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "missing )"),
        ("[", "missing ]"),
        ("a**", "bad repetition operator"),
        (r"(a)\1", "invalid escape sequence"),
        ("(?=a)b", "look-around and comments are not supported"),
        ("(?<!a)b", "look-around and comments are not supported"),
        ("(?x)a # b", "look-around and comments are not supported"),
        ("\ud800", "half a character"),
        ("a" * (MOST_CHARACTERS + 1), "at most 1,000 characters"),
        ("(x{0,30}y?){30}z", "too large"),
        ("((a{0,100}){0,100}){0,100}", "the syntax is RE2's"),
        (r"\xff" * 200 + r"\p{L}", "too large"),
    ],
)
def test_what_is_refused_says_why(pattern: str, reason: str) -> None:
    with pytest.raises(Misuse, match=re.escape(reason)) as refused:
        BoundedPattern(pattern)
    assert reason in str(refused.value.facts["reason"])


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"end\Z", "the end", True),
        (r"end\Z", "end of it", False),
        (r"\\Z", r"a \Z", True),
        ("caf\\u00e9", "café", True),
        ("\\U0001f600", "a 😀", True),
        (r"(?i)error|fail", "It FAILED", True),
        (r"^\s*at .*:\d+$", "  at main.py:12", True),
        (r"(?P<host>\w+):(?P<port>\d+)", "localhost:80", True),
        ("", "anything", True),
        ("é$", "é" * (2 * WINDOW), True),
    ],
)
def test_what_python_writes_is_found(pattern: str, text: str, expected: bool) -> None:
    assert found(pattern, text) is expected
    assert (re.search(pattern, text) is not None) is expected


@pytest.mark.parametrize("before", [0, 1, WINDOW - 3, WINDOW // 2 - 3, WINDOW, 3 * WINDOW - 1])
def test_a_long_line_is_searched_in_windows_and_nothing_is_missed(before: int) -> None:
    text = "é" * before + "x needle y" + "é" * (2 * WINDOW)
    pattern = BoundedPattern("needle")
    assert any(pattern.searches(text))
    assert found("x.{6,10}y", text)
    assert not found("^needle|needle$", text)  # where a window begins and ends the line does not


def test_begin_and_end_are_of_lines_and_not_of_what_is_searched_at_once() -> None:
    assert found("^ready$", "one\nready\ntwo")
    assert not found("^ready$", "one\nready now")
    assert list(BoundedPattern("^x").searches("-x", 1)) == list(searches(re.compile("^x"), "-x", 1)) == [None]
    assert list(BoundedPattern("^x").searches("\nx", 1)) == [Found("x", "^x", start=1)]


def test_a_pattern_of_pythons_is_searched_as_it_is() -> None:
    assert list(searches(re.compile(r"(a)\1"), "b" * WINDOW * 3 + "aa")) == [
        Found("aa", r"(a)\1", start=3 * WINDOW, captures=("a",))
    ]
