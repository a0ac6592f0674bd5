"""The colours of a terminal: what its pictures are drawn with, and what programs that ask for them are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from truetty.text.drawing import Colour, Style, channels


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture; `palette` are the first sixteen."""

    foreground: str
    background: str
    bar: str
    palette: tuple[str, ...]

    def colour(self, colour: Colour) -> str:
        if isinstance(colour, int):
            if colour < 16:
                return self.palette[colour]
            colour = channels(colour)
        return "#{:02x}{:02x}{:02x}".format(*colour)

    def colours(self, style: Style) -> tuple[str, str]:
        """Foreground and background, as they are drawn."""
        foreground = self.foreground if style.foreground is None else self.colour(style.foreground)
        background = self.background if style.background is None else self.colour(style.background)
        return (background, foreground) if style.inverse else (foreground, background)


DARK: Final = Theme(
    foreground="#d8dee4",
    background="#15191e",
    bar="#2a3038",
    palette=(
        *("#2e343d", "#e5534b", "#57ab5a", "#c69026", "#539bf5", "#b083f0", "#39c5cf", "#adbac7"),
        *("#636e7b", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f3f6"),
    ),
)
LIGHT: Final = Theme(
    foreground="#24292f",
    background="#fbfcfd",
    bar="#e4e8ec",
    palette=(
        *("#24292f", "#c0232c", "#1a7f37", "#8a6100", "#0969da", "#8250df", "#1b7c83", "#6e7781"),
        *("#57606a", "#a40e26", "#116329", "#6f4d00", "#0550ae", "#6639ba", "#155e63", "#424a53"),
    ),
)
THEMES: Final[Mapping[str, Theme]] = {"dark": DARK, "light": LIGHT}
