"""Under which condition a test runs: as it is, where no kernel can be asked (`--blind`), in a sandbox (`--walled`).

`blind.py` and `walled.py` say what is left out under theirs, and why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from tests.acceptance import blind, walled

REASONS: Final[dict[str, Callable[[str], str | None]]] = {
    "blind": blind.reason_to_leave_out,
    "walled": walled.reason_to_leave_out,
}
IN_EVERY_RUN: Final = {"blind": blind.IN_EVERY_RUN, "walled": walled.IN_EVERY_RUN}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    wanted = [name for name in REASONS if metafunc.config.getoption(f"--{name}")]
    if not wanted:
        file = metafunc.module.__name__.rpartition(".")[2]
        wanted = ["kernel", *(name for name, files in IN_EVERY_RUN.items() if file in files)]
    if wanted != ["kernel"]:
        metafunc.parametrize("condition", wanted, indirect=True)


@pytest.fixture(autouse=True)
def condition(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the terminals of this test, unless the test itself says it."""
    match getattr(request, "param", None):
        case "blind":
            blind.apply(monkeypatch)
        case "walled":
            workspace = request.getfixturevalue("tmp_path_factory").mktemp("workspace")
            walled.apply(monkeypatch, workspace, request.getfixturevalue("tmp_path"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if _reason(item) is not None]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _reason(item: pytest.Item) -> str | None:
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    condition = str(parameters.get("condition"))
    return REASONS[condition](item.nodeid) if condition in REASONS else None
