"""Text that scrolls off the screen is not drawn, and no cell is another one for that."""

from __future__ import annotations

import random

from tests.rows import each_row
from truetty.text.off_screen import SHORTEST, OffScreen
from truetty.text.screen import Model

PIECE = 1000
LINES = [
    "y",
    "",
    "12345",
    "a\tb",
    "\x20" * 9,
    "é日本",
    "e\u0301",
    "x" * 19,
    "x" * 20,
    "x" * 21,
    "x" * 55,
    "one\rTWO",
    "over\nthere",
]
BEFORE = [
    "half a line",
    "\x1b[31;44m",
    "\x1b[4h",  # insert
    "\x1b[?7l",  # no wrap
    "\x1b[20h",
    "\x0e\x1b)0",
    "\x1b[?6h",
    "\x1b[2;4r",
    "\x1b[2;4r\x1b[6;3H",
    "\x1b[3;5r\x1b[1;1H",
    "\x1b[?1049h",
    "\x1b7\x1b[3;3H",
    "\x1b]0;a title that goes on",
    "\x1b[3",
    "\x1b",
    "\x1bP1;2",
    "\x9b3",
    "\x9d0;title",
    "\x1b]0;a title\x07\x08",
    "\x1b[5;5H\x1b[J",
]
AFTER = ["", "\x1b[3b", "\x1b[H\x1b[K", "m end", "\x07end", "\x1b[2Aup", "\x1b8back", "\x1b[?1049l"]


def both(parts: list[str], size: tuple[int, int] = (20, 6)) -> tuple[str, str]:
    """What was drawn of pieces that are too short to leave out anything, and of the whole."""
    short, whole = Model(size), Model(size)
    for part in parts:
        data = part.encode()
        for start in range(0, len(data), PIECE):
            short.feed(data[start : start + PIECE])
        whole.feed(data)
    return short.screen().dump, whole.screen().dump


@each_row("before", ["", *BEFORE])
def test_the_screen_behind_a_flood_is_the_one_that_was_drawn(before: str) -> None:
    for line in LINES:
        for after in AFTER:
            expected, found = both([before, f"{line}\r\n" * (SHORTEST // (len(line) + 2) + 40), after, "."])
            assert found == expected, (before, line, after)


@each_row("seed", range(20))
def test_floods_at_random(seed: int) -> None:
    chance = random.Random(seed)
    parts: list[str] = []
    for _ in range(12):
        parts.append("".join(chance.choices([*BEFORE, *AFTER, "\r\n", "plain "], k=chance.randrange(4))))
        some = chance.sample(LINES, chance.randrange(1, 5))
        parts.append("".join(f"{chance.choice(some)}\r\n" for _ in range(chance.choice([3, 900, 9000]))))
        parts.append(chance.choice(LINES))
    expected, found = both(parts, chance.choice([(20, 6), (7, 3), (80, 24)]))
    assert found == expected


def test_of_a_flood_of_lines_the_last_ones_are_drawn() -> None:
    flood = "y\r\n" * SHORTEST
    assert OffScreen().leave_out(flood, 30, lambda: True) == "y\r\n" * 60
    assert OffScreen().leave_out(flood, 30, lambda: False) == flood
    blank = "\r\n" * SHORTEST
    assert OffScreen().leave_out("y" + blank, 30, lambda: True) == "y" + blank  # REP would repeat that letter
    assert OffScreen().leave_out(blank, 30, lambda: True) == "\r\n" * 60
