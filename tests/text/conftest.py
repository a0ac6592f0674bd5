"""What the tests of clean text share: one xterm.js for all of a worker's cases."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.text.truth import Xterm


@pytest.fixture(scope="session")
def xterm() -> Iterator[Xterm]:
    node = shutil.which("node")
    if node is None:
        pytest.fail("node is not installed; ./test --setup-only installs what the tests need", pytrace=False)
    with Xterm(node) as running:
        yield running
