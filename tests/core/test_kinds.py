"""Readers: what each takes, and what it says of what it does not."""

from __future__ import annotations

import pytest

from truetty.core import kinds
from truetty.core.kinds import LARGEST_SIDE, MOST, Wrong


@pytest.mark.parametrize(("value", "read"), [("yes", True), ("OFF", False), (1, True), (0, False), (True, True)])
def test_flags(value: object, read: bool) -> None:
    assert kinds.flag(value) is read


@pytest.mark.parametrize("value", ["perhaps", 2, None, [], 1.5])
def test_no_flags(value: object) -> None:
    with pytest.raises(Wrong, match="neither true nor false"):
        kinds.flag(value)


@pytest.mark.parametrize(
    ("value", "read"), [("12", 12), (12, 12), ("-3", -3), ("1.5", 1.5), ("1e3", 1000.0), (" 7 ", 7)]
)
def test_numbers(value: object, read: float) -> None:
    assert kinds.number(value) == read and type(kinds.number(value)) is type(read)


@pytest.mark.parametrize("value", ["", "x", "1_0x", True, None, [1], "nan", "0x10"])
def test_no_numbers(value: object) -> None:
    with pytest.raises(Wrong, match="no number"):
        kinds.number(value)


def test_bounds() -> None:
    assert kinds.whole_number("5", 5, 5) == 5
    for value, reason in [(4, "less than 5"), (6, "too large"), (5.0, "no whole number"), ("9" * 5000, "no number")]:
        with pytest.raises(Wrong, match=reason):
            kinds.whole_number(value, 5, 5)
    assert kinds.real_number("0.5", 0, 1) == 0.5
    for value in (1.5, "1e999", float("nan"), 10**400):
        with pytest.raises(Wrong):
            kinds.real_number(value, 0, 1)
    assert kinds.duration(0) == 0
    for wrong in (-1, "-0.1"):
        with pytest.raises(Wrong, match="length of time"):
            kinds.duration(wrong)
    with pytest.raises(Wrong):
        kinds.duration(0, positive=True)


@pytest.mark.parametrize(
    ("value", "read"),
    [(5, 5), ("5", 5), ("5 b", 5), ("1k", 1024), ("1 MiB", 1 << 20), ("2GB", 2 << 30), ("1T", 1 << 40)],
)
def test_bytes(value: object, read: int) -> None:
    assert kinds.byte_count(value) == read


@pytest.mark.parametrize("value", ["much", "1.5M", -1, True, "9" * 5000, f"{MOST}k", 1 << 70])
def test_no_bytes(value: object) -> None:
    with pytest.raises(Wrong, match=r"no number of bytes|too large"):
        kinds.byte_count(value)


@pytest.mark.parametrize("value", ["120x30", "120 x 30", "120×30", (120, 30), [120, 30]])
def test_sizes(value: object) -> None:
    assert kinds.size(value) == (120, 30)


@pytest.mark.parametrize(
    "value", ["0x5", f"{LARGEST_SIDE + 1}x1", "5", "axb", (1,), (True, 1), (1.0, 2), "9" * 5000 + "x1"]
)
def test_no_sizes(value: object) -> None:
    with pytest.raises(Wrong):
        kinds.size(value)


def test_texts_and_tables() -> None:
    assert kinds.text("a") == "a" and kinds.text("", empty=True) == ""
    assert kinds.texts(["a", "b"]) == ("a", "b")
    for value in ("", 1, "a\0b", None):
        with pytest.raises(Wrong):
            kinds.text(value)
    with pytest.raises(Wrong, match="list of texts"):
        kinds.texts("a")
    assert kinds.table({"a": 1}, ("a",)) == {"a": 1}
    with pytest.raises(Wrong, match="did you mean allow"):
        kinds.table({"alow": 1}, ("allow", "deny"))


def test_what_is_said_of_an_unknown_name() -> None:
    assert kinds.unknown("szie", ("size", "shell")) == "nothing is called 'szie': did you mean size?"
    assert kinds.unknown("zzz", ("size", "shell")) == "nothing is called 'zzz': there are size, shell"
    assert kinds.quoted(10**5000) == "a number without end" and len(kinds.quoted("x" * 500)) < 60


def test_off() -> None:
    kind = kinds.optional(kinds.count("shells", 1), nothing="no limit")
    assert kind.allowed == 'a whole number of shells, 1 or more; or "off" for no limit'
    assert [kind.read(value) for value in ("off", False, 3)] == [None, None, 3]
