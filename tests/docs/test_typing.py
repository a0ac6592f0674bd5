"""The Python blocks of README and docs/, and the examples, pass `mypy --strict` and pyright's strict mode."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, Block, of

PYRIGHT = ROOT / "tools/docs/node_modules/.bin/pyright"


@pytest.fixture
def programs(tmp_path: Path) -> dict[str, Block]:
    """Each block as a file of its own, by the name of that file."""
    found = {f"block_{number}.py": block for number, block in enumerate(of("python"))}
    for name, block in found.items():
        (tmp_path / name).write_text(block.text)
    return found


def check(programs: dict[str, Block], *words: str | Path) -> None:
    """The blocks at once: most of the time goes into reading what they import."""
    done = subprocess.run([*map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    said = re.sub(r"\S*?(block_\d+\.py)", lambda found: str(programs[found[1]]), done.stdout)
    assert done.returncode == 0, said + done.stderr


def test_mypy(programs: dict[str, Block], tmp_path: Path) -> None:
    """With the cache that mypy has for the sources. It has checked the examples with them."""
    check(programs, sys.executable, "-m", "mypy", "--strict", *sorted(tmp_path.glob("*.py")))


def test_pyright(programs: dict[str, Block], tmp_path: Path) -> None:
    assert PYRIGHT.exists(), "./test --setup-only installs it"
    for example in (ROOT / "examples").glob("*.py"):
        (tmp_path / example.name).write_text(example.read_text())
    environment = Path(sys.prefix)
    options = {
        "typeCheckingMode": "strict",
        "extraPaths": [str(ROOT / "src")],
        "venvPath": str(environment.parent),
        "venv": environment.name,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(options))
    check(programs, PYRIGHT, "--project", tmp_path)
