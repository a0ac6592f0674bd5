"""The colours of a line, from the bytes that printed it."""

from __future__ import annotations

import pytest

from truetty.text.colours import PLAIN, PrintedLine, Run, after


def runs(printed: str) -> tuple[Run, ...]:
    return PrintedLine(printed, PLAIN).runs


@pytest.mark.parametrize(
    ("printed", "text", "wanted"),
    [
        ("plain", "plain", ()),
        ("a \x1b[31mred\x1b[0m one\r", "a red one", ((2, 5, "31"),)),
        ("\x1b[1;92mok\x1b[m", "ok", ((0, 2, "1;92"),)),
        ("\x1b[41m a \x1b[49m", " a ", ((0, 3, "41"),)),
        ("\x1b[7mx\x1b[27my", "xy", ((0, 1, "7"),)),
        ("\x1b[31;7mx", "x", ((0, 1, "41"),)),
        ("\x1b[38;5;196mx\x1b[38;2;0;200;0my\x1b[38:2::90:90:90mz", "xyz", ((0, 1, "31"), (1, 2, "32"), (2, 3, "90"))),
        ("\x1b[38;5;9mx\x1b[48;5;255my\x1b[4:0m", "xy", ((0, 1, "91"), (1, 2, "91;107"))),
        ("10%\r\x1b[32m99%", "99%", ((0, 3, "32"),)),
        ("\x1b[31mlong\r\x1b[0m\x1b[Kx", "x", ()),
        ("\x1b[31mab\b\x1b[32mc", "ac", ((0, 1, "31"), (1, 2, "32"))),
        ("\x1b]8;;http://x\x1b\\\x1b[34mlink\x1b]8;;\x1b\\", "link", ((0, 4, "34"),)),
        ("\x1b[999999999999m\x1b[38;5;999mx\x1b[;38;5mx", "xx", ()),
    ],
)
def test_runs_and_text(printed: str, text: str, wanted: tuple[Run, ...]) -> None:
    line = PrintedLine(printed, PLAIN)
    assert (line.text, line.runs) == (text, wanted)


def test_a_style_goes_on_in_the_next_line() -> None:
    assert PrintedLine("b", after("\x1b[31ma", PLAIN)).runs == ((0, 1, "31"),)
    assert after("\x1b[31m\x1b[0m\x1b[1m", PLAIN) == after("\x1b[1m", PLAIN)
