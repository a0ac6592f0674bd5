"""What holds the house up: who may import whom, what is pure, how long a file may grow, what an import costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from truetty.core.marks import OWN
from truetty.shells import table

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "truetty"

# Lowest first. A module imports from lower floors and from its own room; rooms on one floor do not know each other.
FLOORS = (
    ({"core"}, {"files"}),
    ({"shells"}, {"text"}, {"events"}),
    ({"host"}, {"store"}, {"questions"}, {"policy"}),
    ({"terminal"}, {"settings"}),
    ({"batch"},),
    ({"service"},),
    ({"server"},),
    ({"client"},),
    (
        {"functions"},
        {"registry"},
        {"sandbox"},
        {"until"},
        {"ray"},
        {"__init__"},
    ),  # the public names; those above may use them like any program outside
    ({"mcp"}, {"sync"}, {"web"}),
    ({"adapters"}, {"cli"}, {"testing"}),  # the command line starts the doors
    ({"__main__"},),
)

# The inner rooms of a room, lowest first. One imports from those before it and from the files beside them.
INNER = {"server": ("start", "state", "wire", "acts")}

# What a module may name of a higher floor, and imports when a program first uses it.
UPWARDS = {
    "truetty.__init__": {"functions", "ray", "sync", "testing", "until"},  # the public modules, for type checkers
}

# Names of a higher floor that a module looks up when a program first uses them (`lazy.load`), and for what.
LOOKED_UP = {
    "truetty.core.outcome: truetty.functions.for_model",  # `Outcome.for_model()`
    "truetty.server.wire.guests: truetty.mcp.shared",  # when the first MCP client comes
    "truetty.server.acts.web: truetty.web.site",  # when the page is turned on
}

PURE = ("core", "text")

# Whatever has a clock, a descriptor, a thread, chance, or a second opinion of its own about them.
IMPURE = {
    *("asyncio", "concurrent", "contextvars", "ctypes", "datetime", "fcntl", "io", "logging", "multiprocessing", "os"),
    *("pathlib", "pty", "random", "resource", "sched", "secrets", "select", "selectors", "shutil", "signal", "socket"),
    *("subprocess", "tempfile", "termios", "threading", "time", "tty", "uuid", "warnings"),
}

# Where a shell's name stands outside `shells/`, and why.
SHELLS_BY_NAME = {
    "functions: bash",  # a tool of that name, which runs that shell
    "adapters: bash",  # the shell of the frameworks' own tools
    "adapters: sh",  # what `shell=True` of a framework means
    "cli/schema.py: bash",  # the same tool
    "testing/plugin.py: bash",  # the shell of the fixture, where a test names none
    *(f"cli/completion/completion.py: {name}" for name in ("bash", "fish", "zsh")),  # whose words are completed by us
    "host/local.py: sh",  # a program that every system has: it changes the directory, then becomes the shell
    "host/pty.py: sh",  # the same: it starts a process that is no child of ours
    "policy/policy.py: bash",  # the shell of a command line for which no shell is named
    "policy/readers.py: bash",  # one of the programs that only print with --version
    "policy/runners.py: busybox",  # it runs programs, most of which are no shell
}

# Heavy or optional: only the part that needs one imports it, when it needs it.
HEAVY = ("avt", "mcp", "pydantic", "ray", "starlette", "uvicorn", "websockets")


# A plain `truetty run` does without these.
RARELY_NEEDED = {
    *("difflib", "html", "json", "pathlib", "platform", "random", "tempfile", "tomllib"),
    *("truetty.host.sandbox", "truetty.questions.prompts", "truetty.text.asciicast", "truetty.text.picture"),
}

LONGEST = 400  # lines: past this a file is two ideas
WRITTEN = PACKAGE / "sync" / "face.py"  # by tools/make_sync.py

MARKS = PACKAGE / "core" / "marks.py"
SCRIPTS = PACKAGE / "shells" / "scripts"  # run by shells, not imported
FILES = sorted(path for path in PACKAGE.rglob("*.py") if SCRIPTS not in path.parents)
MODULES = {path: ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in FILES}


PARTS = {module.split(".")[1] for module in MODULES.values()}


def imports(path: Path) -> Iterator[str]:
    """Every module a file imports, wherever in it; for `from truetty.core import marks` also `truetty.core.marks`."""
    package = MODULES[path].split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module != "truetty":
                yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def part(module: str) -> str:
    """`core` for `truetty.core.marks`, `__init__` for `truetty` and its public names, nothing for what is not ours."""
    first, *rest = module.split(".")
    if first != "truetty":
        return ""
    return rest[0] if rest and rest[0] in PARTS else "__init__"


def place(name: str) -> tuple[int, set[str]]:
    for number, floor in enumerate(FLOORS):
        for room in floor:
            if name in room:
                return number, room
    pytest.fail(f"truetty.{name} has no floor yet: give it one in FLOORS", pytrace=False)


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_there_is_something_to_look_at() -> None:
    assert {"core", "text", "shells", "host"} <= {part(module) for module in MODULES.values()}


def test_a_module_imports_from_lower_floors_only() -> None:
    wrong = []
    for path, module in MODULES.items():
        floor, room = place(part(module))
        parts = {name for imported in imports(path) if (name := part(imported))}
        parts -= UPWARDS.get(module, set())
        high = sorted(name for name in parts - room if place(name)[0] >= floor)
        wrong += [f"{module} imports {name}, which is not on a lower floor" for name in high]
    assert wrong == []


def test_an_inner_room_imports_from_those_before_it() -> None:
    wrong = []
    for room, inner in INNER.items():
        rooms = [f"truetty.{room}.{name}" for name in inner]
        for number, name in enumerate(rooms):
            paths = [path for path, module in MODULES.items() if module.startswith(f"{name}.")]
            assert paths, f"{name} is gone"
            wrong += [
                f"{MODULES[path]} imports {imported}"
                for path in paths
                for imported in imports(path)
                if imported.startswith(tuple(rooms[number + 1 :]))
            ]
    assert wrong == []


def test_no_modules_import_each_other() -> None:
    """Nor in a longer circle. A module is taken away when all that it imports are."""
    left = {module: {one for one in imports(path) if one in MODULES.values()} for path, module in MODULES.items()}
    while free := {module for module, imported in left.items() if not imported & left.keys() - {module}}:
        left = {module: imported for module, imported in left.items() if module not in free}
    assert sorted(left) == []


def test_the_pure_parts_know_no_clock_and_no_descriptor() -> None:
    wrong = [
        f"{module} imports {imported}"
        for path, module in MODULES.items()
        if part(module) in PURE
        for imported in imports(path)
        if imported.split(".")[0] in IMPURE
    ]
    assert wrong == []


def test_no_file_is_two_ideas() -> None:
    lengths = {str(path.relative_to(PACKAGE)): len(path.read_text().splitlines()) for path in FILES if path != WRITTEN}
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_nothing_sleeps() -> None:
    sleeps = [
        f"{MODULES[path]}, line {node.lineno}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.Attribute) and node.attr == "sleep")
        or (isinstance(node, ast.ImportFrom) and any(alias.name == "sleep" for alias in node.names))
    ]
    assert sleeps == []


def test_nobody_touches_what_another_keeps_to_itself() -> None:
    """`x._y` only where `x` is `self` or `cls`; `os._exit` and a named tuple's `_replace` are public all the same."""
    wrong = [
        f"{MODULES[path]}, line {node.lineno}: {ast.unparse(node)}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
        if node.attr not in ("_exit", "_replace")
        if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]
    assert wrong == []


