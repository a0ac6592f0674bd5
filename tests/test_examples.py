"""The examples run as they are, and stay small enough to be read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def run(example: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(example)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_runs(example: Path, home: Path) -> None:
    done = run(example)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_the_agent_reacts_to_what_it_sees(home: Path) -> None:
    lines = run(ROOT / "examples/agent.py").stdout.splitlines()
    calls = [line.split()[1] for line in lines if line.startswith("> ")]
    assert calls == ["run", "read", "run", "send", "run", "run", "stop", "run"]
    assert lines[-1] == "tests pass; server finished; no such terminal: unknown_terminal"


def test_the_agent_is_short_and_shows_where_the_model_goes() -> None:
    text = (ROOT / "examples/agent.py").read_text()
    assert len(text.splitlines()) < 120
    assert "real model" in text and "Here goes the real one" in text
