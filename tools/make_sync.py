"""Write `src/truetty/sync/face.py`, the blocking face, from the source of the async classes.

    python tools/make_sync.py            write it
    python tools/make_sync.py --check    write nothing; exit status 1 if it is not what would be written

Rule 1: every public member of a class of `CLASSES` becomes a member of the same name, with the same arguments, defaults
        and docstring, that does its work in the loop's thread. Only what `OWNERS` names is left out.
        A name in a table here that no class has ends this program with an error.
Rule 2: what a member gives back is a value, a face, or an iterator. Anything else ends this program with an error: a
        live object must not reach another thread.
"""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import get_args, get_origin

ROOT = Path(__file__).resolve().parent.parent
FACE = ROOT / "src" / "truetty" / "sync" / "face.py"
CLASSES = {
    "Output": "truetty.store.output",
    "Transcript": "truetty.store.transcript",
    "Recording": "truetty.terminal.recording",
    "Command": "truetty.terminal.command",
    "Terminal": "truetty.terminal.terminal",
    "Registry": "truetty.service.registry",
}
# Plain attributes that a caller may set. A property is settable where the source has a setter.
SETTABLE = {"Terminal.name", "Terminal.task"}
# Public members that only the owner of the object calls: a terminal its recording's, a conversation its output's.
OWNERS = {
    *("Output.summary", "Output.all_given", "Output.reader", "Output.slices", "Output.hold"),
    *("Transcript.append", "Transcript.blank", "Transcript.close", "Transcript.keep"),
    *("Recording.on_change", "Recording.on_keys", "Recording.on_exit", "Recording.on_stop"),
    *("Command.changes", "Command.open_waiting", "Command.forget", "Command.discard"),
    *("Command.wait_since", "Command.go_on_from", "Output.reads"),
    *("Terminal.adopt", "Terminal.changes", "Terminal.watch_hands", "Terminal.timeline"),
    *(
        "Registry.expected",
        "Registry.all",
        "Registry.find",
        "Registry.forgotten",
        "Registry.is_new",
        "Registry.places",
        "Registry.adopt",
        "Registry.origin",
        "Registry.spare",
    ),
    *("Registry.variant", "Registry.change_defaults"),
}
# Reads that may take seconds: the coroutine of the same name gives other terminals their turn.
IN_SLICES = {"Output.text", "Output.page", "Output.unread", "Output.grep", "Output.lines"}
OPENING = "The async classes, blocking. Written by tools/make_sync.py from their source: change that, and run it again."
BRIDGE = (
    "Face",
    "face",
    "face_or_none",
    "in_thread",
    "iterate",
    "keep",
    "open_in_loop",
    "then",
    "unwrap",
    "with_thread",
)

Function = ast.FunctionDef | ast.AsyncFunctionDef
Imports = dict[str, tuple[str, str]]  # what a name is in the file: its module, and its name there or "" for the module


class NoRule(Exception):
    """The source has something that cannot be turned into a face."""


class Source:
    """A module, and where its names come from."""

    def __init__(self, module: str) -> None:
        self.module, self.names = module, vars(import_module(module))
        self.text = inspect.getsource(sys.modules[module])
        self.tree = ast.parse(self.text)
        self._imports: Imports = {name: (module, name) for name in self.names}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom):
                self._imports |= {one.asname or one.name: (node.module or "", one.name) for one in node.names}
            elif isinstance(node, ast.Import):
                self._imports |= {one.asname or one.name: (one.name, "") for one in node.names}

    def imports(self, node: ast.AST) -> Imports:
        used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        return {name: self.origin(name) for name in used & self._imports.keys() - CLASSES.keys()}

    def origin(self, name: str) -> tuple[str, str]:
        """Where a name is defined: an import may be of an import."""
        home, there = self._imports[name]
        if not there or home == self.module or not home.startswith("truetty."):
            return home, there
        return Source(home).origin(there)

    def value(self, node: ast.expr) -> object:
        """What a type's name means at run time."""
        return eval(ast.unparse(node), self.names)


