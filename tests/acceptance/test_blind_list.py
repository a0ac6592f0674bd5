"""The list of what a blind observer may not know names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

from tests.acceptance.blind import IN_EVERY_RUN, UNKNOWABLE

FOLDER = Path(__file__).parent
TESTS = [
    f"{file.name.removeprefix('test_')}::{name}"
    for file in FOLDER.glob("test_*.py")
    for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text(), re.M)
]


def test_every_pattern_names_a_test() -> None:
    for patterns in UNKNOWABLE.values():
        for pattern in patterns:
            named = pattern.partition(r"\[")[0]
            assert any(re.match(named, test) for test in TESTS), pattern


def test_what_runs_twice_is_there() -> None:
    assert all((FOLDER / f"{name}.py").exists() for name in IN_EVERY_RUN)
