"""Reads words out of the syntax tree: quoting, parameters, substitutions, arithmetic, tests.

Rule 1: commands inside words are commands: `$(…)`, backquotes, `<(…)`, at any depth, are read like any other.
Rule 2: arithmetic with anything but numbers is doubted: shells evaluate what variables hold, `a[$(rm x)]` included.
Rule 3: where the parser and the shells may read a text differently, it is doubted.
Rule 4: an expansion that evaluates, assigns or looks up by a name that is itself looked up is doubted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from truetty.core import lazy
from truetty.policy.script import Call, Doubt
from truetty.policy.tree import Node, Unreadable, child, children, flag, kind, only, operator, span, text
from truetty.policy.words import Builder, Word, ansi, in_double_quotes
from truetty.shells.row import Dialect

MOST_DEPTH: Final = 100  # levels: far more than a person writes, and less than Python's stack holds

_NUMBER: Final = lazy.pattern(r"[0-9]+|0[xX][0-9a-fA-F]+")
_LONE_DOLLAR: Final = lazy.pattern(r"(?<!\\)(?:\\\\)*\$$")
_DOLLAR_BRACKET: Final = lazy.pattern(r"(?<!\\)(?:\\\\)*\$\[")
_NOT_PLAIN: Final = lazy.pattern(r"[$`<>\\'\"]")  # the parser does not look into extended patterns
_COMMAND_LIKE: Final = lazy.pattern(r"(?<!\\)(?:\\\\)*(?:`|\$[({]|[<>]\()")
_COUNTS: Final = frozenset({"$?", "$#", "$$", "$!", "${#}", "${?}"})  # always numbers
_HARMLESS: Final = frozenset({"-", ":-", "+", ":+", "?", ":?", "%", "%%", "#", "##", "^", "^^", ",", ",,"})
_HARMLESS_AT: Final = frozenset({"Q", "U", "L", "u", "a"})
_LISTS: Final = frozenset({"@", "*"})
_NUMERIC: Final = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_TEXTUAL: Final = frozenset({"=", "==", "!=", "=~", "<", ">", "-nt", "-ot", "-ef", "&&", "||"})
_ASKS_NAMES: Final = frozenset({"-v", "-R", "-t"})

ARITHMETIC: Final = "Arithmetic with anything but numbers can run commands that hide in the values of variables."
IN_BRACKETS: Final = "In zsh such a pattern can run code."


def _is_bracketed(part: Node) -> bool:
    return kind(part) == "ExtGlob" or (kind(part) == "Lit" and "(" in text(part))


class Expansions(ABC):
    def __init__(self, source: bytes, dialect: Dialect) -> None:
        self.found: list[Call | Doubt] = []
        self.dialect = dialect
        self.source = source
        self._depth = 0

    @abstractmethod
    def statements(self, nodes: Sequence[Node]) -> None:
        """Read the commands of a substitution; the reader of statements implements it."""

    def slice(self, node: Node) -> str:
        start, end = span(node)
        return self.source[start:end].decode("utf-8", "replace")

    def doubt(self, node: Node, reason: str) -> None:
        self.found.append(Doubt(self.slice(node), reason))

    @contextmanager
    def _level(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise Unreadable("It is nested too deeply to be checked.")
        yield
        self._depth -= 1

    def word(self, node: Node) -> Word:
        only(node, "Type", "Parts")
        builder = Builder(self.dialect)
        self._pieces(children(node, "Parts"), builder, quoted=False)
        if self.dialect == Dialect.ZSH and (builder.shape[:1] == "=" or "(" in builder.shape):
            self.doubt(node, IN_BRACKETS)
        return builder.word(self.slice(node))

    def inside(self, node: Node, *, operand: bool = False, globs: bool = False) -> None:
        """Only the commands in it matter: a here-document, a pattern, a word of a test or behind `${x:-`.

        With `globs`, zsh may look for files with it, and run what stands in its brackets.
        """
        if globs and self.dialect == Dialect.ZSH and any(_is_bracketed(part) for part in children(node, "Parts")):
            self.doubt(node, IN_BRACKETS)
        self._pieces(children(node, "Parts"), Builder(self.dialect), quoted=True, operand=operand)

    def _pieces(self, parts: Sequence[Node], builder: Builder, *, quoted: bool, operand: bool = False) -> None:
        with self._level():
            for number, part in enumerate(parts):
                if operand and kind(part) in ("SglQuoted", "DblQuoted"):
                    self.doubt(part, "Within double quotes shells do not agree on what these quotes mean.")
                self._piece(part, builder, quoted=quoted, last=number == len(parts) - 1)

    def _piece(self, part: Node, builder: Builder, *, quoted: bool, last: bool) -> None:
        match kind(part):
            case "Lit":
                only(part, "Type", "Value")
                self._plain(part, builder, quoted=quoted, last=last)
            case "SglQuoted":
                only(part, "Type", "Value", "Dollar")
                value = ansi(text(part)) if flag(part, "Dollar") else text(part)
                if value is None:
                    builder.unknown(splits=False)
                else:
                    builder.fixed(value)
            case "DblQuoted":
                only(part, "Type", "Parts", "Dollar")
                if flag(part, "Dollar"):  # a translation: the catalogue says what it becomes
                    builder.unknown(splits=False)
                self._pieces(children(part, "Parts"), builder, quoted=True)
            case "ParamExp":
                several = self._parameter(part, quoted=quoted)
                builder.unknown(splits=not quoted, several=several)
            case "CmdSubst":
                only(part, "Type", "Stmts", "Last", "Backquotes", "TempFile", "ReplyVar")
                if flag(part, "Backquotes") and "\\" in self.slice(part):
                    self.doubt(part, "Shells do not agree on backslashes in backquotes.")
                self.statements(children(part, "Stmts"))
                builder.unknown(splits=not quoted)
            case "ProcSubst":
                only(part, "Type", "Stmts", "Last", "Op")
                if self.slice(part)[:1] not in ("<", ">"):
                    self.doubt(part, "For `=(…)` zsh writes a file.")
                self.statements(children(part, "Stmts"))
                builder.fixed("/dev/fd/")
                builder.unknown(splits=False)
            case "ArithmExp":
                only(part, "Type", "X", "Bracket", "Unsigned")
                self.arithmetic(part, child(part, "X"))
                builder.unknown(splits=False)
            case "ExtGlob":
                only(part, "Type", "Op", "Pattern")
                if _NOT_PLAIN.search(text(child(part, "Pattern") or {})):
                    self.doubt(part, "There may be a command in this pattern.")
                builder.pattern()
            case other:
                raise Unreadable(f"The parser found {other or 'something'}, which is not known here.")

    def _plain(self, part: Node, builder: Builder, *, quoted: bool, last: bool) -> None:
        value = text(part)
        if quoted:
            builder.fixed(in_double_quotes(value))
        else:
            builder.bare(value)
        if _COMMAND_LIKE.search(value):
            self.doubt(part, "There may be a command in this text.")
        # What is no expansion in this dialect may be one in the shell that will read it: $'…' and $[…] in sh.
        if _DOLLAR_BRACKET.search(value) or (_LONE_DOLLAR.search(value) and not last):
            self.doubt(part, "Shells do not agree on what this dollar sign means.")
            builder.unknown(splits=True)

    def _parameter(self, node: Node, *, quoted: bool) -> bool:
        """True when it may be several words even in quotes."""
        only(node, "Type", "Short", "Excl", "Length", "Param", "Index", "Slice", "Repl", "Names", "Exp")
        name = text(child(node, "Param") or {})
        several = name in _LISTS
        if flag(node, "Excl"):
            self.doubt(node, "It takes the name of a variable from another variable.")
        if index := child(node, "Index"):
            several |= self._index(node, index)
        if slice_ := child(node, "Slice"):
            only(slice_, "Offset", "Length")
            for bound in (child(slice_, "Offset"), child(slice_, "Length")):
                if bound is not None:
                    self.arithmetic(node, bound)
        if change := child(node, "Repl"):
            only(change, "All", "Orig", "With")
            for word in (child(change, "Orig"), child(change, "With")):
                if word is not None:
                    self.inside(word, operand=quoted, globs=not quoted)
        if expansion := child(node, "Exp"):
            self._expansion(node, expansion, quoted=quoted)
        return several

    def _index(self, node: Node, index: Node) -> bool:
        if kind(index) == "Word":
            before = len(self.found)
            word = self.word(index)
            if word.source in _LISTS and len(self.found) == before:
                return True
            if self._is_number(word):
                return False
        else:
            self._leaves(index)
        self.doubt(node, ARITHMETIC)
        return False

    def _expansion(self, node: Node, expansion: Node, *, quoted: bool) -> None:
        only(expansion, "Op", "Word")
        sign = operator(expansion)
        word = child(expansion, "Word")
        if word is not None:
            self.inside(word, operand=quoted, globs=not quoted)
        if sign == "@" and word is not None and self.slice(word) in _HARMLESS_AT:
            return
        if sign in ("=", ":="):
            self.doubt(node, "It sets a variable in passing.")
        elif sign not in _HARMLESS:
            self.doubt(node, "It may run what a variable holds.")

    def arithmetic(self, where: Node, expression: Node | None) -> None:
        if expression is not None and not self._leaves(expression):
            self.doubt(where, ARITHMETIC)

    def _leaves(self, node: Node) -> bool:
        """True when there are only numbers in it. All of it is read in any case, for the commands inside."""
        with self._level():
            match kind(node):
                case "Word":
                    return self._is_number(self.word(node))
                case "BinaryArithm" | "UnaryArithm" | "ParenArithm":
                    only(node, "Type", "Op", "Post", "X", "Y")
                    sides = [self._leaves(side) for side in (child(node, "X"), child(node, "Y")) if side is not None]
                    return all(sides)
                case other:
                    raise Unreadable(f"The parser found {other or 'something'} in arithmetic, which is not known here.")

    def _is_number(self, word: Word) -> bool:
        return bool(_NUMBER.fullmatch(word.literal or "")) or word.source in _COUNTS

    def test(self, node: Node) -> None:
        """`[[ … ]]`: it compares words and looks at files, unless it counts or looks up names."""
        with self._level():
            match kind(node):
                case "Word":
                    self.inside(node, globs=True)
                case "ParenTest":
                    only(node, "Type", "X")
                    self.test(child(node, "X") or {})
                case "UnaryTest":
                    only(node, "Type", "Op", "X")
                    operand = child(node, "X") or {}
                    if operator(node) in _ASKS_NAMES:
                        self.doubt(node, "To look up a name the shell may run what is in its brackets.")
                    self.test(operand)
                case "BinaryTest":
                    only(node, "Type", "Op", "X", "Y")
                    sides = [side for side in (child(node, "X"), child(node, "Y")) if side is not None]
                    sign = operator(node)
                    if sign in _NUMERIC:
                        numbers = [kind(side) == "Word" and self._is_number(self.word(side)) for side in sides]
                        if not all(numbers):
                            self.doubt(node, ARITHMETIC)
                    elif sign not in _TEXTUAL:
                        self.doubt(node, f"What {sign or 'this'} does in a test is not known here.")
                    else:
                        for side in sides:
                            self.test(side)
                case other:
                    raise Unreadable(f"The parser found {other or 'something'} in a test, which is not known here.")
