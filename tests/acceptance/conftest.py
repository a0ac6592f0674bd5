"""Which observer a test runs on: with `--blind`, one that cannot ask the kernel. `blind.py` says what is left out."""

from __future__ import annotations

import pytest

from tests.acceptance.blind import IN_EVERY_RUN, reason_to_leave_out
from truetty.host.kernel.blind import BlindObserver
from truetty.host.local import LocalHost

BLIND = "blind"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test runs as it is, on a blind observer, or on both."""
    if metafunc.config.getoption("--blind"):
        observers = [BLIND]
    elif metafunc.module.__name__.rpartition(".")[2] in IN_EVERY_RUN:
        observers = ["kernel", BLIND]
    else:
        return
    metafunc.parametrize("observer", observers, indirect=True)


@pytest.fixture(autouse=True)
def observer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whom a terminal of this test asks, unless the test itself says it."""
    if getattr(request, "param", None) == BLIND:
        monkeypatch.setattr(LocalHost.__init__, "__defaults__", (BlindObserver,))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if _is_blind(item) and reason_to_leave_out(item.nodeid) is not None]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _is_blind(item: pytest.Item) -> bool:
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return parameters.get("observer") == BLIND
