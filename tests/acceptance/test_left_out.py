"""The lists of what is left out under a condition name tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.acceptance import blind, walled
from tests.acceptance.blind import UNKNOWABLE
from tests.acceptance.left_out import Reasons
from tests.acceptance.walled import IMPOSSIBLE

FOLDER = Path(__file__).parent
TESTS = [
    f"{file.name.removeprefix('test_')}::{name}"
    for file in FOLDER.glob("test_*.py")
    for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text(), re.M)
]


@pytest.mark.parametrize("reasons", [UNKNOWABLE, IMPOSSIBLE], ids=["blind", "walled"])
def test_every_pattern_names_a_test(reasons: Reasons) -> None:
    for patterns in reasons.values():
        for pattern in patterns:
            named = pattern.partition(r"\[")[0]
            assert any(re.match(named, test) for test in TESTS), pattern


def test_what_runs_twice_is_there() -> None:
    assert all((FOLDER / f"{name}.py").exists() for name in (*blind.IN_EVERY_RUN, *walled.IN_EVERY_RUN))