def test_what_is_looked_up_on_a_higher_floor_is_named_here() -> None:
    found = {
        f"{MODULES[path]}: {ast.literal_eval(node.args[0])}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "lazy.load"
    }
    assert found == LOOKED_UP


def test_friends_import_each_other_openly() -> None:
    """No import of ours under `TYPE_CHECKING`: it would hide a circle. The public names are lazy on purpose."""
    wrong = [
        f"{MODULES[path]}, line {inner.lineno}: {inner.module}"
        for path in FILES
        if path.name != "__init__.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
        if isinstance(inner, ast.ImportFrom) and (inner.module or "").split(".")[0] == "truetty"
    ]
    assert wrong == []


def test_one_file_knows_how_a_mark_is_written() -> None:
    """`core/marks.py` writes, finds and reads marks."""
    wrong = [
        f"{MODULES[path]}, line {node.lineno}"
        for path in FILES
        if path != MARKS
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        if f"{OWN.decode()};" in str(node.value)
    ]
    assert wrong == []


def test_only_shells_knows_a_shell_by_name() -> None:
    """What is known of a shell is a field of its row. Names in sentences are not looked at, those in lists are."""
    found = set()
    for path, module in MODULES.items():
        room = part(module)
        where = room if room in ("functions", "adapters") else name_of(path)
        for node in ast.walk(ast.parse(path.read_text())):
            if room != "shells" and isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = node.value.split()
                if len(words) == 1 or ("\n" in node.value and all(re.fullmatch(r"[\w.-]+", word) for word in words)):
                    found |= {f"{where}: {word}" for word in words if word in table.names()}
    assert found == SHELLS_BY_NAME


def test_no_import_compiles_a_pattern() -> None:
    """`lazy.pattern` does, when the pattern is first used. The keeper's program runs without the package."""
    wrong = [
        f"{MODULES[path]}, line {line}"
        for path in FILES
        if path.name != "keeper_program.py"
        for line in _compiled(ast.parse(path.read_text()))
    ]
    assert wrong == []


def _compiled(node: ast.AST) -> Iterator[int]:
    """The lines of `re.compile` that an import would run."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(inner, ast.Call) and ast.unparse(inner.func) == "re.compile":
            yield inner.lineno
        yield from _compiled(inner)


def test_an_import_brings_nothing_heavy() -> None:
    program = f"import sys, truetty; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    command = [sys.executable, "-P", "-c", program]
    environ = {"PYTHONPATH": str(PACKAGE.parent)}
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.split() == []


def test_a_plain_run_imports_what_it_needs(home: Path) -> None:
    """Imports of ours are half of its CPU time. The fresh `home` has no settings, for which there would be more."""
    program = (
        "import asyncio, sys\n"
        "from truetty.cli import main\n"
        "before = set(sys.modules)\n"
        "sys.argv = ['truetty', 'run', '--no-rc', 'true']\n"
        "try:\n    main()\n"
        "finally:\n    print(*(set(sys.modules) - before))"
    )
    ended = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    loaded = set(ended.stdout.split())
    assert "truetty.terminal.terminal" in loaded
    assert loaded & RARELY_NEEDED == set()


def test_the_version_is_the_same_everywhere() -> None:
    import truetty

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert truetty.__version__ == declared
