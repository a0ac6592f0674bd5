"""Help pages and the overview, from the table of commands: examples first, wrapped once to the terminal's width."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Final

from truetty.cli.style import WIDEST, has_colours, styled, terminal_width, wrapped
from truetty.cli.table import COMMANDS, GROUPS
from truetty.cli.table.row import CommandRow, Example

# On a narrower terminal a text stands under its option: a column of its own would be too thin to read.
NARROW: Final = 60
# A longer option has its text on the next line, so that the texts of the others need not stand so far to the right.
LONGEST_OPTION: Final = 22
HELP: Final = ("-h, --help", "show this")
VERSION: Final = ("-V, --version", "print the version")
ABOUT: Final = "A terminal that tells the truth: what ran, what it printed, how it ended, and what it is waiting for."
FIRST_STEPS: Final = (
    Example("truetty run 'pytest -q'", "run a command, get its exit code"),
    Example("truetty shot ls.svg 'ls --color'", "a picture of what it prints"),
    Example("truetty setup claude-code", "give terminals to an agent"),
)


def overview() -> str:
    page = _Sheet()
    page.text(ABOUT)
    page.examples(FIRST_STEPS)
    page.usage("truetty COMMAND [OPTIONS] ...")
    for title, rows in GROUPS.items():
        page.rows(title, [(row.name, row.summary) for row in rows], max(map(len, COMMANDS)))
    page.rows("Options", [VERSION, HELP])
    page.text("truetty COMMAND --help, or truetty help COMMAND, shows more.")
    return str(page)


def help_page(path: str, row: CommandRow) -> str:
    """Of the command that `path` calls, such as `truetty policy`."""
    page = _Sheet()
    page.text(row.description)
    page.examples(row.examples)
    page.usage(f"{path.removesuffix(row.name)}{row.usage}")
    if row.about:
        page.text(row.about, "  ")
    if row.commands:
        page.rows("Commands", [(one.name, one.summary) for one in row.commands])
    tables = {group.title: [(option.usage, option.help) for option in group.options] for group in row.groups}
    last = list(tables)[-1] if tables else "Options"
    tables.setdefault(last, []).append(HELP)
    widest = max(
        (len(name) for table in tables.values() for name, _ in table if len(name) <= LONGEST_OPTION), default=0
    )
    for title, table in tables.items():
        page.rows(title, table, widest)
    for note in row.notes:
        page.text(note)
    return str(page)


class _Sheet:
    """Blocks with an empty line between them."""

    def __init__(self) -> None:
        self._width = min(terminal_width(), WIDEST)
        self._colours = has_colours(sys.stdout)
        self._blocks: list[str] = []

    def __str__(self) -> str:
        return "\n\n".join(self._blocks) + "\n"

    def _block(self, lines: Iterable[str]) -> None:
        self._blocks.append("\n".join(lines))

    def text(self, text: str, indent: str = "") -> None:
        self._block(wrapped(text, self._width, indent))

    def usage(self, text: str) -> None:
        first, *rest = wrapped(text, self._width - len("Usage: "))
        self._block([f"{styled('Usage:', 'bold', on=self._colours)} {first}", *(f"       {line}" for line in rest)])

    def examples(self, examples: Iterable[Example]) -> None:
        """A line to copy is never broken; its comment stands beside it, or under it where there is no room."""
        column = max(len(example.line) for example in examples) + 2
        beside = all(2 + column + len(example.comment) <= self._width for example in examples)
        lines: list[str] = []
        for line, comment in examples:
            lines += (
                [f"  {line:{column}}{comment}"] if beside else [f"  {line}", *wrapped(comment, self._width, "      ")]
            )
        self._block(lines)

    def rows(self, title: str, rows: list[tuple[str, str]], column: int | None = None) -> None:
        column = max(len(name) for name, _ in rows) if column is None else column
        beside = self._width >= NARROW or all(column + 4 + len(text) <= self._width for _, text in rows)
        lines = [line for name, text in rows for line in self._row(name, text, column, beside)]
        self._block([styled(title, "bold", on=self._colours), *lines])

    def _row(self, name: str, text: str, column: int, beside: bool) -> Iterator[str]:
        margin = " " * (column + 4 if beside else 6)
        if beside and len(name) <= column:
            yield from wrapped(text, self._width, f"  {name:{column}}  ", margin)
        else:
            yield f"  {name}"
            yield from wrapped(text, self._width, margin)
