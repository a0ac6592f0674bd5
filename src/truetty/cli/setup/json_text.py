"""Changes one place of a JSON text and leaves every other character as it is, comments too.

Rule 1: what does not parse is refused, with the line. Comments and a last comma are allowed where the caller says so.
Rule 2: what is put in looks like what is there: on lines of its own with the same indentation, or on one line.
Rule 3: `drop` after `put` gives the same text again, unless the entry was there before `put`, or another program has
        changed the text in between.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NoReturn

from truetty.core import lazy
from truetty.core.errors import Misuse

UNIT: Final = "  "
# Where a server is that is not started: a client that finds one of these beside our command may take it.
_ADDRESSES: Final = frozenset(("url", "httpUrl", "serverUrl", "tcp"))
_BLANK: Final = " \t\r\n"
# Possessive: with backtracking, a string without its end would take for ever. Nothing is read behind a wrong string.
_STRING: Final = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"|".*'
_COMMENT: Final = lazy.pattern(rf"({_STRING})|//[^\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMA: Final = lazy.pattern(rf"({_STRING}|[{{\[]\s*,)|,(?=[{_BLANK}]*[}}\]])", re.DOTALL)
_BLANKS: Final = lazy.pattern(f"[{_BLANK}]*")


def _refuse_constant(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is not JSON", name, 0)


def _whole_number(digits: str) -> float:
    """As it is written again; a very long one takes Python too long."""
    return int(digits) if len(digits) < 16 else float(digits)


_DECODER: Final = json.JSONDecoder(parse_int=_whole_number, parse_constant=_refuse_constant)


@dataclass(frozen=True, slots=True)
class Member:
    key: str
    start: int
    value: Node
    comma: int | None  # where the comma behind it is


@dataclass(frozen=True)
class Node:
    """A value of the text. `plain` has blanks in the place of comments, `strict` in the place of last commas too."""

    plain: str
    strict: str
    start: int
    end: int
    value: object

    @cached_property
    def members(self) -> tuple[Member, ...] | None:
        """Of an object."""
        if not isinstance(self.value, dict):
            return None
        plain, strict = self.plain, self.strict
        members, at = [], _next(plain, self.start + 1)
        while plain[at] != "}":
            key, end = _DECODER.raw_decode(strict, at)
            node = _node(plain, strict, _next(plain, _next(plain, end) + 1))
            behind = _next(plain, node.end)
            comma = behind if plain[behind] == "," else None
            members.append(Member(key, at, node, comma))
            at = behind if comma is None else _next(plain, comma + 1)
        return tuple(members)

    def member(self, key: str) -> Member | None:
        """The last one: programs that read the file use that one."""
        return next((member for member in reversed(self.members or ()) if member.key == key), None)

    def find(self, keys: tuple[str, ...]) -> Node | None:
        node: Node | None = self
        for key in keys:
            member = node.member(key) if node is not None else None
            node = member.value if member is not None else None
        return node


def parse(text: str, *, comments: bool = False) -> Node | None:
    """The root; None for a text in which there is nothing."""
    plain = _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text) if comments else text
    strict = _LAST_COMMA.sub(lambda found: found[1] or " ", plain) if comments else plain
    if not plain.strip(_BLANK):
        return None
    try:
        root = _node(plain, strict, _next(plain, 0))
        if (rest := _next(plain, root.end)) < len(plain):
            _refuse(text, rest, "something follows the end")
    except json.JSONDecodeError as error:
        comment = text.startswith(("//", "/*"), error.pos)
        _refuse(text, error.pos, "a comment, which is not allowed here" if comment else error.msg)
    except RecursionError:
        _refuse(text, 0, "it is nested too deeply")
    return root


def _node(plain: str, strict: str, start: int) -> Node:
    value, end = _DECODER.raw_decode(strict, start)
    return Node(plain, strict, start, end, value)


def _next(plain: str, at: int) -> int:
    """Where the next character is that counts."""
    blanks = _BLANKS.match(plain, at)
    return blanks.end() if blanks is not None else at


def _refuse(text: str, at: int, reason: str) -> NoReturn:
    line = text.count("\n", 0, at) + 1
    raise Misuse(f"line {line}: {reason}", line=line, reason=reason)


def read(text: str, keys: tuple[str, ...], *, comments: bool = False) -> object:
    """What stands at these keys; None if nothing does."""
    root = parse(text, comments=comments)
    node = root.find(keys) if root is not None else None
    return node.value if node is not None else None


def put(text: str, keys: tuple[str, ...], value: object, *, comments: bool = False) -> str:
    """With this value at these keys. Objects on the way there are made."""
    root = parse(text, comments=comments)
    end = "\r\n" if "\r\n" in text else "\n"
    if root is None:
        made = _draw(_nest(keys, value), "", UNIT, end)
        return f"{text.rstrip(_BLANK)}{end}{made}{end}" if text.strip(_BLANK) else made + (text or end)
    node = root
    for depth, key in enumerate(keys):
        if node.members is None:
            _refuse(text, node.start, f"{'.'.join(keys[:depth]) or 'the file'} is not an object")
        member = node.member(key)
        if member is None:
            inner = keys[depth + 1 :]
            return _insert(text, root, node, key, _nest(inner, value), end, made=bool(inner))
        node = member.value
    if node.value == value:
        return text
    drawing = _draw(value, _indent(text, node.start), _unit(text, root), end)
    return text[: node.start] + drawing + text[node.end :]


def put_entry(text: str, keys: tuple[str, ...], entry: dict[str, object], *, comments: bool = False) -> str:
    """A person's additions to our entry (an `env`) stay; an entry for a server at an address is replaced."""
    there = read(text, keys, comments=comments)
    if not isinstance(there, dict) or not there or ("command" not in there and not _ADDRESSES.isdisjoint(there)):
        return put(text, keys, entry, comments=comments)
    for key, value in entry.items():
        text = put(text, (*keys, key), value, comments=comments)
    return text


