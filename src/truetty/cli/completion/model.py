"""What can be completed where, from the table of commands.

Rule 1: what a value may be is told by its row: a list of values, or a placeholder with a meaning of its own.
Rule 2: an option has the same values in every command that has it, so that a script needs one list of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from truetty.cli.schema import FORMS
from truetty.cli.setup.clients import CLIENTS
from truetty.cli.table import COMMANDS
from truetty.cli.table.row import CommandRow, Option, Word
from truetty.settings import FIELDS
from truetty.shells import table as shells

# What the shell itself knows how to complete; and terminals of the server, which `truetty list --names` knows.
Source = Literal["files", "directories", "commands", "terminals", "nothing"]
SOURCES: dict[str, Source] = {
    "FILE": "files",
    "FILE.svg": "files",
    "DIR": "directories",
    "COMMAND": "commands",
    "-- COMMAND": "commands",
    "ID": "terminals",
}


class Place(NamedTuple):
    """A command, and what may stand behind its name."""

    path: str  # `policy check`
    summary: str
    row: CommandRow

    @property
    def words_of_ours(self) -> int | None:
        """So many words are ours; the ones behind them are COMMAND's. None: all are ours."""
        return {"command-last": 0, "file-first": 1, "anywhere": None}[self.row.order]


def places() -> Iterator[Place]:
    for row in COMMANDS.values():
        yield Place(row.name, row.summary, row)
        yield from (Place(f"{row.name} {one.name}", one.summary, one) for one in row.commands)


def options() -> dict[str, Option]:
    """Every option by its name."""
    return {option.name: option for place in places() for option in place.row.options}


def values(of: Option | Word) -> tuple[str, ...] | Source:
    if of.values:
        return of.values
    if "|" in of.placeholder:
        return tuple(of.placeholder.split("|"))
    match of.placeholder:
        case "SHELL":
            return tuple(row.name for row in shells.ROWS if row.has_marks)
        case "CLIENT":
            return tuple(client.name for client in CLIENTS)
        case "SETTING":
            return tuple(FIELDS)
        case "FORM":
            return tuple(FORMS)
    return SOURCES.get(of.placeholder, "nothing")


def short_help(option: Option) -> str:
    """The first clause of it: a list of completions has one line for each."""
    return re.split(r"[;:(]|\. ", option.help)[0].strip()


def quoted(text: str) -> str:
    """In single quotes, for any of the three shells."""
    return "'" + text.replace("'", "'\\''") + "'"
