"""What a terminal shows as runs of text with their colours: the values between the emulator and what draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# A number of the palette, or red, green and blue.
Colour = int | tuple[int, int, int]

_STEPS: Final = (0, 95, 135, 175, 215, 255)  # of the 6 × 6 × 6 colours after the first sixteen


def channels(number: int) -> tuple[int, int, int]:
    """Red, green and blue of a colour from 16 to 255."""
    if number < 232:
        level = number - 16
        return _STEPS[level // 36], _STEPS[level // 6 % 6], _STEPS[level % 6]
    grey = 8 + 10 * (number - 232)
    return grey, grey, grey


@dataclass(frozen=True, slots=True)
class Style:
    """How a run of text looks."""

    foreground: Colour | None = None
    background: Colour | None = None
    bold: bool = False
    faint: bool = False
    italic: bool = False
    underline: bool = False
    strikethrough: bool = False
    inverse: bool = False

    @property
    def paints(self) -> bool:
        """Whether a blank of this style is seen."""
        return self.background is not None or self.inverse or self.underline


@dataclass(frozen=True, slots=True)
class TextRun:
    """Neighbouring characters that look alike; one that is two columns wide stands alone."""

    column: int
    columns: int
    text: str
    style: Style

    @property
    def visible(self) -> bool:
        return not self.text.isspace() or self.style.paints


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a picture shows."""

    rows: list[list[TextRun]]
    size: tuple[int, int]  # columns and rows
    cursor: tuple[int, int] | None  # column and row, from 0; None: the program hides it
    title: str | None  # as the program set it