def drop(text: str, keys: tuple[str, ...], *, comments: bool = False) -> str | None:
    """Without what stands at these keys, and without what `put` had to make for it. None: `put` made it all."""
    value = read(text, keys, comments=comments)
    if value is None:
        return text
    rest = text
    while read(rest, keys, comments=comments) is not None:  # a key may stand there twice
        rest = _remove(rest, keys, comments=comments)
    if put("", keys, value) == text:
        return None
    parent = _remove(text, keys[:-1], comments=comments) if len(keys) > 1 else rest
    # An object that is empty and yet on two lines is what is left of one that `put` has made.
    pasts = (parent, rest) if re.search(r"\{\s*\n\s*\}", rest) else (rest, parent)
    return next((past for past in pasts if put(past, keys, value, comments=comments) == text), rest)


# -- the text


def _insert(text: str, root: Node, node: Node, key: str, value: object, end: str, *, made: bool) -> str:
    """Behind the last member, and behind the comments that follow it.

    An object that is `made` for the value is on lines of its own even in a file of one line: so `drop` knows it again.
    """
    members = node.members or ()
    last = members[-1] if members else None
    from_ = last.value.end if last is not None else node.start + 1
    kept = text[from_ : node.end - 1].rstrip(_BLANK)
    at = from_ + len(kept)
    lines = "\n" in text[node.start : members[0].start if members else node.end]
    if lines or "//" in kept:
        unit = _unit(text, root)
        indent = _indent(text, members[-1].start) if members and lines else _indent(text, node.start) + unit
        piece = f"{end}{indent}{json.dumps(key)}: {_draw(value, indent, unit, end)}"
    else:
        colon, comma = (": ", ", ") if _has_spaces(text, root) else (":", ",")
        drawing = json.dumps(value, ensure_ascii=False, separators=(comma, colon))
        drawing = _draw(value, _indent(text, node.start), _unit(text, root), end) if made else drawing
        piece = f"{comma[1:] if last is not None or kept else ''}{json.dumps(key)}{colon}{drawing}"
    if last is not None and last.comma is not None:
        return text[:at] + piece + "," + text[at:]
    return text[:from_] + ("," if last is not None else "") + kept + piece + text[at:]


def _remove(text: str, keys: tuple[str, ...], *, comments: bool) -> str:
    root = parse(text, comments=comments)
    node = root.find(keys[:-1]) if root is not None else None
    member = node.member(keys[-1]) if node is not None else None
    if node is None or member is None or node.members is None:
        return text
    at = node.members.index(member)
    start = len(text[: member.start].rstrip(_BLANK))
    if member.comma is not None:
        follower = node.members[at + 1] if at + 1 < len(node.members) else None
        if at == 0 and follower is not None and not text[member.comma + 1 : follower.start].strip(_BLANK):
            return text[: member.start] + text[follower.start :]
        return text[:start] + text[member.comma + 1 :]
    rest = text[:start] + text[member.value.end :]
    comma = node.members[at - 1].comma if at else None
    return rest if comma is None else rest[:comma] + rest[comma + 1 :]


def _nest(keys: tuple[str, ...], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _draw(value: object, indent: str, unit: str, end: str) -> str:
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + unit
    rows = [f"{inner}{json.dumps(key)}: {_draw(item, inner, unit, end)}" for key, item in value.items()]
    return f"{{{end}{f',{end}'.join(rows)}{end}{indent}}}"


def _indent(text: str, at: int) -> str:
    """The blanks that begin the line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str, root: Node) -> str:
    first = root.members[0].start if root.members else 0
    return (_indent(text, first) if "\n" in text[root.start : first] else "") or UNIT


def _has_spaces(text: str, root: Node) -> bool:
    if not root.members:
        return True
    return text[root.members[0].value.start - 1] in _BLANK
