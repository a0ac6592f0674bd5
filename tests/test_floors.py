"""What holds the house up: who may import whom, what is pure, how long a file may grow, what an import costs."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "truetty"

# Lowest first. A module imports from lower floors and from its own room; rooms on one floor do not know each other.
FLOORS = (
    ({"core"},),
    ({"shells"}, {"text"}, {"questions"}, {"events"}),
    ({"host"}, {"store"}, {"policy"}, {"values"}),
    ({"settings"},),
    ({"terminal"}, {"testing"}),
    ({"service"},),
    ({"functions"}, {"registry"}, {"__init__"}),  # the public names; those above may use them like any program outside
    ({"mcp"}, {"sync"}),
    ({"cli"},),  # it starts the others
    ({"__main__"},),
)

PURE = ("core", "text")

# Whatever has a clock, a descriptor, a thread, chance, or a second opinion of its own about them.
IMPURE = {
    *("asyncio", "concurrent", "contextvars", "ctypes", "datetime", "fcntl", "io", "logging", "multiprocessing", "os"),
    *("pathlib", "pty", "random", "resource", "sched", "secrets", "select", "selectors", "shutil", "signal", "socket"),
    *("subprocess", "tempfile", "termios", "threading", "time", "tty", "uuid", "warnings"),
}

# Heavy or optional: only the part that needs one imports it, when it needs it.
HEAVY = ("asyncssh", "avt", "mcp", "pydantic", "ray", "rich", "starlette", "typer", "uvicorn", "websockets")

LONGEST = 400  # lines: past this a file is two ideas

SCRIPTS = PACKAGE / "shells" / "scripts"  # run by shells, not imported
FILES = sorted(path for path in PACKAGE.rglob("*.py") if SCRIPTS not in path.parents)
MODULES = {path: ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in FILES}


PARTS = {module.split(".")[1] for module in MODULES.values()}


def imports(path: Path) -> Iterator[str]:
    """Every module a file imports, wherever in it; for `from truetty.core import keys` also `truetty.terminal.keys`."""
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


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_module_imports_from_lower_floors_only(path: Path) -> None:
    floor, room = place(part(MODULES[path]))
    parts = {name for module in imports(path) if (name := part(module))}
    high = {name for name in parts - room if place(name)[0] >= floor}
    assert not high, f"{MODULES[path]} imports {', '.join(sorted(high))}, which is not on a lower floor"


@pytest.mark.parametrize("path", [path for path in FILES if part(MODULES[path]) in PURE], ids=name_of)
def test_the_pure_parts_know_no_clock_and_no_descriptor(path: Path) -> None:
    assert {module.split(".")[0] for module in imports(path)} & IMPURE == set()


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_file_is_two_ideas(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LONGEST


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nothing_sleeps(path: Path) -> None:
    sleeps = [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.Attribute) and node.attr == "sleep")
        or (isinstance(node, ast.ImportFrom) and any(alias.name == "sleep" for alias in node.names))
    ]
    assert sleeps == []


def test_an_import_brings_nothing_heavy() -> None:
    program = f"import sys, truetty; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    command = [sys.executable, "-P", "-c", program]
    environ = {"PYTHONPATH": str(PACKAGE.parent)}
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.split() == []


def test_the_version_is_the_same_everywhere() -> None:
    import truetty

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert truetty.__version__ == declared
