"""What our tty gets of the bytes of another: however they are cut."""

from __future__ import annotations

import os
import pty
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

import pytest

from truetty.cli.terminals.screen import Screen


@contextmanager
def tty() -> Iterator[int]:
    """The other end of the terminal that is standard output."""
    far, near = pty.openpty()
    with open(near, "w") as stream, redirect_stdout(stream):
        yield far
    os.close(far)


def read(descriptor: int, size: int) -> bytes:
    found = b""
    while len(found) < size:
        found += os.read(descriptor, 1000)
    return found


PRINTED = b"one\r\ntwo\r50%\r60%\r\n\nlast\r"


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_the_lines_are_as_they_were(size: int) -> None:
    with tty() as far:
        screen = Screen()
        for at in range(0, len(PRINTED), size):
            screen.write(PRINTED[at : at + size])
        screen.end()
        completed = PRINTED.replace(b"\n\n", b"\n\r\n")  # a bare LF is the tty's to complete
        assert read(far, len(completed)) == completed


@pytest.mark.parametrize("size", [1, 100])
def test_one_ctrl_c_is_left_out(size: int) -> None:
    with tty() as far:
        screen, printed = Screen(), b"a^C\r\n^Cb"
        screen.on_interrupt()
        for at in range(0, len(printed), size):
            screen.write(printed[at : at + size])
        screen.end()
        assert read(far, 6) == b"a\r\n^Cb"


def test_into_a_pipe_bytes_go_as_they_are(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    screen = Screen()
    screen.on_interrupt()
    screen.write(PRINTED + b"^C")
    screen.end()
    assert capfdbinary.readouterr().out == PRINTED + b"^C"