class Writer:
    """Writes one class."""

    def __init__(self, name: str) -> None:
        self.name, self.source = name, Source(CLASSES[name])
        (self.node,) = (one for one in self.source.tree.body if isinstance(one, ast.ClassDef) and one.name == name)
        self.members = [one for one in self.node.body if isinstance(one, Function)]
        self.opens = any(one.name == "__aenter__" for one in self.members)
        self.imports: Imports = {f"Async{name}": (CLASSES[name], name)}
        self.met: set[str] = set()

    def is_public(self, member: str) -> bool:
        self.met.add(f"{self.name}.{member}")
        return not member.startswith("_") and f"{self.name}.{member}" not in OWNERS

    def write(self) -> str:
        made = ast.ClassDef(self.name, [_parse(f"Face[Async{self.name}]")], [], [*_doc(self.node)], [])
        for node in self.members:
            if node.name == "__init__":
                if self.opens:
                    work = f"super().__init__(open_in_loop(lambda: Async{self.name}({self.pass_on(node)})))"
                    made.body.append(self.method(node, work))
                made.body += self.attributes(node)
            elif self.opens and node.name in ("__enter__", "__exit__"):
                continue  # they refuse what is right here
            elif node.name in ("__aenter__", "__enter__"):
                made.body.append(self.method(node, "return self", name="__enter__"))
            elif node.name in ("__aexit__", "__exit__"):
                work = "self.close()" if self.opens else f"loop.ask(lambda: self._inner.__exit__({self.pass_on(node)}))"
                made.body.append(self.method(node, work, name="__exit__"))
            elif self.is_public(node.name):
                made.body.append(self.member(node))
        return ast.unparse(ast.fix_missing_locations(made))

    def member(self, node: Function) -> ast.stmt:
        marks = [ast.unparse(mark) for mark in node.decorator_list]
        waits = isinstance(node, ast.AsyncFunctionDef)
        call = f"{node.name}({self.pass_on(node)})"
        if marks == ["classmethod"]:
            call = f"Async{self.name}.{call}"
            made = f"keep(loop.call(lambda: {call}))" if waits else f"open_in_loop(lambda: {call})"
            return self.method(node, f"made = cls.__new__(cls); Face.__init__(made, {made}); return made", *marks)
        if marks == [f"{node.name}.setter"]:
            return self.setter(node, node.args.args[1].arg)
        if node.returns is None:
            raise NoRule(f"{self.name}.{node.name} does not say what it returns")
        kind = self.source.value(node.returns)
        if f"{self.name}.{node.name}" in IN_SLICES:
            return self.method(node, f"return loop.call(lambda: self._inner.slices.{call})", *marks)
        if marks == ["property"]:
            return self.method(
                node, f"return loop.ask(lambda: {self.as_face(kind, f'self._inner.{node.name}')})", *marks
            )
        if isinstance(kind, type) and hasattr(kind, "__anext__"):
            return self.method(node, f"return iterate(loop.ask(lambda: self._inner.{call}))", returns=self.steps(kind))
        converted = self.as_face(kind, "it")
        if waits and converted == "it":
            work = f"loop.call(lambda: self._inner.{call})"
        elif waits or (_has_face(kind) and hasattr(kind, "__await__")):
            work = f"loop.call(lambda: then(self._inner.{call}, lambda it: {converted}))"
        else:
            work = f"loop.ask(lambda: {self.as_face(kind, f'self._inner.{call}')})"
        if node.name == "close" and self.opens:
            work += "; loop.forget(self._inner)"
        return self.method(node, work if kind is None else f"return {work}", *marks)

    def attributes(self, start: Function) -> Iterator[ast.stmt]:
        """What `__init__` sets; the comment behind it becomes the docstring."""
        for node in ast.walk(start):
            target = getattr(node, "target", None) or next(iter(getattr(node, "targets", ())), None)
            if not (isinstance(target, ast.Attribute) and isinstance(node, ast.Assign | ast.AnnAssign)):
                continue
            name = target.attr
            if ast.unparse(target.value) != "self" or not self.is_public(name):
                continue
            kind = node.annotation if isinstance(node, ast.AnnAssign) else None
            if kind is not None and ast.unparse(kind).startswith("Final"):
                kind = kind.slice if isinstance(kind, ast.Subscript) else None
            kind = kind or self.guess(start, name, node.value)
            comment = self.source.text.splitlines()[node.lineno - 1].partition("  # ")[2]
            like = ast.parse(
                f"def {name}(self) -> {ast.unparse(kind)}: {comment[:1].upper() + comment[1:] + '.'!r}"
            ).body[0]
            assert isinstance(like, ast.FunctionDef)
            like.body = like.body if comment else []
            work = f"return loop.ask(lambda: {self.as_face(self.source.value(kind), f'self._inner.{name}')})"
            yield self.method(like, work, "property")
            if f"{self.name}.{name}" in SETTABLE:
                like = ast.parse(f"def {name}(self, value: {ast.unparse(kind)}) -> None: ...").body[0]
                assert isinstance(like, ast.FunctionDef)
                yield self.setter(like, "value")

    def setter(self, node: Function, value: str) -> ast.stmt:
        work = f"loop.ask(lambda: setattr(self._inner, {node.name!r}, {value}))"
        return self.method(node, work, f"{node.name}.setter")

    def method(
        self, node: Function, work: str, *marks: str, name: str = "", returns: ast.expr | None = None
    ) -> ast.stmt:
        """The signature and the docstring of `node`, with another body."""
        self.imports |= self.source.imports(node.args)
        if returns is None and node.returns is not None:
            returns = node.returns
            self.imports |= self.source.imports(returns)
        if any(one.arg == "caller" for one in node.args.kwonlyargs):
            work = f"caller = current_thread() if caller is None else caller; {work}"
        body = [*_doc(node), *ast.parse(work).body]
        return ast.FunctionDef(name or node.name, node.args, body, [_parse(mark) for mark in marks], returns)

    def pass_on(self, node: Function) -> str:
        """The arguments of a function, as they are handed on to the one behind it."""
        known = node.args
        if known.posonlyargs:
            raise NoRule(f"{self.name}.{node.name} has arguments before a slash")
        parts = [self.argument(one) for one in known.args[1:]]
        parts += [f"*{known.vararg.arg}"] if known.vararg is not None else []
        parts += [f"{one.arg}={self.argument(one)}" for one in known.kwonlyargs]
        if known.kwarg is not None and known.kwarg.annotation is not None:
            (kind,) = get_args(self.source.value(known.kwarg.annotation))
            parts.append(
                f"**with_thread({known.kwarg.arg})" if "on_waiting" in kind.__annotations__ else f"**{known.kwarg.arg}"
            )
        return ", ".join(parts)

    def argument(self, node: ast.arg) -> str:
        name, kind = node.arg, ast.unparse(node.annotation) if node.annotation is not None else ""
        if "OnWaiting" in kind:
            return f"in_thread({name})"
        return f"unwrap({name})" if CLASSES.keys() & {*re.findall(r"\w+", kind)} else name

    def guess(self, start: Function, name: str, value: ast.expr | None) -> ast.expr:
        """The type of an attribute without one: its argument's, a text's, a flag's, or the class that is called."""
        types = {one.arg: one.annotation for one in (*start.args.args, *start.args.kwonlyargs)}
        match value:
            case ast.Name(id) if (kind := types.get(id)) is not None:
                return kind
            case ast.JoinedStr():
                return ast.Name("str")
            case ast.Constant(value=bool()):
                return ast.Name("bool")
            case ast.Call(ast.Name(id)) if id[0].isupper():
                return ast.Name(id)
        raise NoRule(f"say in {CLASSES[self.name]} what type self.{name} of {self.name} has")

    def as_face(self, kind: object, expression: str) -> str:
        """What makes the value of `expression`, of this type, fit for another thread."""
        parts = [one for one in get_args(kind) if one not in (NoneType, Ellipsis)]
        if isinstance(kind, type) and _has_face(kind):
            return f"face({kind.__name__}, {expression})"
        if len(parts) == 1 and _has_face(parts[0]):
            if NoneType in get_args(kind):
                return f"face_or_none({parts[0].__name__}, {expression})"
            several = f"[face({parts[0].__name__}, each) for each in {expression}]"
            return several if get_origin(kind) is list else f"tuple({several})"
        for one in (kind, *parts):
            if isinstance(one, type) and one.__module__.startswith("truetty.") and not _is_value(one):
                raise NoRule(
                    f"{self.name} gives a live object away: {one} needs a face, or its member belongs to OWNERS"
                )
        return expression

    def steps(self, kind: type) -> ast.expr:
        """`Iterator` of what an async iteration over this gives."""
        step = _parse(inspect.getattr_static(kind, "__anext__").__annotations__["return"])
        self.imports |= Source(kind.__module__).imports(step)
        self.imports["Iterator"] = ("collections.abc", "Iterator")
        return _parse(f"Iterator[{ast.unparse(step)}]")


