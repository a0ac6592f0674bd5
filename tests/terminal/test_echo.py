"""Which keys a tty has echoed, told from what was printed after them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import each_row
from truetty.terminal.echo import AHEAD, LATEST, REACH, KeyEcho, can_come_back


def echoed(*steps: bytes | tuple[bytes]) -> list[bytes]:
    """Keys as bytes, output as a tuple, one second after the other: the keys that came back."""
    echo, seen = KeyEcho(), list[bytes]()
    for now, step in enumerate(steps):
        if isinstance(step, bytes):
            echo.on_keys(step, now / 100)
        else:
            seen += [keys for _, keys in echo.on_output(step[0], now / 100)]
    return seen


@each_row(
    ("steps", "seen"),
    [
        ((b"ada\r", (b"ada\r\n",)), [b"ada\r"]),
        ((b"ada\r", (b"name? ada\r\nhello",)), [b"ada\r"]),  # the program's words come before
        ((b"a", b"da\r", (b"a",), (b"da\r\n",)), [b"a", b"da\r"]),
        ((b"hunter2\r", (b"\r\n",)), []),  # a password: the program prints a line end
        ((b"hunter2\r", (b"\r\nwelcome",), b"ls\r", (b"ls\r\n",)), [b"ls\r"]),
        ((b"hunter2\r", b"ls\r", (b"\r\n$ ls\r\n",)), []),  # typed ahead of it: nothing is believed
        ((b"\x03", (b"^C\r\n",)), [b"\x03"]),
        ((b"x\x7f", (b"x\b \b",)), [b"x\x7f"]),
        ((b"y", (b"very far",)), []),  # one letter proves nothing unless it is the very next thing
        ((b"y", (b"y",)), [b"y"]),
        ((b"two\rlines\r", (b"two\r\n",), (b"said\r\nlines\r\n",)), [b"two\r", b"lines\r"]),
    ],
)
def test_keys_that_come_back(steps: tuple[bytes | tuple[bytes], ...], seen: list[bytes]) -> None:
    assert b"".join(echoed(*steps)) == b"".join(seen)


def test_the_time_is_that_of_the_keys() -> None:
    echo = KeyEcho()
    echo.on_keys(b"first\r", 1.0)
    echo.on_keys(b"second\r", 2.0)
    assert echo.awaits_any
    assert echo.on_output(b"first\r\nsecond\r\n", 3.0) == [(1.0, b"first\r"), (2.0, b"second\r")]
    assert not echo.awaits_any


def test_what_comes_late_or_far_is_something_else() -> None:
    late, far = KeyEcho(), KeyEcho()
    late.on_keys(b"secret\r", 0.0)
    assert late.on_output(b"secret\r\n", LATEST + 1) == [] and not late.awaits_any
    far.on_keys(b"secret\r", 0.0)
    assert far.on_output(b"x" * REACH, 0.1) == [] and not far.awaits_any
    assert far.on_output(b"secret\r\n", 0.2) == []


def test_many_that_stay_unseen_hold_up_nobody_for_ever() -> None:
    echo = KeyEcho()
    for number in range(AHEAD + 3):
        echo.on_keys(b"secret%d\r" % number, number / 100)
    assert echo.on_output(b"\r\n" * 5, 0.2) == []
    assert echo.on_output(b"", LATEST + 1) == [] and not echo.awaits_any


@pytest.mark.parametrize(("keys", "can"), [(b"a", True), (b"\r", True), (b"\x04", False), (b"\x04\x04", False)])
def test_what_can_come_back(keys: bytes, can: bool) -> None:
    assert can_come_back(keys) is can


@given(
    words=st.lists(st.text("abcdefgh", min_size=3, max_size=8), min_size=1, max_size=6),
    cuts=st.lists(st.integers(1, 5), min_size=1),
)
def test_however_the_output_is_cut(words: list[str], cuts: list[int]) -> None:
    """Every line is echoed before the next is typed: each comes back once, and nothing else."""
    echo, seen, now = KeyEcho(), b"", 0.0
    typed = b"".join(word.encode() + b"\r" for word in words)
    for word in words:
        echo.on_keys(word.encode() + b"\r", now)
        printed, at = word.encode() + b"\r\n", 0
        while at < len(printed):
            step = cuts[at % len(cuts)]
            seen += b"".join(keys for _, keys in echo.on_output(printed[at : at + step], now))
            at += step
    assert seen == typed
