"""The colours of a line, from the bytes that printed it.

Rule 1: a colour is one of sixteen. One of 256, or red, green and blue, becomes the nearest of these: a viewer chooses
        sixteen that can be read on its background, and no more.
Rule 2: a look is written in SGR numbers: `31` red, `1;42` bold on green. Inverse red is `41`, inverse text of no colour
        is `7`.
Rule 3: a line is changed by a return, a backspace and an erased end only. What moves between lines is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, islice
from typing import Final

from truetty.core import lazy
from truetty.text.drawing import Colour, Style, channels

Run = tuple[int, int, str]  # from this character to before that one, and the look in SGR numbers

PLAIN: Final = Style()
_BRIGHT: Final = 8
_COLOURLESS: Final = 48  # between the strongest and the weakest of red, green and blue; less is a grey
_GREYS: Final = ((64, 0), (160, 8), (232, 7))  # up to this value the colour; above, white
_PART = lazy.pattern(
    r"\x1b\[(?P<sgr>[0-9;:]*)m|\x1b\[(?P<erase>[02]?)K|\x1b\][^\a\x1b]*(?:\a|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\"
    r"|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]"
    r"|(?P<control>[\x00-\x08\x0a-\x1f\x7f])|(?P<text>[^\x00-\x08\x0a-\x1f\x7f]+)"
)
_SGR = lazy.pattern(r"\x1b\[([0-9;:]*)m")
_FLAGS: Final[dict[int, dict[str, bool]]] = {
    1: {"bold": True},
    2: {"faint": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"inverse": True},
    9: {"strikethrough": True},
    21: {"underline": True},
    22: {"bold": False, "faint": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"inverse": False},
    29: {"strikethrough": False},
}


def after(text: str, style: Style) -> Style:
    """The style behind a text that began with this one."""
    if "\x1b[" in text:
        for found in _SGR.finditer(text, max(text.rfind("\x1b[m"), text.rfind("\x1b[0m"), 0)):
            style = _changed(style, found[1])
    return style


@dataclass(frozen=True)
class PrintedLine:
    """As it was printed, and the style that it began with."""

    printed: str
    style: Style

    @property
    def text(self) -> str:
        return self._drawn[0]

    @property
    def runs(self) -> tuple[Run, ...]:
        """Where it is not plain."""
        return self._drawn[1]

    @cached_property
    def _drawn(self) -> tuple[str, tuple[Run, ...]]:
        printed, style = self.printed.rstrip("\r"), self.style
        if style == PLAIN and printed.isprintable():
            return printed, ()
        cells: list[str] = []
        styles: list[Style] = []
        x = 0
        for part in _PART.finditer(printed):
            if (text := part["text"]) is not None:
                if x > len(cells):
                    styles += [PLAIN] * (x - len(cells))
                    cells += " " * (x - len(cells))
                end = x + len(text)
                cells[x:end], styles[x:end], x = text, [style] * len(text), end
            elif part["sgr"] is not None:
                style = _changed(style, part["sgr"])
            elif part["erase"] is not None:
                keep = 0 if part["erase"] == "2" else x
                del cells[keep:], styles[keep:]
            elif part["control"] == "\r":
                x = 0
            elif part["control"] == "\b":
                x = max(0, x - 1)
        return "".join(cells), tuple(_runs(styles))


def _runs(styles: list[Style]) -> Iterator[Run]:
    at = 0
    for style, same in groupby(styles):
        end = at + len(list(same))
        if (look := _look(style)) != "":
            yield at, end, look
        at = end


def _look(style: Style) -> str:
    flags = ((1, style.bold), (2, style.faint), (3, style.italic), (4, style.underline), (9, style.strikethrough))
    numbers = [number for number, holds in flags if holds]
    foreground, background = style.foreground, style.background
    if style.inverse:
        if foreground is None:
            numbers.append(7)
        foreground, background = background, foreground
    if foreground is not None:
        numbers.append(_number(foreground, 30))
    if background is not None:
        numbers.append(_number(background, 40))
    return ";".join(map(str, numbers))


def _number(colour: Colour, base: int) -> int:
    index = _nearest(colour)
    return base + index if index < _BRIGHT else base + 60 + index - _BRIGHT


def _nearest(colour: Colour) -> int:
    """Of the sixteen."""
    if isinstance(colour, int):
        if colour < 16:
            return colour
        colour = channels(colour)
    most, least = max(colour), min(colour)
    if most - least < _COLOURLESS:
        return next((index for value, index in _GREYS if most < value), 15)
    middle = (most + least) / 2
    hue = sum(bit for bit, value in zip((1, 2, 4), colour, strict=True) if value > middle)
    return hue + (_BRIGHT if most > 220 and least > 80 else 0)


def _changed(style: Style, parameters: str) -> Style:
    """By one SGR sequence."""
    numbers = iter([part.split(":") for part in parameters.split(";")])
    for part in numbers:
        number = _value(part[0])
        if number == 0:
            style = PLAIN
        elif number == 4 and part[1:] == ["0"]:
            style = replace(style, underline=False)
        elif number in _FLAGS:
            style = replace(style, **_FLAGS[number])
        elif number in (38, 48):
            colour = _extended([one for one in part[1:] if one], numbers)
            if colour is not None:
                style = replace(style, foreground=colour) if number == 38 else replace(style, background=colour)
        elif number in (39, 49):
            style = replace(style, foreground=None) if number == 39 else replace(style, background=None)
        elif 30 <= number < 38 or 90 <= number < 98:
            style = replace(style, foreground=number - 30 if number < 38 else number - 90 + _BRIGHT)
        elif 40 <= number < 48 or 100 <= number < 108:
            style = replace(style, background=number - 40 if number < 48 else number - 100 + _BRIGHT)
    return style


def _extended(inside: list[str], others: Iterator[list[str]]) -> Colour | None:
    """Of `38:5:N`, where all stands in one parameter, or `38;5;N`. The colour space of `38:2:SPACE:R:G:B` is passed
    over."""
    if inside:
        kind, values = inside[0], [_value(one) for one in inside[1:]][-3:]
    else:
        kind = next(others, [""])[0]
        values = [_value(one[0]) for one in islice(others, {"5": 1, "2": 3}.get(kind, 0))]
    if any(value > 255 for value in values):
        return None
    if kind == "5" and len(values) == 1:
        return values[0]
    return (values[0], values[1], values[2]) if kind == "2" and len(values) == 3 else None


def _value(text: str) -> int:
    return int(text[:4]) if text else 0
