"""The Python blocks of README and docs/ pass `mypy --strict`, as a program that is copied from them would have to."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.docs.pages import ROOT, of


def test_the_blocks_pass_mypy_strict(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """All at once, with the cache that `mypy` has for the sources."""
    files = {f"block_{number}": block for number, block in enumerate(of("python"))}
    for name, block in files.items():
        (tmp_path / f"{name}.py").write_text(block.text)
    words = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *map(str, sorted(tmp_path.glob("*.py")))]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600)
    said = re.sub(r"^\S*?(block_\d+)\.py", lambda found: str(files[found[1]]), done.stdout, flags=re.MULTILINE)
    assert (done.returncode, said, done.stderr) == (0, "", "")
    record_property("report", f"mypy --strict: {len(files)} blocks of README and docs")
