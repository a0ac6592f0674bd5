"""Changes one table or one value of a TOML text and leaves every other character as it is, comments too.

Rule 1: what does not parse is refused, with the line.
Rule 2: only lines of this table are taken out or changed. Which lines these are is found by taking them out: what is
        left must say the same of everything else.
Rule 3: a table that is written in a way we cannot change (inside another one's braces) is refused.

tomlkit 0.15 was tried: where an array of tables stands between two tables of one name, it moves the second one.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Final

from truetty.core import lazy
from truetty.core.errors import Misuse
from truetty.text.folding import split_lines

# Such a table has a few lines; a person may have added a few more.
MOST_LINES: Final = 200
_LINE: Final = lazy.pattern(r"\(at line ([0-9]+)")


def read(text: str, keys: tuple[str, ...]) -> object:
    """What stands at these keys; None if nothing does."""
    tree: object = parse(text)
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def put(text: str, keys: tuple[str, ...], entry: dict[str, object]) -> str:
    """With this table at these keys: a new one at the end, or the values of the one that is there."""
    there = read(text, keys)
    if there is None:
        changed = _append(text, keys, entry)
        if not _says(changed, keys, _as_read(entry)):
            raise _unchangeable(text, keys)
        return changed
    if not isinstance(there, dict):
        raise Misuse(f"{'.'.join(keys)} is not a table", keys=keys)
    for key, value in entry.items():
        if there.get(key) != _as_read(value):
            text = _with_value(text, keys, key, value)
    return text


def put_value(text: str, key: str, value: object) -> str:
    """With this value of a key that is in no table: in the place of the old one, below a comment that shows such a
    line, or as the last of these keys."""
    tree = parse(text)
    wanted, others = {**tree, key: _as_read(value)}, _others(tree, (key,))
    if key in tree:
        start, end = _lines_of(text, (key,), others)
        changed = _replace_value(text[start:end], key, value)
        if changed is not None and _parse_or_none(candidate := text[:start] + changed + text[end:]) == wanted:
            return candidate
        text = drop(text, (key,)) or ""  # a table of its own
    lines, end_of_line = split_lines(text), _end(text)
    for at in _places(lines, key):
        above, below = "".join(lines[:at]), "".join(lines[at:])
        above += end_of_line if above and not above.endswith("\n") else ""
        if _parse_or_none(candidate := f"{above}{key} = {literal(value)}{end_of_line}{below}") == wanted:
            return candidate
    raise _unchangeable(text, (key,))


def drop(text: str, keys: tuple[str, ...]) -> str | None:
    """Without this table. None: there was nothing before it."""
    entry = read(text, keys)
    if entry is None:
        return text
    others, rest, at = _others(parse(text), keys), text, len(text)
    while read(rest, keys) is not None:
        at, end = _lines_of(rest, keys, others)
        rest = rest[:at] + rest[end:]
    if isinstance(entry, dict):
        if _append("", keys, entry) == text:
            return None
        for before in (rest.removesuffix("\n").removesuffix("\r"), rest):
            if _append(before, keys, entry) == text:
                return before
    above, below = rest[:at], rest[at:]
    blank = re.search(r"(?<=\n)\r?\n\Z", above)
    return above[: blank.start()] + below if blank and re.match(r"\r?\n|\Z", below) else rest


def line_of(text: str, keys: tuple[str, ...]) -> int:
    """The number of the line in which something is first said of these keys; 1 where it cannot be told."""
    try:
        start, _ = _lines_of(text, keys, _others(parse(text), keys))
    except Misuse:
        return 1
    return text.count("\n", 0, start) + 1


def literal(value: object) -> str:
    """As it stands behind `=`, in one line."""
    match value:
        case dict():
            inner = ", ".join(f"{_name(key)} = {literal(item)}" for key, item in value.items())
            return f"{{ {inner} }}" if inner else "{}"
        case list() | tuple():
            return f"[{', '.join(map(literal, value))}]"
        case float():
            return repr(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def parse(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text, parse_float=str)  # as numbers, `nan` would differ from itself
    except tomllib.TOMLDecodeError as error:
        reason, line = str(error), _LINE.search(str(error))
        number = int(line[1]) if line else len(split_lines(text))
        raise Misuse(f"line {number}: {reason}", line=number, reason=reason) from error
    except RecursionError as error:
        raise Misuse("line 1: it is nested too deeply", line=1, reason="nested too deeply") from error


# -- the text


def _append(text: str, keys: tuple[str, ...], entry: dict[str, object]) -> str:
    """Behind an empty line; if the last line had no end, without one. So `drop` can tell the two cases apart."""
    end = _end(text)
    lines = [f"[{'.'.join(keys)}]", *(f"{_name(key)} = {literal(value)}" for key, value in entry.items()), ""]
    return f"{text}{end if text else ''}{end.join(lines)}"


def _with_value(text: str, keys: tuple[str, ...], key: str, value: object) -> str:
    """With this value in the table that is there; a value that was there keeps its place and its comment."""
    there = read(text, keys)
    assert isinstance(there, dict)
    others, rest = _others(parse(text), keys), text
    while read(rest, keys) is not None:
        start, end = _lines_of(rest, keys, others)
        block = rest[start:end]
        changed = _replace_value(block, key, value) if key in there else _insert_value(block, key, value, _end(text))
        if changed is not None:
            # No two blocks are equal: TOML allows no key twice.
            candidate = text.replace(block, changed, 1)
            if _says(candidate, keys, {**there, key: _as_read(value)}) and _others(parse(candidate), keys) == others:
                return candidate
        rest = rest[:start] + rest[end:]
    raise _unchangeable(text, keys)


def _replace_value(block: str, key: str, value: object) -> str | None:
    """The lines with another value of the key. None: it is not in them."""
    lines = split_lines(block)
    name = re.compile(rf"""\s*(?:[^=#]*\.\s*)?["']?{re.escape(key)}["']?\s*=\s*""")
    for first, line in enumerate(lines):
        if (head := name.match(line)) is None:
            continue
        for last in range(first + 1, len(lines) + 1):
            if (old := _parse_or_none(statement := "".join(lines[first:last]))) is None:
                continue  # its value goes on in the next line
            ends = [found.start() for found in re.finditer(r"[ \t]*#|\r?\n|\Z", statement)]
            behind = next(end for end in ends if _parse_or_none(statement[:end]) == old)
            return "".join([*lines[:first], head[0], literal(value), statement[behind:], *lines[last:]])
    return None


def _insert_value(block: str, key: str, value: object, end: str) -> str | None:
    """The lines with one more behind the table's head. None: they have no head."""
    head, *others = split_lines(block)
    if not head.lstrip().startswith("["):
        return None
    return "".join([head if head.endswith("\n") else head + end, f"{_name(key)} = {literal(value)}{end}", *others])


def _lines_of(text: str, keys: tuple[str, ...], others: dict[str, object]) -> tuple[int, int]:
    """Where the first lines are that say something of the table: without them, `others` is still what the text says."""
    lines = split_lines(text)
    spots = [at for at, line in enumerate(lines) if keys[-1] in line and not line.lstrip().startswith("#")]
    for first in sorted(spots, key=lambda at: not _names(lines[at], keys)):
        start = len("".join(lines[:first]))
        for last in range(first + 1, min(first + MOST_LINES, len(lines)) + 1):
            end = start + len("".join(lines[first:last]))
            rest = _parse_or_none(text[:start] + text[end:])
            if rest is not None and _others(rest, keys) == others:
                return start, end
    raise _unchangeable(text, keys)


def _names(line: str, keys: tuple[str, ...]) -> bool:
    """Whether the line alone is the table's head, or says something of it."""
    return _parse_or_none(line) is not None and read(line, keys) is not None


def _says(text: str, keys: tuple[str, ...], entry: object) -> bool:
    return _parse_or_none(text) is not None and read(text, keys) == entry


def _parse_or_none(text: str) -> dict[str, object] | None:
    try:
        return parse(text)
    except Misuse:
        return None


def _others(tree: dict[str, object], keys: tuple[str, ...]) -> dict[str, object]:
    """All but this table, and but the tables that are empty without it: TOML makes them by naming what is in them."""
    first, *inner = keys
    rest = {key: value for key, value in tree.items() if key != first}
    below = tree.get(first)
    if inner and isinstance(below, dict) and (kept := _others(below, tuple(inner))):
        rest[first] = kept
    elif inner and not isinstance(below, dict) and first in tree:
        rest[first] = below
    return rest


def _unchangeable(text: str, keys: tuple[str, ...]) -> Misuse:
    spots = (number for number, line in enumerate(split_lines(text), 1) if keys[0] in line)
    number = next(spots, 1)
    reason = f"{keys[0]} is written in a way that cannot be changed without touching the rest"
    return Misuse(f"line {number}: {reason}", line=number, reason=reason)


def _places(lines: list[str], key: str) -> list[int]:
    """Where a new line may stand, the best first: above the line of this number, in front of the first table."""
    heads = (at for at, line in enumerate(lines) if line.lstrip().startswith("["))
    # A bracket inside a value of several lines is no head: without the rest, that value does not parse.
    top = next((at for at in heads if _parse_or_none("".join(lines[:at])) is not None), len(lines))
    shown = re.compile(rf"#\s*{re.escape(key)}\s*=")
    examples = [at + 1 for at in range(top) if shown.match(lines[at])]
    statements = [at + 1 for at in range(top) if not re.match(r"\s*(#|$)", lines[at])]
    # A comment directly above a table is about that table.
    gaps = [at for at in range(top) if not lines[at].strip()] if top < len(lines) else [top]
    return [*examples[-1:], *statements[-1:], *gaps[-1:], 0]


def _as_read(value: object) -> object:
    return parse(f"value = {literal(value)}")["value"]


def _name(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else literal(key)


def _end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
