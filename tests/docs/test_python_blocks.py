"""Every Python block of README and docs/ is a whole program that runs and prints what its comments say."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import Block, of

PROGRAM = Path(__file__).parent / "program.py"
ANYTHING = "…"  # in a comment: whatever is printed there


@pytest.mark.parametrize("block", of("python"), ids=str)
def test_a_block_runs_and_prints_what_it_says(block: Block, project: Path, tmp_path: Path) -> None:
    if is_test(block):
        run_with_pytest(block, project)
        return
    file, report = tmp_path / "block.py", tmp_path / "printed.json"
    file.write_text(block.text)
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", str(PROGRAM), str(file), str(report)],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )
    assert (done.returncode, done.stderr) == (0, ""), f"{block}\n{done.stdout}\n{done.stderr}"
    printed: dict[int, list[str]] = {}
    for line, text in json.loads(report.read_text()):
        printed.setdefault(line, []).append(text)
    for line, expected in promises(block.text).items():
        assert any(matches(expected, text) for text in printed.get(line, ())), (
            f"{block.page.name}:{block.line + line - 1} says that this is printed: {expected}\n"
            f"It printed: {printed.get(line)}"
        )


def is_test(block: Block) -> bool:
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        for node in ast.parse(block.text).body
    )


def run_with_pytest(block: Block, project: Path) -> None:
    (project / "test_block.py").write_text(block.text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_block.py"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"


def promises(program: str) -> dict[int, str]:
    """What the comment behind each `print(…)` says, by the line on which the call begins."""
    lines = program.splitlines()
    found = {}
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            assert node.end_lineno is not None and node.end_col_offset is not None
            rest = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()
            if comment := re.search(r"#\s*(.+)", rest):
                found[node.lineno] = comment[1]
    return found


def matches(expected: str, printed: str) -> bool:
    """Blanks are compared as one: a comment has one line, and what is printed may have several."""
    parts = [re.escape(" ".join(part.split())) for part in expected.split(ANYTHING)]
    return re.fullmatch(r"\s*" + ".*".join(parts) + r"\s*", " ".join(printed.split()), re.DOTALL) is not None


@pytest.mark.parametrize(
    ("expected", "printed", "agree"),
    [
        ("finished 0", "finished 0\n", True),
        ("Name: Ada … hello Ada", "Name: Ada\r\n\nhello Ada\n", True),
        ("Name: …", "Name: Ada\n", True),
        ("finished 0", "finished 01\n", False),
        ("finished 0", "finished 0\nmore\n", False),
    ],
)
def test_a_comment_is_compared_with_what_was_printed(expected: str, printed: str, agree: bool) -> None:
    assert matches(expected, printed) is agree


def test_comments_of_prints_are_found() -> None:
    program = 'print(1)  # 1\nprint(\n    "a # b",\n)    # a # b\nx = 2  # two\nprint("# no")\n'
    assert promises(program) == {1: "1", 2: "a # b"}
