"""Reads a syntax tree into calls and doubts.

Rule 1: everything that may run is read, whether it will or not: both branches, every loop, every function.
Rule 2: what lasts beyond the line (functions, coprocesses, odd descriptors) is doubted: the shell lives on, and the
        next command may mean something else.
Rule 3: what is not known is `Unreadable`, never skipped.
Rule 4: a text with a comment or a here-document is not plain (`plain.py`): nothing more is said against it here. What
        here-documents run is read all the same, for deny rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from truetty.core import lazy
from truetty.policy.expansions import ARITHMETIC, Expansions
from truetty.policy.runners import moves
from truetty.policy.script import Assignment, Call, Script
from truetty.policy.tree import Node, Unreadable, child, children, flag, kind, only, operator, text
from truetty.policy.words import Word
from truetty.shells.row import Dialect

_WRITES: Final = frozenset({">", ">>", ">|", ">>|", "&>", "&>>", "&>|", "&>>|", "<>", ">!", ">>!"})
_HERE: Final = frozenset({"<<", "<<-"})
_DUPLICATES: Final = lazy.pattern(r"[0-9]*-?")
_NETWORK: Final = ("/dev/tcp/", "/dev/udp/", "/dev/sctp/")


def read(tree: Node, source: bytes, dialect: Dialect) -> Script:
    reader = _Reader(source, dialect)
    try:
        only(tree, "Type", "Stmts", "Last", "Name")
        reader.statements(children(tree, "Stmts"))
    except RecursionError:
        raise Unreadable("It is nested too deeply to be checked.") from None
    return tuple(reader.found)


class _Reader(Expansions):
    _loops = 0

    def statements(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self._statement(node)

    def _statement(self, node: Node) -> None:
        only(node, "Type", "Comments", "Cmd", "Negated", "Background", "Coprocess", "Disown", "Redirs")
        if flag(node, "Coprocess"):
            self.doubt(node, "It stays as a coprocess of the shell.")
        writes = tuple(word for redirection in children(node, "Redirs") for word in self._redirection(redirection))
        command = child(node, "Cmd")
        match kind(command or {}):
            case "CallExpr":
                self._call(command or {}, writes)
                return
            case "":
                if command is not None:
                    raise Unreadable("The parser found a command without a name.")
                if self.dialect == Dialect.ZSH and not writes:
                    self.doubt(node, "Without a command zsh starts a pager.")
            case _:
                self._compound(command or {})
        if writes or command is None:
            self.found.append(Call((), (), writes, self._loops > 0, source=self.slice(node)))

    def _call(self, node: Node, writes: tuple[Word, ...]) -> None:
        only(node, "Type", "Assigns", "Args")
        assignments = tuple(self._assignment(item) for item in children(node, "Assigns"))
        words = tuple(self.word(item) for item in children(node, "Args"))
        self.found.append(Call(words, assignments, writes, self._loops > 0, source=self.slice(node)))

    def _assignment(self, node: Node) -> Assignment:
        only(node, "Append", "Naked", "Name", "Index", "Value", "Array")
        name = text(child(node, "Name") or {})
        if index := child(node, "Index"):
            self.arithmetic(node, index)
        if array := child(node, "Array"):
            only(array, "Elems", "Last")
            if self.dialect == Dialect.MKSH:
                self.doubt(node, "In ksh93 what stands in these brackets may set other variables.")
            for element in children(array, "Elems"):
                only(element, "Index", "Value", "Comments")
                if place := child(element, "Index"):
                    self.arithmetic(element, place)
                if value := child(element, "Value"):
                    self.word(value)
            return Assignment(name, None, index is not None)
        value = child(node, "Value")
        word = Word("''", "", "") if value is None else self.word(value)
        return Assignment(name, word, index is not None)

    def _redirection(self, node: Node) -> list[Word]:
        only(node, "Op", "N", "Word", "Hdoc")
        sign = operator(node)
        if text(child(node, "N") or {}).startswith("{"):
            self.doubt(node, "It keeps a descriptor open in a variable.")
        target = child(node, "Word") or {}
        if body := child(node, "Hdoc"):
            self.inside(body)
        if sign in _HERE:
            return []
        word = self.word(target)
        if sign == "<<<":
            return []
        if sign in ("<&", ">&") and _DUPLICATES.fullmatch(word.literal or "?"):
            return []
        if [kind(part) for part in children(target, "Parts")] == ["ProcSubst"]:
            return []
        if sign in _WRITES or sign == ">&":
            return [word]
        if sign not in ("<", "<&"):
            raise Unreadable(f"The redirection {sign} is not known here.")
        if word.literal is None:
            self.doubt(node, "It reads from a place that is not written out.")
        elif word.literal.startswith(_NETWORK):
            self.doubt(node, "It opens a connection to the network.")
        return []

    def _compound(self, node: Node) -> None:
        match kind(node):
            case "BinaryCmd":
                only(node, "Type", "Op", "X", "Y")
                for side in (child(node, "X"), child(node, "Y")):
                    self._statement(side or {})
            case "Block" | "Subshell":
                only(node, "Type", "Stmts", "Last")
                self.statements(children(node, "Stmts"))
            case "IfClause":
                self._branch(node)
            case "WhileClause":
                only(node, "Type", "Until", "Cond", "CondLast", "Do", "DoLast")
                self._loop(children(node, "Cond"), children(node, "Do"))
            case "ForClause":
                only(node, "Type", "Select", "Braces", "Loop", "Do", "DoLast")
                self._iteration(child(node, "Loop") or {})
                self._loop(children(node, "Do"))
            case "CaseClause":
                self._case(node)
            case "TimeClause":
                only(node, "Type", "PosixFormat", "Stmt")
                if statement := child(node, "Stmt"):
                    self._statement(statement)
            case "TestClause":
                only(node, "Type", "X")
                self.test(child(node, "X") or {})
                self.found.append(Call((Word.plain("[["),), source=self.slice(node)))
            case "ArithmCmd":
                only(node, "Type", "X", "Unsigned")
                self.arithmetic(node, child(node, "X"))
                self.found.append(Call((Word.plain("(("),), source=self.slice(node)))
            case "LetClause":
                only(node, "Type", "Exprs")
                self.doubt(node, ARITHMETIC)
                for expression in children(node, "Exprs"):
                    self.arithmetic(node, expression)
            case "DeclClause":
                self._declaration(node)
            case "FuncDecl":
                self._function(node)
            case "CoprocClause":
                only(node, "Type", "Name", "Stmt")
                self.doubt(node, "It stays as a coprocess of the shell.")
                self._statement(child(node, "Stmt") or {})
            case other:
                raise Unreadable(f"The parser found {other}, which is not known here.")

    def _branch(self, node: Node | None) -> None:
        while node is not None:
            only(node, "Type", "Cond", "CondLast", "Then", "ThenLast", "Else", "Last")
            self.statements(children(node, "Cond"))
            self.statements(children(node, "Then"))
            node = child(node, "Else")

    def _loop(self, *bodies: Sequence[Node]) -> None:
        self._loops += 1
        start = len(self.found)
        for body in bodies:
            self.statements(body)
        self._loops -= 1
        body_ = self.found[start:]
        if any(isinstance(item, Call) and moves(item.words) for item in body_):
            self.found[start:] = [replace(item, astray=True) if isinstance(item, Call) else item for item in body_]

    def _iteration(self, node: Node) -> None:
        match kind(node):
            case "WordIter":
                only(node, "Type", "Name", "Items")
                name = text(child(node, "Name") or {})
                for item in children(node, "Items"):
                    self.word(item)
                self.found.append(Call((), (Assignment(name, None),), looped=True))
            case "CStyleLoop":
                only(node, "Type", "Init", "Cond", "Post")
                for name in ("Init", "Cond", "Post"):
                    self.arithmetic(node, child(node, name))
            case other:
                raise Unreadable(f"The parser found a loop {other}, which is not known here.")

    def _case(self, node: Node) -> None:
        only(node, "Type", "Braces", "Word", "Items", "Last")
        self.inside(child(node, "Word") or {})
        for item in children(node, "Items"):
            only(item, "Op", "Comments", "Patterns", "Stmts", "Last")
            for pattern in children(item, "Patterns"):
                self.inside(pattern)
            self.statements(children(item, "Stmts"))

    def _declaration(self, node: Node) -> None:
        only(node, "Type", "Variant", "Args")
        words = [Word.plain(text(child(node, "Variant") or {}))]
        for item in children(node, "Args"):
            assignment = self._assignment(item)
            source = self.slice(item)
            if flag(item, "Naked"):
                words.append(Word.plain(assignment.name) if assignment.name else assignment.value or Word(source, None))
                continue
            value = assignment.value.literal if assignment.value is not None else None
            start = f"{assignment.name}="
            words.append(Word(source, None if value is None else f"{start}{value}", start))
        self.found.append(Call(tuple(words), (), (), self._loops > 0, source=self.slice(node)))

    def _function(self, node: Node) -> None:
        only(node, "Type", "RsrvWord", "Parens", "Name", "Names", "Body")
        self.doubt(node, "It defines a function, which changes what later commands mean.")
        self._loop([child(node, "Body") or {}])
