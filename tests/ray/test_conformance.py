"""Terminals of a Ray cluster are those of a registry: the same calls, the same values, the same errors."""

from __future__ import annotations

import pytest

from tests.client import test_conformance as conformance
from tests.client.conftest import NOT_FAR

pytestmark = pytest.mark.asyncio(loop_scope="session")

# Of another machine this is not so: a terminal has its node's environment and directory.
LEFT_OUT = set(NOT_FAR) - {"test_a_shell_that_is_killed"}
TESTS = {name: test for name, test in vars(conformance).items() if name.startswith("test_") and name not in LEFT_OUT}
globals().update(TESTS)


async def test_the_suite_is_whole() -> None:
    assert len(TESTS) > 35
