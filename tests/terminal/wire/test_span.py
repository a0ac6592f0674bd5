"""Where a command's output lies, when it has ended on the alternate screen."""

from __future__ import annotations

import pytest

from truetty.core.scanner import Scanner
from truetty.core.signs import Mode
from truetty.store.transcript import Transcript
from truetty.terminal.wire.span import ON_SCREEN, SCREEN_REACH, Span

ON, OFF = b"\x1b[?1049h", b"\x1b[?1049l"


def ended(*parts: bytes) -> tuple[str, str | None]:
    """The text of a command that has printed this, and what is said of it."""
    transcript, scanner = Transcript(), Scanner()
    span = Span(transcript, None, (80, 24))
    span.start(0)
    for part in parts:
        transcript.append(part)
        for sign in scanner.feed(part):
            assert isinstance(sign, Mode)
            span.on_mode(sign)
    span.end()
    note = span.show_last_screen()
    return span.output.text(), note


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ((b"a\r\n", ON, b"b\r\n"), "a\nb\n"),
        ((b"a\r\n", ON, b"drawn", b"\x1b[H\x1b[2J", b"b\r\n"), "a\nb\n"),  # what was erased stands there no more
        ((ON, b"x", OFF, b"a\r\n", ON, b"b"), "a\nb"),
        ((ON, b"x\r\n", ON, b"b"), "b"),
        ((b"a\r\n", ON, b"\x1b[5;3Hb"), "a\n\n\n\n\n  b"),
    ],
)
def test_what_stands_on_the_screen_follows_what_was_printed(parts: tuple[bytes, ...], text: str) -> None:
    assert ended(*parts) == (text, ON_SCREEN)


@pytest.mark.parametrize(
    ("parts", "text"),
    [((b"a",), "a"), ((b"a\r\n", ON, b"b", OFF), "a\n"), ((b"a", ON, b"\x1b[2J"), "a"), ((b"a", ON), "a")],
)
def test_nothing_stands_there(parts: tuple[bytes, ...], text: str) -> None:
    assert ended(*parts) == (text, None)


def test_only_so_much_is_drawn() -> None:
    text, note = ended(ON, b"\x1b[Hfirst\x1b[2;1H", b"\x1b[31mx\x1b[0m\r" * SCREEN_REACH, b"last")
    assert (text.strip(), note) == ("last", ON_SCREEN)
