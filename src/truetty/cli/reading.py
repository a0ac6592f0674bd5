"""How the words behind a command are read, by its row of the table.

Rule 1: an option is known by its whole name. Its value follows it, or stands behind `=`. `--` ends the options.
Rule 2: the row says where options end. What COMMAND is given is never looked at.
Rule 3: a wrong word is refused with the option, what it takes and what it got.

argparse is not used: a positional that takes the rest (`argparse.REMAINDER`) also takes our own options in front of it,
so that COMMAND would have to be cut off by a reader like this one first.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan
from typing import Final

from truetty.cli.table.row import CommandRow, Option
from truetty.core.errors import Misuse

HELP: Final = ("-h", "--help")


class HelpWanted(Exception):
    """`--help` stood where an option of ours may stand."""


class WrongWords(Misuse):
    """The command line is wrong. No command has begun."""


def read(row: CommandRow, words: list[str]) -> dict[str, object]:
    """The arguments of the command's function, by name."""
    reader = _Reader(row, words)
    others: list[str] = []
    match row.order:
        case "command-last":
            reader.take_options()
            others = reader.words
        case "file-first":
            reader.take_options()
            others = reader.words[:1]
            del reader.words[:1]
            reader.take_options()
            others += reader.words
        case "anywhere":
            while reader.words:
                if reader.take_options():
                    others += reader.words
                    break
                others += reader.words[:1]
                del reader.words[:1]
    return {**reader.values, **_by_name(row, others)}


class _Reader:
    def __init__(self, row: CommandRow, words: list[str]) -> None:
        self.words = list(words)  # those that are still to be read
        self.values: dict[str, object] = {
            option.field: [] if option.repeats else option.default for option in row.options
        }
        self._options = {option.name: option for option in row.options}
        self._takes_negative = any(word.negative for word in row.words)

    def take_options(self) -> bool:
        """Read options up to the first word that is none. True: `--` has ended them."""
        while self.words and self._is_option(self.words[0]):
            word = self.words.pop(0)
            if word == "--":
                return True
            if word in HELP:
                raise HelpWanted
            name, equals, value = word.partition("=")
            option = self._options.get(name)
            if option is None:
                raise WrongWords(f"no option {name}{near(name, self._options)}", option=name)
            if option.kind == "switch":
                if equals:
                    raise WrongWords(f"{name} takes no value; got {value!r}.", option=name)
                self.values[option.field] = True
                continue
            if not equals:
                if not self.words:
                    raise WrongWords(f"{name} needs a value: {option.usage}.", option=name)
                value = self.words.pop(0)
            self._take(option, value)
        return False

    def _is_option(self, word: str) -> bool:
        if not word.startswith("-") or word == "-":
            return False
        return not self._takes_negative or _number(word) is None

    def _take(self, option: Option, text: str) -> None:
        value = _value(option, text)
        before = self.values[option.field]
        self.values[option.field] = [*before, value] if isinstance(before, list) else value


def _by_name(row: CommandRow, others: list[str]) -> dict[str, object]:
    rest = list(others)
    values: dict[str, object] = {}
    for word in row.words:
        if word.required and not rest:
            raise WrongWords(f"{row.name} needs {word.placeholder}.", missing=word.placeholder)
        if word.many:
            values[word.field], rest = rest, []
        else:
            values[word.field] = rest.pop(0) if rest else word.default
    if rest and row.commands:
        raise unknown_command(row.name, rest[0], [one.name for one in row.commands])
    if rest:
        known = ", ".join(word.placeholder for word in row.words)
        takes = f"takes no word behind {known}" if known else "takes no words"
        raise WrongWords(f"{row.name} {takes}; got {rest[0]!r}.", word=rest[0])
    return values


def _value(option: Option, text: str) -> object:
    match option.kind:
        case "choice":
            if text not in option.values:
                *most, last = option.values
                raise _wrong(option, f"{', '.join(most)} or {last}", text)
            return text
        case "seconds":
            seconds = _number(text)
            if seconds is None or not seconds >= 0:
                raise _wrong(option, "seconds, 0 or more", text)
            return seconds
        case "limit":
            seconds = _number(text)
            if seconds is None or not seconds > 0:
                raise _wrong(option, "seconds, more than 0", text)
            return seconds
        case "real":
            number = _number(text)
            if number is None:
                raise _wrong(option, "a number", text)
            return number
        case "number":
            return _whole_number(option, text)
        case "size":
            from truetty.core import kinds

            try:
                return kinds.size(text)
            except kinds.Wrong:
                raise _wrong(option, "COLSxROWS, such as 80x24", text) from None
    return text


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if isnan(number) else number


def _whole_number(option: Option, text: str) -> int:
    least, most = option.least, option.most
    try:
        number = int(text)
    except ValueError:
        number = None
    if number is None or (least is not None and number < least) or (most is not None and number > most):
        bounds = "" if least is None else f", {least} or more" if most is None else f" from {least} to {most}"
        raise _wrong(option, f"a whole number{bounds}", text)
    return number


def _wrong(option: Option, takes: str, text: str) -> WrongWords:
    return WrongWords(f"{option.name} takes {takes}; got {text!r}.", option=option.name, value=text)


def unknown_command(of: str, name: str, known: list[str]) -> WrongWords:
    """Of a command that has others behind its name: the nearest of them is named, or all where none is near."""
    meant = near(name, known)
    *most, last = known
    listed = f"; there are {', '.join(most)} and {last}." if meant == "." else meant
    return WrongWords(f"no command {of} {name}{listed}", word=name)


def near(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the known one that is nearest, if one is near."""
    from difflib import get_close_matches

    found = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {found[0]}?" if found else "."
