"""The written face: it is up to date, it has every public name, and nothing in it runs in the caller's thread."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import truetty
from tests.patience import PATIENCE
from truetty import sync
from truetty.store.transcript import Transcript

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "make_sync.py"


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_sync", TOOL)
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


tool = load_tool()


def test_the_file_is_what_the_async_classes_say() -> None:
    checked = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr  # it says which command to run


def test_the_check_sees_another_file() -> None:
    text = tool.FACE.read_text()
    assert tool.same(text, text.replace("\n\n\n", "\n\n"))
    assert not tool.same(text, text.replace("def raw", "def row"))
    assert not tool.same(text, text.replace("from typing import Self", "from typing import Final, Self"))


@pytest.mark.parametrize(
    ("doc", "expected"),
    [
        ("`async with Terminal() as t: await t.run()`.", "`with Terminal() as t: t.run()`."),
        ("It is there. `await recording` waits until it is.", "It is there."),
        ("`async for event in command.events()`; see", "`for event in command.events()`; see"),
        ("Nothing to await.", "Nothing to await."),
    ],
)
def test_docstrings_lose_what_only_a_coroutine_can_do(doc: str, expected: str) -> None:
    assert tool.blocking(doc) == expected


# -- every name

NAMES = ("Command", "Output", "Recording", "Registry", "Terminal")
PAIRS = [(Transcript, sync.Transcript), *((getattr(truetty, name), getattr(sync, name)) for name in NAMES)]
BLOCKING = {"__aenter__": "__enter__", "__aexit__": "__exit__"}


def public(kind: type) -> Iterator[tuple[str, object]]:
    for name, member in vars(kind).items():
        if (not name.startswith("_") or name in BLOCKING) and f"{kind.__name__}.{name}" not in tool.OWNERS:
            yield name, getattr(member, "__func__", member)  # of a class method, its function


def test_every_public_name_is_there() -> None:
    modules = {name for name in truetty.__all__ if inspect.ismodule(getattr(truetty, name))}
    assert not set(truetty.__all__) - modules - set(dir(sync))
    for name in truetty.__all__:
        theirs = getattr(truetty, name)
        if isinstance(theirs, type) and issubclass(theirs, truetty.TruettyError):
            assert getattr(sync, name) is theirs  # what is caught must be what is raised


@pytest.mark.parametrize(("theirs", "ours"), PAIRS, ids=lambda kind: kind.__module__)
def test_every_member_is_there_with_the_same_arguments_and_docstring(theirs: type, ours: type) -> None:
    assert ours.__doc__ == tool.blocking(theirs.__doc__ or "")
    for name, member in public(theirs):
        mine = inspect.getattr_static(ours, BLOCKING.get(name, name))
        mine = getattr(mine, "__func__", mine)
        assert isinstance(mine, property) == isinstance(member, property), name
        assert mine.__doc__ == (tool.blocking(member.__doc__) if member.__doc__ is not None else None), name
        if callable(member):
            expected = inspect.signature(member).replace(return_annotation=inspect.Signature.empty)
            assert inspect.signature(mine).replace(return_annotation=inspect.Signature.empty) == expected, name
            assert not inspect.iscoroutinefunction(mine), name


@pytest.mark.parametrize("name", ["Terminal", "Registry"])
def test_they_are_made_with_the_same_arguments(name: str) -> None:
    assert inspect.signature(getattr(sync, name)) == inspect.signature(getattr(truetty, name))


def test_every_attribute_is_there(home: Path) -> None:
    with sync.Terminal("bash", rc=False, env={"HOME": str(home)}) as terminal:
        command = terminal.start("echo hello")
        command.wait(PATIENCE)
        for one in (terminal, command, command.output, terminal.transcript):
            for name in vars(one.__wrapped__):
                left_out = name.startswith("_") or f"{type(one).__name__}.{name}" in tool.OWNERS
                assert left_out or hasattr(one, name), name


# -- in the loop's thread


def test_nothing_of_the_object_is_touched_outside_the_loop() -> None:
    """`self._inner` stands inside a function for the loop, or makes a coroutine for it."""
    tree = ast.parse(tool.FACE.read_text())
    found = [one for one in ast.walk(tree) if isinstance(one, ast.Attribute) and one.attr == "_inner"]
    inside: list[ast.AST] = []
    for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
        if ast.unparse(call.func) in ("loop.ask", "loop.call", "loop.forget"):
            inside += ast.walk(call)
    assert len(found) > 60 and not [ast.unparse(one) for one in found if one not in inside]


def test_output_is_read_in_the_loops_thread(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader in another thread holds the buffer while the loop appends to it, and the loop's bytes are lost."""
    read, threads = Transcript.read, set()

    def watched(self: Transcript, offset: int = 0, limit: int | None = None) -> bytes:
        threads.add(threading.current_thread().name)
        return read(self, offset, limit)

    monkeypatch.setattr(Transcript, "read", watched)
    with sync.Terminal("bash", rc=False, env={"HOME": str(home)}) as terminal:
        command = terminal.start("echo hello; (exit 3)")
        while command.outcome is None:  # a wait would read for it, in the loop
            time.sleep(0.01)
        for one in (command, command.output, terminal, terminal.transcript):
            for name in dir(type(one)):
                if isinstance(inspect.getattr_static(type(one), name), property):
                    getattr(one, name)
        assert command.outcome is not None and command.outcome.output == "hello\n"
        assert command.output.text() == command.output.page() == command.output.unread() == "hello\n"
        assert b"hello" in command.output.raw() + command.output.read() + terminal.transcript.read()
    assert threads == {"truetty.sync"}
