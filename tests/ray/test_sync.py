"""`truetty.sync.cluster`: the same without await."""

from __future__ import annotations

import os

import pytest

import truetty
from tests.patience import PATIENCE
from tests.ray.conftest import SHARED
from tests.ray.nodes import Nodes


def test_a_cluster_without_await(nodes: Nodes) -> None:
    with truetty.sync.cluster(nodes.address, terminals_per_node=3, resources=SHARED) as registry:
        assert registry.limits.terminals == 6 and registry.list() == []
        terminal = registry.open("bash", rc=False, name="build")
        assert terminal.run("x=1; echo $x", wait=PATIENCE).output == "1\n"
        assert registry.get("build").id == terminal.id
        command = terminal.start("read -p 'Go? ' y; echo got $y")
        waiting = command.wait(PATIENCE).waiting
        assert waiting is not None and waiting.prompt == "Go? "
        terminal.send("on\n")
        assert command.wait(PATIENCE).output.endswith("got on\n")
        shell = terminal.pid
        assert shell is not None
        other = registry.acquire(task="fix", shell="bash", rc=False)
        assert [one.id for one in registry.release("fix")] == [other.id]
        tasks = [{"id": str(number), "commands": "true"} for number in range(5)]
        assert [one.state for one in registry.map(tasks, shell="bash", rc=False)] == ["done"] * 5
    with pytest.raises(ProcessLookupError):
        os.kill(shell, 0)
    with pytest.raises(truetty.Misuse):
        registry.list()


def test_what_a_cluster_refuses(nodes: Nodes) -> None:
    with pytest.raises(truetty.Misuse, match="at most 1,000 terminals"):
        truetty.sync.cluster(nodes.address, terminals_per_node=1001)
    with pytest.raises(truetty.HostError, match="no node of the cluster has 7 unheard"):
        truetty.sync.cluster(nodes.address, resources={"unheard": 7})
