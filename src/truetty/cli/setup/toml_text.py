"""Changes one table of a TOML text and leaves every other character as it is, comments too.

Rule 1: what does not parse is refused, with the line.
Rule 2: no change is believed before the whole text was parsed again and all else in it is the same.
        So it need not be understood here where a string or an array ends: what is cut wrongly does not pass.
Rule 3: a table that is written in a way we cannot change (inside another one's braces) is refused.
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Iterator
from typing import Final

from truetty.core.errors import Misuse

# A table of ours has a few lines; a person may have added a few more.
MOST_LINES: Final = 200
_LINE: Final = re.compile(r"\(at line ([0-9]+)")


def read(text: str, keys: tuple[str, ...]) -> object:
    """What stands at these keys; None if nothing does."""
    return _at(parse(text), keys)


def put(text: str, keys: tuple[str, ...], entry: dict[str, object]) -> str:
    """With this table at these keys: a new one at the end, or the values of the one that is there."""
    if (there := read(text, keys)) is None:
        return _verified(_appended(text, keys, entry), _with(parse(text), keys, entry), keys)
    if not isinstance(there, dict):
        raise Misuse(f"{'.'.join(keys)} is not a table", keys=keys)
    for key, value in entry.items():
        text = _set(text, keys, key, value)
    return text


def drop(text: str, keys: tuple[str, ...]) -> str | None:
    """Without this table. None: there was nothing before it."""
    entry = read(text, keys)
    if entry is None:
        return text
    rest, at = text, len(text)
    others = _without(parse(text), keys)
    while read(rest, keys) is not None:
        rest, at = _cut(rest, keys, others)
    if isinstance(entry, dict):
        if _appended("", keys, entry) == text:
            return None
        for before in (rest.removesuffix("\n").removesuffix("\r"), rest):
            if _appended(before, keys, entry) == text:
                return before
    above, below = rest[:at], rest[at:]
    blank = re.search(r"(?<=\n)\r?\n\Z", above)
    return above[: blank.start()] + below if blank and re.match(r"\r?\n|\Z", below) else rest


def parse(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text, parse_float=str)  # as numbers, `nan` would differ from itself
    except tomllib.TOMLDecodeError as error:
        reason, line = str(error), _LINE.search(str(error))
        number = int(line[1]) if line else len(text.splitlines())
        raise Misuse(f"line {number}: {reason}", line=number, reason=reason) from error
    except RecursionError as error:
        raise Misuse("line 1: it is nested too deeply", line=1, reason="nested too deeply") from error


def drawn(keys: tuple[str, ...], entry: dict[str, object], end: str = "\n") -> str:
    return end.join([f"[{'.'.join(keys)}]", *(f"{key} = {_value(value)}" for key, value in entry.items()), ""])


def _appended(text: str, keys: tuple[str, ...], entry: dict[str, object]) -> str:
    """Behind an empty line; behind a last line without an end, without one: so it can be told from the other."""
    end = _end(text)
    return f"{text}{end if text else ''}{drawn(keys, entry, end)}"


def _set(text: str, keys: tuple[str, ...], key: str, value: object) -> str:
    """One value of a table that is there."""
    target = _with(parse(text), (*keys, key), value)
    if parse(text) == target:
        return text
    lines = text.splitlines(keepends=True)
    line = f"{key} = {_value(value)}{_end(text)}"
    name = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
    for first in (number for number, old in enumerate(lines) if name.match(old)):
        for count in range(1, min(MOST_LINES, len(lines) - first) + 1):
            changed = "".join([*lines[:first], line, *lines[first + count :]])
            if _parses_as(changed, target):
                return changed
    for number, old in enumerate(lines):
        if old.lstrip().startswith("["):
            start = [*lines[:number], old if old.endswith("\n") else old + _end(text)]
            changed = "".join([*start, line, *lines[number + 1 :]])
            if _parses_as(changed, target):
                return changed
    raise _unchangeable(text, keys)


def _cut(text: str, keys: tuple[str, ...], others: dict[str, object]) -> tuple[str, int]:
    """Without the first lines that say something of the table, and where they were."""
    lines = text.splitlines(keepends=True)
    spots = [at for at, line in enumerate(lines) if keys[-1] in line and not line.lstrip().startswith("#")]
    for first in sorted(spots, key=lambda at: not _names(lines[at], keys)):
        for count in range(1, min(MOST_LINES, len(lines) - first) + 1):
            rest = "".join([*lines[:first], *lines[first + count :]])
            if _parses_as(rest, others, keys):
                return rest, len("".join(lines[:first]))
    raise _unchangeable(text, keys)


def _names(line: str, keys: tuple[str, ...]) -> bool:
    """Whether the line alone is the table's head, or says something of it."""
    try:
        return read(line, keys) is not None
    except Misuse:
        return False


def _parses_as(text: str, target: dict[str, object], keys: tuple[str, ...] | None = None) -> bool:
    try:
        found = parse(text)
    except Misuse:
        return False
    return (found if keys is None else _without(found, keys)) == target


def _verified(text: str, target: dict[str, object], keys: tuple[str, ...]) -> str:
    if not _parses_as(text, target):
        raise _unchangeable(text, keys)
    return text


def _unchangeable(text: str, keys: tuple[str, ...]) -> Misuse:
    spots = (number for number, line in enumerate(text.splitlines(), 1) if keys[0] in line)
    number = next(spots, 1)
    reason = f"{keys[0]} is written in a way that cannot be changed without touching the rest"
    return Misuse(f"line {number}: {reason}", line=number, reason=reason)


# -- values


def _at(tree: object, keys: tuple[str, ...]) -> object:
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def _tables(tree: dict[str, object], keys: tuple[str, ...]) -> Iterator[dict[str, object]]:
    """Those on the way to the last key."""
    yield tree
    for key in keys[:-1]:
        inner = tree.setdefault(key, {})
        if not isinstance(inner, dict):
            raise Misuse(f"{key} is not a table", keys=keys)
        tree = inner
        yield tree


def _with(tree: dict[str, object], keys: tuple[str, ...], value: object) -> dict[str, object]:
    tree = copy.deepcopy(tree)
    *_, last = _tables(tree, keys)
    last[keys[-1]] = value
    return tree


def _without(tree: dict[str, object], keys: tuple[str, ...]) -> dict[str, object]:
    """Tables that have become empty by it are left out too: TOML makes them by naming what is in them."""
    tree = copy.deepcopy(tree)
    tables = list(_tables(tree, keys))
    tables[-1].pop(keys[-1], None)
    for table, key in reversed(list(zip(tables, keys[:-1], strict=False))):
        if table[key] == {}:
            del table[key]
    return tree


def _value(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
