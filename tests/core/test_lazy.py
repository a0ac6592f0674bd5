"""A pattern is compiled when it is first used, and is used like a compiled one."""

from __future__ import annotations

import re

import pytest

from truetty.core import lazy


def test_a_pattern_is_used_like_a_compiled_one() -> None:
    late, early = lazy.pattern(r"(\w+) x", re.IGNORECASE), re.compile(r"(\w+) x", re.IGNORECASE)
    for _ in range(2):
        assert late.sub("-", "one X") == early.sub("-", "one X") == "-"
        assert [found[1] for found in late.finditer("a x b x")] == ["a", "b"]
    assert (late.pattern, late.flags, late.groups) == (early.pattern, early.flags, early.groups)
    assert lazy.pattern(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_nothing_is_compiled_before_it_is_used() -> None:
    wrong = lazy.pattern("(")
    with pytest.raises(re.error):
        wrong.search("")
