"""What a row of the command table holds. Rows are data: the reader, the help pages and completion are made from them.

Rule 1: this module imports nothing that is slow to import: a help page needs the table and no more.
Rule 2: an option's placeholder says what kind of thing its value is. One placeholder has one meaning everywhere.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

# How a value is read. "choice" is one of `values`; with every other kind `values` are only offered by completion.
Kind = Literal["switch", "text", "seconds", "limit", "number", "real", "size", "choice"]
# Where options may stand. "command-last": ours, then COMMAND, whose options are its own. "file-first": FILE, with our
# options before or behind it, then COMMAND.
Order = Literal["anywhere", "command-last", "file-first"]


class Option(NamedTuple):
    name: str  # --like-this
    help: str
    placeholder: str = ""  # of its value; a switch has none
    kind: Kind = "text"
    default: object = None
    values: tuple[str, ...] = ()
    least: int | None = None  # of a "number"
    most: int | None = None
    repeats: bool = False
    parameter: str = ""  # of the function, where it is not named like the option

    @property
    def field(self) -> str:
        return self.parameter or self.name.removeprefix("--").replace("-", "_")

    @property
    def usage(self) -> str:
        return f"{self.name} {self.placeholder}".rstrip()


def switch(name: str, help: str, parameter: str = "") -> Option:
    return Option(name, help, kind="switch", default=False, parameter=parameter)


class Word(NamedTuple):
    """What stands on the command line without an option's name."""

    field: str  # the parameter of the function
    placeholder: str
    required: bool = True
    many: bool = False  # it takes all words that are left
    default: object = None
    values: tuple[str, ...] = ()
    negative: bool = False  # a negative number is such a word, and no option


class Group(NamedTuple):
    """Options under one heading of the help page."""

    title: str
    options: tuple[Option, ...]


class Example(NamedTuple):
    line: str
    comment: str


class CommandRow(NamedTuple):
    name: str
    summary: str  # for the overview, under 50 characters
    description: str  # the first sentence of the help page
    examples: tuple[Example, ...]
    words: tuple[Word, ...] = ()
    about: str = ""  # below the usage: what the words mean
    groups: tuple[Group, ...] = ()
    notes: tuple[str, ...] = ()  # paragraphs at the end, the exit status among them
    order: Order = "anywhere"
    module: str = ""  # inside truetty.cli, where it is not named like the command
    commands: tuple[CommandRow, ...] = ()  # what may follow its name
    alone: bool = True  # False: one of `commands` must follow

    @property
    def options(self) -> tuple[Option, ...]:
        return tuple(option for group in self.groups for option in group.options)

    @property
    def usage(self) -> str:
        words = [self.name]
        if not self.alone:
            return f"{self.name} COMMAND [OPTIONS]"
        if self.groups:
            words.append("[OPTIONS]")
        for word in self.words:
            shown = f"{word.placeholder}..." if word.many else word.placeholder
            words.append(shown if word.required else f"[{shown}]")
        return " ".join(words)
