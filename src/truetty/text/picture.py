"""A screen as a picture: SVG, drawn from its runs of text.

Rule 1: every character stands in its own column, whatever font the viewer has: each run of text is told its width.
Rule 2: a picture is self-contained: it has no font, link, style sheet or script. What was printed is text in it, and a
        character that XML does not allow becomes U+FFFD.
Rule 3: it is bounded: a screen of more cells than `MOST_CELLS` is refused.

Text that a program has hidden by its colours or by SGR 8 is drawn as the emulator has it, which knows no SGR 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from truetty.core import lazy
from truetty.core.errors import Misuse
from truetty.core.kinds import described
from truetty.text.drawing import Drawing, Style, TextRun
from truetty.text.theme import THEMES, Theme

# In the worst case each has its own colours, at about 250 bytes: 25 MB.
MOST_CELLS: Final = 100_000

WIDTH: Final = 8.4  # of a cell; most monospaced fonts are 0.6 of their size wide
HEIGHT: Final = 18
FONT_SIZE: Final = 14
BASELINE: Final = 13.5
UNDERLINE: Final = 15.5
STRIKE: Final = 9.5
MARGIN: Final = 12
BAR: Final = 30
FONTS: Final = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
FEWEST_COLUMNS: Final = 20  # of a picture that is cropped

_ILLEGAL: Final = lazy.pattern("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010fffd]")


def picture(
    drawing: Drawing, *, title: str | None = None, cursor: bool = True, theme: str = "dark", crop: bool = False
) -> str:
    """The SVG of it. With a `title`, there is a bar above it that says it.

    `crop` leaves out the columns at the right in which nothing stands.
    """
    look = _theme(theme)
    columns, rows = drawing.size
    check(columns, rows)
    if crop:
        columns = min(columns, max(FEWEST_COLUMNS, len(title or ""), _used_columns(drawing.rows)))
    top = MARGIN + (BAR if title is not None else 0)
    width, height = _number(columns * WIDTH + 2 * MARGIN), rows * HEIGHT + top + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{FONTS}" font-size="{FONT_SIZE}" fill="{look.foreground}">',
        f"<title>{_text(title or drawing.title or 'terminal')}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{look.background}"/>',
    ]
    if title is not None:
        parts += [
            f'<path d="M0 {BAR}V8a8 8 0 0 1 8 -8H{_number(columns * WIDTH + 2 * MARGIN - 8)}a8 8 0 0 1 8 8V{BAR}z" '
            f'fill="{look.bar}"/>',
            f'<text x="{_number(columns * WIDTH / 2 + MARGIN)}" y="{BAR - 10}" text-anchor="middle">'
            f"{_text(_shorten(title, columns))}</text>",
        ]
    # Columns go from left to right here, whatever the script: as terminals draw them.
    parts.append(f'<g transform="translate({MARGIN} {top})" style="direction: ltr; unicode-bidi: bidi-override">')
    for row, runs in enumerate(drawing.rows):
        parts += _row(row * HEIGHT, runs, look)
    if cursor and drawing.cursor is not None:
        column, row = drawing.cursor
        parts.append(
            f'<rect class="cursor" x="{_number(column * WIDTH)}" y="{row * HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
            f'fill="{look.foreground}" fill-opacity="0.5"/>'
        )
    return "\n".join([*parts, "</g>", "</svg>", ""])


def check(columns: int, rows: int) -> None:
    """Refuse what is too large, before memory is taken for it."""
    if columns < 1 or rows < 1 or columns * rows > MOST_CELLS:
        reason = f"{columns} × {rows} is no size for a picture; at most {MOST_CELLS} cells are drawn"
        raise Misuse(reason, columns=columns, rows=rows, most=MOST_CELLS)


def _theme(name: str) -> Theme:
    if name not in THEMES:
        raise Misuse(f"a theme is {' or '.join(THEMES)}, not {described(name)}", theme=name)
    return THEMES[name]


def _used_columns(rows: list[list[TextRun]]) -> int:
    return max((run.column + _used(run) for runs in rows for run in runs if run.visible), default=1)


def _used(run: TextRun) -> int:
    """Columns of a run up to its last visible character."""
    if run.style.paints:
        return run.columns
    return run.columns - (len(run.text) - len(run.text.rstrip()))


def _row(y: int, runs: list[TextRun], look: Theme) -> Iterator[str]:
    for run in runs:
        foreground, background = look.colours(run.style)
        x, width = _number(run.column * WIDTH), _number(run.columns * WIDTH)
        if background != look.background:
            yield f'<rect x="{x}" y="{y}" width="{width}" height="{HEIGHT}" fill="{background}"/>'
        for height in ([UNDERLINE] if run.style.underline else []) + ([STRIKE] if run.style.strikethrough else []):
            yield f'<rect x="{x}" y="{_number(y + height)}" width="{width}" height="1" fill="{foreground}"/>'
        if text := run.text.strip(" "):
            x = _number((run.column + run.text.index(text)) * WIDTH)
            width = _number((run.columns - len(run.text) + len(text)) * WIDTH)
            yield (
                f'<text x="{x}" y="{_number(y + BASELINE)}" textLength="{width}"'
                f"{_attributes(run.style, foreground, look)}>{_text(text)}</text>"
            )


def _attributes(style: Style, foreground: str, look: Theme) -> str:
    """Blanks are kept by an attribute of each text: browsers pass over the one of a group, and join blanks."""
    return "".join(
        [
            ' xml:space="preserve"',
            f' fill="{foreground}"' if foreground != look.foreground else "",
            ' font-weight="bold"' if style.bold else "",
            ' fill-opacity="0.6"' if style.faint else "",
            ' font-style="italic"' if style.italic else "",
        ]
    )


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _text(text: str) -> str:
    return escape(_ILLEGAL.sub("\ufffd", text), quote=False)


def _shorten(title: str, columns: int) -> str:
    return title if len(title) <= columns else f"{title[: max(columns - 1, 0)]}…"
