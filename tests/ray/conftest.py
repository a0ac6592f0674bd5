"""One Ray cluster of two nodes for all tests of this folder, and one registry on it for those that break nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio

import truetty.ray
from tests.patience import PATIENCE
from tests.ray.nodes import Nodes, cluster

SHARED = {"shared": 1.0}  # what the two first nodes offer


@pytest.fixture(scope="session")
def nodes() -> Iterator[Nodes]:
    with cluster(2, shared=100) as found:
        yield found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_registry(nodes: Nodes) -> AsyncIterator[truetty.ray.Cluster]:
    async with truetty.ray.cluster(nodes.address, resources=SHARED) as registry:
        yield registry


@pytest_asyncio.fixture(loop_scope="session")
async def registry(shared_registry: truetty.ray.Cluster) -> AsyncIterator[truetty.ray.Cluster]:
    """Without a terminal, before and after. One whose opening was cancelled may be here for a moment, and is closed."""
    async with asyncio.timeout(PATIENCE):
        while shared_registry.list():
            await asyncio.sleep(0.02)
    yield shared_registry
    for terminal in shared_registry.list():
        await terminal.close()


@pytest.fixture
def opened(registry: truetty.ray.Cluster) -> Callable[..., Any]:
    async def open(**arguments: Any) -> Any:
        return await registry.open("bash", rc=False, **arguments)

    return open


@pytest_asyncio.fixture(loop_scope="session")
async def terminal(opened: Callable[..., Any]) -> Any:
    return await opened()
