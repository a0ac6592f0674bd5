"""Streams made up at random: plain lines, lines that are rewritten, and everything a terminal knows."""

from __future__ import annotations

import random

WORDS = ("a", "bc", "hello", "x" * 7, " ", "  ", "0123456789", "é", "漢", "漢字", "🙂", "e\u0301", "└─")
LINES = ("\r\n", "\r\n", "\r", "\x1b[31m", "\x1b[K", "\x1b[2K", "\x1b[m", "\n", "\x1b]0;t\x07", "\b")
MOVES = ("\r", "\n", "\b", "\x1b7", "\x1b8", "\x1bM", "\x1bD", "\x1bE", "\x1b[m", "\x1bH", "\x0b")
RARE = (
    *("\r\n", "\r", "\n", "\b", "\x1b7", "\x1b8", "\x1bM", "\x1b(0", "\x1b(B", "\x0e", "\x0f", "\x1b)0"),
    *("\x1b[?1049h", "\x1b[?1049l", "\x1bc", "\x1b[!p", "\x1b", "\x1b[3\n1m", "\x18", "\x9b2A", "\x85", "\x07"),
    *("\x00", "\x7f", "\x1b]8;;x\x1b\\", "\x1bPq\x1b\\", "\x1b[1 q", "\x1b[2\x1b[A"),
)
TABS = ("a", "bc", "\t", " ", "漢", "e\u0301", "\r\n", "\b", "\x1b[K", "\x1b[2K", "\r", "\x1b[3D", "\x1b[2P", "\x1b[A")
STOPS = ("\x1bH", "\x1bH", "\x1b[g", "\x1b[3g", "")


def stream(chance: random.Random, kind: str) -> bytes:
    text = "".join(_piece(chance, kind) for _ in range(chance.randint(1, 25)))
    if kind == "rare":
        # A mark that stands on nothing: xterm.js gives it a cell and hides it, here it is kept as text.
        text = text.replace("\u0301", "")
    return text.encode()


def _piece(chance: random.Random, kind: str) -> str:
    part = chance.random()
    match kind:
        case "tabs":
            return chance.choice(TABS)
        case "stops":
            if part < 0.4:
                return f"\x1b[{chance.randint(1, 22)}G{chance.choice(STOPS)}"
            if part < 0.7:
                return f"{chance.choice(STOPS)}\x1b[{chance.choice(('', '1', '2', '3', '9999'))}{chance.choice('IZ')}"
            return chance.choice(("x", "漢", "\r", "\r\n"))
        case "lines":
            return chance.choice(WORDS if part < 0.5 else LINES)
        case "moves":
            if part < 0.65:
                return chance.choice(WORDS) if part < 0.5 else "\r\n"
            return _sequence(chance) if part < 0.85 else chance.choice(MOVES)
        case _:
            if part < 0.7:
                return chance.choice(WORDS) if part < 0.4 else _sequence(chance)
            return chance.choice(RARE)


def _sequence(chance: random.Random) -> str:
    """Not among them, because xterm.js 6.0.0 gets them wrong: relative moves in origin mode add the top margin again,
    and half a wide character survives at the last column while wrapping is off."""
    final = chance.choice("@ABCDEFGHIJKLMPSTXZ`adefbgrsuhl")
    match final:
        case "h" | "l":
            return f"\x1b[{chance.choice(('4', '20', '?25', '?1048', '?2004'))}{final}"
        case "b":
            return f"q\x1b[{chance.randint(0, 9)}b"
        case "J" | "K":
            return f"\x1b[{chance.choice(('', '0', '1', '2'))}{final}"
        case "g":
            return f"\x1b[{chance.choice('03')}g"
        case "H" | "f":
            return f"\x1b[{chance.randint(0, 8)};{chance.randint(0, 22)}{final}"
        case "r":
            return f"\x1b[{chance.randint(0, 4)};{chance.randint(0, 7)}r" if chance.random() < 0.5 else "\x1b[r"
        case _:
            return f"\x1b[{chance.choice(('', '1', '2', '3', '5', '12'))}{final}"
