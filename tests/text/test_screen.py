"""The screen: what a person would see, as a value, and a dump that rebuilds it."""

from __future__ import annotations

import random

import pytest

from tests.rows import each_row
from truetty.text.screen import Model, Screen


def drawn(data: bytes, size: tuple[int, int] = (20, 4)) -> Screen:
    model = Model(size)
    model.feed(data)
    return model.screen()


def test_text_cursor_size_title() -> None:
    screen = drawn(b"\x1b]0;my title\x07one\r\n\x1b[31mtwo\x1b[0m\r\n  three")
    assert screen.lines == ("one", "two", "  three", "")
    assert screen.text == str(screen) == "one\ntwo\n  three"
    assert (screen.cursor, screen.cursor_visible, screen.size) == ((7, 2), True, (20, 4))
    assert (screen.title, screen.alternate) == ("my title", False)
    assert drawn(b"").title is None and drawn(b"").text == ""
    assert not drawn(b"\x1b[?25l").cursor_visible


def test_scrolling_and_moving() -> None:
    assert drawn(b"".join(b"%d\r\n" % number for number in range(9))).lines == ("6", "7", "8", "")
    assert drawn(b"abc\x1b[1;1HX\x1b[2;5Hy").lines[:2] == ("Xbc", "    y")
    assert drawn(b"x" * 25).lines[:2] == ("x" * 20, "x" * 5)
    assert drawn("日本\u0007語".encode()).lines[0] == "日本語"


def test_the_alternate_screen_comes_and_goes() -> None:
    model = Model((20, 4))
    model.feed(b"shell$ vim\r\n\x1b[?1049h\x1b[2J\x1b[Hfile")
    assert model.screen().alternate and model.screen().text == "file"
    model.feed(b"\x1b[?1049l")
    assert not model.screen().alternate and model.screen().text == "shell$ vim"


@each_row("seed", range(20))
def test_any_cut_gives_the_same_screen_and_a_dump_rebuilds_it(seed: int) -> None:
    chance = random.Random(seed)
    parts = [b"text ", b"\r\n", b"\x1b[3;4H", b"\x1b[1;32m", b"\x1b[0m", "é日".encode(), b"\x1b[?1049h", b"\x1b[?1049l"]
    parts += [
        b"\x1b]2;a title\x1b\\",
        b"\x1b[K",
        b"\x1b[2J",
        b"\t",
        b"\xff\xfe",
        b"\x1b]0;b\x07",
        b"\x1b[?25l",
        b"\x1b[A",
    ]
    data = b"".join(chance.choices(parts, k=80))
    whole, cut = Model((30, 8)), Model((30, 8))
    whole.feed(data)
    at = 0
    while at < len(data):
        size = chance.choice((1, 2, 3, 10))
        cut.feed(data[at : at + size])
        at += size
    screen = whole.screen()
    assert cut.screen() == screen
    again = Model((30, 8))
    again.feed(screen.dump.encode())
    rebuilt = again.screen()
    assert (rebuilt.lines, rebuilt.cursor, rebuilt.cursor_visible) == (
        screen.lines,
        screen.cursor,
        screen.cursor_visible,
    )


async def test_a_screen_may_be_awaited() -> None:
    screen = drawn(b"x")
    assert await screen is screen


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (65535, 1), (1, 65535)])
def test_strange_sizes(size: tuple[int, int]) -> None:
    assert drawn("日x\r\n\x1b[9;9H\x1b[J".encode(), size).size == size


@pytest.mark.parametrize("switch", ["\x1b[?25;1049h", "\x1b[?1049;25h", "\x1b[?01049h", "\x1b[?47h"])
def test_every_way_to_the_alternate_screen(switch: str) -> None:
    assert drawn(switch.encode()).alternate == drawn(switch.encode()).dump.__contains__("?1047h")
    assert not drawn(f"{switch}\x1bc".encode()).alternate


def test_a_title_is_a_line_of_text() -> None:
    assert drawn("\x1b]0;a\nb\u202e\x18c\x07".encode()).title in ("abc", "ab", None)
    assert drawn("\x1b]2;grüße\x07".encode()).title == "grüße"


def test_one_column_and_wide_characters() -> None:
    model = Model((80, 24))
    model.feed("好\r\n".encode())
    model.resize((1, 24))
    model.feed("好好x\r\n".encode())
    assert model.screen().size == (1, 24)
    model.resize((80, 24))
    model.feed(b"\x1b[2J\x1b[Hagain")
    assert model.screen().text == "again"
