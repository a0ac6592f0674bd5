"""Changes one place of a JSON text and leaves every other character as it is, comments too.

Rule 1: what does not parse is refused, with the line. Comments and a last comma are allowed where the caller says so.
Rule 2: what is put in looks like what is there: on lines of its own with the same indentation, or on one line.
Rule 3: `drop` after `put` gives the same text again, wherever the text tells what it was before.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final, NoReturn

from truetty.core.errors import Misuse

UNIT: Final = "  "
_BLANK: Final = " \t\r\n"
# Possessive, since a string without its end must not take for ever.
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORDS: Final = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Member:
    key: str
    start: int
    value: Node
    comma: int | None  # where the comma behind it is


@dataclass(frozen=True, slots=True)
class Node:
    start: int
    end: int
    value: object
    members: tuple[Member, ...] | None = None  # of an object

    def member(self, key: str) -> Member | None:
        """The last one, as it counts for those who read the file."""
        return next((member for member in reversed(self.members or ()) if member.key == key), None)


def read(text: str, keys: tuple[str, ...], *, comments: bool = False) -> object:
    """What stands at these keys; None if nothing does."""
    node = parse(text, comments=comments)
    for key in keys:
        member = node.member(key) if node is not None else None
        node = member.value if member is not None else None
    return node.value if node is not None else None


def put(text: str, keys: tuple[str, ...], value: object, *, comments: bool = False) -> str:
    """With this value at these keys. Objects on the way there are made."""
    root = parse(text, comments=comments)
    end = "\r\n" if "\r\n" in text else "\n"
    if root is None:
        made = _drawn(_nested(keys, value), "", UNIT, end)
        return f"{text.rstrip(_BLANK)}{end}{made}{end}" if text.strip(_BLANK) else made + (text or end)
    node = root
    for depth, key in enumerate(keys):
        if node.members is None:
            _refuse(text, node.start, f"{'.'.join(keys[:depth]) or 'the file'} is not an object")
        member = node.member(key)
        if member is None:
            inner = keys[depth + 1 :]
            return _insert(text, root, node, key, _nested(inner, value), end, made=bool(inner))
        node = member.value
    if node.value == value:
        return text
    drawn = _drawn(value, _indent(text, node.start), _unit(text, root), end)
    return text[: node.start] + drawn + text[node.end :]


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


def parse(text: str, *, comments: bool = False) -> Node | None:
    """The root; None for a text in which there is nothing."""
    try:
        return _Parser(text, comments).root()
    except RecursionError:
        _refuse(text, 0, "it is nested too deeply")


def _refuse(text: str, at: int, reason: str) -> NoReturn:
    line = text.count("\n", 0, at) + 1
    raise Misuse(f"line {line}: {reason}", line=line, reason=reason)


class _Parser:
    def __init__(self, text: str, comments: bool) -> None:
        self._text = text
        self._comments = comments
        self._at = 0

    def root(self) -> Node | None:
        if not self._next():
            return None
        node = self._value()
        if self._next():
            self._fail("something follows the end")
        return node

    def _next(self) -> str:
        """The next character that counts; nothing at the end."""
        text = self._text
        while self._at < len(text):
            if text[self._at] in _BLANK:
                self._at += 1
            elif self._comments and (comment := _COMMENT.match(text, self._at)):
                self._at = comment.end()
            else:
                return text[self._at]
        return ""

    def _fail(self, reason: str) -> NoReturn:
        _refuse(self._text, self._at, reason)

    def _value(self) -> Node:
        start = self._at
        match self._next():
            case "{":
                return self._object()
            case "[":
                return self._array()
            case '"':
                return self._string()
            case "":
                self._fail("it ends too early")
        if number := _NUMBER.match(self._text, start):
            self._at = number.end()
            return Node(start, self._at, float(number[0]))
        for word, value in _WORDS.items():
            if self._text.startswith(word, start):
                self._at = start + len(word)
                return Node(start, self._at, value)
        if self._text.startswith(("//", "/*"), start):
            self._fail("a comment, which is not allowed here" if not self._comments else "a comment without an end")
        self._fail(f"not JSON: {self._text[start : start + 20].splitlines()[0]!r}")

    def _string(self) -> Node:
        found = _STRING.match(self._text, self._at)
        if found is None:
            self._fail("a string without an end, or with a character that must be escaped")
        self._at = found.end()
        return Node(found.start(), self._at, json.loads(found[0]))

    def _array(self) -> Node:
        start, values = self._at, []
        self._at += 1
        while self._next() != "]":
            values.append(self._value().value)
            self._separator("]")
        self._at += 1
        return Node(start, self._at, values)

    def _object(self) -> Node:
        start, members = self._at, []
        self._at += 1
        while (character := self._next()) != "}":
            if character != '"':
                self._fail('a key in "quotes" was expected' if character else "it ends too early")
            key = self._string()
            if self._next() != ":":
                self._fail('":" was expected')
            self._at += 1
            self._next()
            value = self._value()
            members.append(Member(str(key.value), key.start, value, self._separator("}")))
        self._at += 1
        return Node(start, self._at, {member.key: member.value.value for member in members}, tuple(members))

    def _separator(self, close: str) -> int | None:
        """Past the comma, if there is one."""
        character = self._next()
        if character == close:
            return None
        if character != ",":
            self._fail(f'"," or "{close}" was expected' if character else "it ends too early")
        comma = self._at
        self._at += 1
        if self._next() == close and not self._comments:
            self._fail(f'a comma before "{close}"')
        return comma


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
        piece = f"{end}{indent}{json.dumps(key)}: {_drawn(value, indent, unit, end)}"
    else:
        colon, comma = (": ", ", ") if _spaced(text, root) else (":", ",")
        drawn = json.dumps(value, ensure_ascii=False, separators=(comma, colon))
        drawn = _drawn(value, _indent(text, node.start), _unit(text, root), end) if made else drawn
        piece = f"{comma[1:] if last is not None or kept else ''}{json.dumps(key)}{colon}{drawn}"
    if last is not None and last.comma is not None:
        return text[:at] + piece + "," + text[at:]
    return text[:from_] + ("," if last is not None else "") + kept + piece + text[at:]


def _remove(text: str, keys: tuple[str, ...], *, comments: bool) -> str:
    node = parse(text, comments=comments)
    for key in keys[:-1]:
        member = node.member(key) if node is not None else None
        node = member.value if member is not None else None
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


def _nested(keys: tuple[str, ...], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _drawn(value: object, indent: str, unit: str, end: str) -> str:
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + unit
    rows = [f"{inner}{json.dumps(key)}: {_drawn(item, inner, unit, end)}" for key, item in value.items()]
    return f"{{{end}{f',{end}'.join(rows)}{end}{indent}}}"


def _indent(text: str, at: int) -> str:
    """The blanks that begin the line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str, root: Node) -> str:
    first = root.members[0].start if root.members else 0
    return (_indent(text, first) if "\n" in text[root.start : first] else "") or UNIT


def _spaced(text: str, root: Node) -> bool:
    if not root.members:
        return True
    return text[root.members[0].value.start - 1] in _BLANK