def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _has_face(kind: object) -> bool:
    return isinstance(kind, type) and CLASSES.get(kind.__name__) == kind.__module__


def _is_value(kind: type) -> bool:
    """A value is equal to another one; a live object has the `==` that every object has."""
    return any("__eq__" in vars(base) for base in kind.__mro__ if base is not object)


def _doc(node: ast.ClassDef | Function) -> Iterator[ast.stmt]:
    if node.body and (text := ast.get_docstring(node, clean=False)) is not None:
        yield ast.Expr(ast.Constant(blocking(text)))


def blocking(doc: str) -> str:
    """A docstring without `await`. A sentence that begins with it is about awaiting an object, and goes."""
    doc = re.sub(r"(?<=\.)\s+`await \w+`[^.]*\.", "", doc)
    return re.sub(r"\bawait (?=\(*\w)", "", re.sub(r"\basync (?=with\b|for\b)", "", doc))


def make() -> str:
    writers = [Writer(name) for name in CLASSES]
    body = "\n\n\n".join([writer.write() for writer in writers])
    if gone := (OWNERS | SETTABLE | IN_SLICES).difference(*[writer.met for writer in writers]):
        raise NoRule(f"take out of the tables of {Path(__file__).name} what no class has: {', '.join(sorted(gone))}")
    imports: Imports = {name: ("truetty.sync.bridge", name) for name in BRIDGE}
    imports |= {"loop": ("truetty.sync.loop", "loop"), "current_thread": ("threading", "current_thread")}
    for name, home in [pair for writer in writers for pair in writer.imports.items()]:
        if imports.setdefault(name, home) != home:
            raise NoRule(f"{name} is {imports[name]} and {home}: import one of them under another name")
    lines = [
        f"import {home}" if not name else f"from {home} import {name} as {local}".removesuffix(f" as {name}")
        for local, (home, name) in imports.items()
        if re.search(rf"\b{local}\b", body)
    ]
    return "\n".join([f'"""{OPENING}"""', "from __future__ import annotations", *lines, body, ""])


def same(text: str, other: str) -> bool:
    """Whether two files differ by no more than ruff changes: blank lines, quotes, the order of imports."""

    def parts(text: str) -> tuple[set[str], list[str]]:
        body = ast.parse(text).body
        imports = [one for one in body if isinstance(one, ast.Import | ast.ImportFrom)]
        names = {f"{getattr(one, 'module', '')} {ast.dump(name)}" for one in imports for name in one.names}
        return names, [ast.dump(one) for one in body if one not in imports]

    return parts(text) == parts(other)


def main(arguments: list[str]) -> int:
    sys.path.insert(0, str(ROOT / "src"))
    try:
        text = make()
    except NoRule as error:
        print(f"make_sync: {error}", file=sys.stderr)
        return 2
    if arguments == ["--check"]:
        if FACE.exists() and same(text, FACE.read_text()):
            return 0
        print(
            f"{FACE.relative_to(ROOT)} is not what the async classes say. Run: python tools/make_sync.py",
            file=sys.stderr,
        )
        return 1
    FACE.write_text(text)
    for words in (["check", "--quiet", "--select=I", "--fix"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *words, str(FACE)], cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
