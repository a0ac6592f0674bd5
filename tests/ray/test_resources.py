"""`resources` of a task on a cluster: they are taken of its node for as long as it runs. And nodes that are in use."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

import truetty.ray
from tests.patience import PATIENCE
from tests.ray.nodes import Node, Nodes
from truetty.ray import placing

pytestmark = pytest.mark.asyncio(loop_scope="session")

BASH: dict[str, Any] = {"shell": "bash", "rc": False}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def boxes(nodes: Nodes) -> AsyncIterator[list[Node]]:
    """Two nodes: one has boxes and slots, the other slots only."""
    made = [
        await asyncio.to_thread(nodes.add, slot=10, box=2),
        await asyncio.to_thread(nodes.add, slot=10),
    ]
    yield made
    for node in made:
        await asyncio.to_thread(nodes.remove, node)


async def until(holds: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await asyncio.to_thread(holds):
            await asyncio.sleep(0.05)


def free_boxes() -> float:
    import ray

    return float(ray.available_resources().get("box", 0))


async def test_a_task_has_its_resources_as_long_as_it_runs(nodes: Nodes, boxes: list[Node], tmp_path: Path) -> None:
    text = f"until test -e {tmp_path}/go; do sleep 0.1; done"
    tasks = [{"id": str(n), "commands": text, "resources": {"box": 1}} for n in range(4)]
    async with truetty.ray.cluster(nodes.address, resources={"slot": 1}) as registry:
        assert len(registry.hosts) == 2
        [host] = [one for one in registry.hosts if one.node.resources.get("box")]
        beside: list[int] = []  # terminals on that host, at the start of each task
        running = registry.map(tasks, at_once=4, on_start=lambda _: beside.append(len(host.registry.list())), **BASH)
        first = asyncio.ensure_future(anext(running))
        await until(lambda: len(beside) == 2)
        assert await asyncio.to_thread(free_boxes) == 0
        (tmp_path / "go").touch()
        results = [await first, *[one async for one in running]]
        assert [one.state for one in results] == ["done"] * 4, results
        assert len(beside) == 4 and max(beside) <= 2 and min(beside) >= 1
        await until(lambda: free_boxes() == 2)


async def test_what_no_node_can_give_is_refused(nodes: Nodes, boxes: list[Node]) -> None:
    tasks = [
        {"id": "much", "commands": "true", "resources": {"box": 3}},
        {"id": "strange", "commands": "true", "resources": {"unheard": 1}},
        {"id": "taken", "commands": "true", "resources": {"slot": 10}},  # each host has one of them
        {"id": "half", "commands": "true", "resources": {"box": 0.5}},
        {"id": "none", "commands": "true", "resources": {"box": 0}},
    ]
    async with truetty.ray.cluster(nodes.address, resources={"slot": 1}) as registry:
        found = {one.id: one async for one in registry.map(tasks, **BASH)}
    assert {id: one.state for id, one in found.items()} == {
        "much": "refused",
        "strange": "refused",
        "taken": "refused",
        "half": "done",
        "none": "done",
    }
    assert "no node with a host has 3 box: " in (found["much"].error or "")
    assert "has 2 box" in (found["much"].error or "")


async def test_resources_come_back_from_a_map_that_is_left(nodes: Nodes, boxes: list[Node]) -> None:
    """Also from tasks that wait for theirs."""
    tasks = [{"id": str(n), "commands": "sleep 1000", "resources": {"box": 1}} for n in range(4)]
    async with truetty.ray.cluster(nodes.address, resources={"slot": 1}) as registry:
        begun: list[str] = []
        running = registry.map(tasks, at_once=4, on_start=lambda task: begun.append(task.id), **BASH)
        waiting = asyncio.ensure_future(anext(running))
        await until(lambda: len(begun) == 2)
        waiting.cancel()
        await asyncio.wait({waiting})
        await running.aclose()
        assert registry.list() == []
        await until(lambda: free_boxes() == 2)


async def test_a_node_that_is_in_use_is_left_out(
    nodes: Nodes, boxes: list[Node], caplog: pytest.LogCaptureFixture
) -> None:
    """The other one has as much free. The whole cluster has enough, which says nothing of the node."""
    async with truetty.ray.cluster(nodes.address, resources={"box": 1, "slot": 10}) as first:
        assert len(first.hosts) == 1
        with caplog.at_level(logging.WARNING, "truetty.ray"):
            async with truetty.ray.cluster(nodes.address, resources={"slot": 6}) as second:
                assert [one.node.resources.get("box") for one in second.hosts] == [None]
        # Others may be told too: what an earlier test had taken is free a moment after its end.
        wanted_text = "a host takes 6 slot, and 0 slot of it are free: waiting for it, 10 s"
        assert sum(wanted_text in one.getMessage() for one in caplog.records) == 1
        wanted = placing.Demand(1, {"slot": 6}, {})
        assert placing.lacking(first.hosts[0].node, wanted) is not None
